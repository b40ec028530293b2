/* SPDX-License-Identifier: Apache-2.0 */
/* Answers by trnsci_next and the descriptor of an event loop, with what was submitted beside each; several threads on one session. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "both.h"

static struct trnsci_call *draw_of(struct trnsci_session *session, uint64_t n)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", n));
	return call;
}

/* ---- a chain: each answer submits the next, and the last frees its call ---- */

enum { CHAIN = 200 };

struct chain {
	struct trnsci_session *session;
	int answered;
};

/* What an event loop calls: the program keeps its function, with what that needs, beside the call. */
struct task {
	void (*answered)(struct task *task, struct trnsci_call *call);
	struct chain *chain;
};

static void go_on(struct task *task, struct trnsci_call *call)
{
	struct chain *chain = task->chain;

	assert_int_equal(trnsci_call_error(call)->code, 0);
	assert_int_equal(trnsci_wait(call, 0), 0);
	chain->answered++;
	if (chain->answered == CHAIN) {
		trnsci_call_free(call);
		return;
	}
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", (uint64_t)chain->answered * 7));
	assert_int_equal(trnsci_submit(call, NULL, task), 0);
}

static void chains(struct trnsci_session *session)
{
	struct chain chain = {session, 0};
	struct task task = {go_on, &chain};
	struct pollfd poll_fd = {.fd = trnsci_session_fd(session), .events = POLLIN};
	struct trnsci_call *call;
	void *arg;

	assert_int_equal(trnsci_next(session, 0, &call, &arg), -TRNSCI_TIMEOUT);
	assert_int_equal(trnsci_submit(draw_of(session, 10), NULL, &task), 0);
	while (chain.answered < CHAIN) {
		assert_int_equal(poll(&poll_fd, 1, 10000), 1);
		while (trnsci_next(session, 0, &call, &arg) == 0)
			((struct task *)arg)->answered(arg, call);
	}
	assert_int_equal(trnsci_next(session, 0, &call, &arg), -TRNSCI_TIMEOUT);
}

/* ---- which answers come ---- */

/* Neither the answer of a call that was waited for, nor that of one that was freed; an error as any other. */
static void comes(struct trnsci_session *session)
{
	struct trnsci_call *plain = draw_of(session, 5), *waited = draw_of(session, 5), *freed = draw_of(session, 5);
	struct trnsci_call *wrong = draw_of(session, 5), *next;
	int of_plain, of_wrong, seen = 0;
	void *arg;

	trnsci_set(trnsci_call_args(wrong), trnsci_param_text("nonsense", "1"));
	assert_int_equal(trnsci_submit(plain, NULL, &of_plain), 0);
	assert_int_equal(trnsci_submit(waited, NULL, NULL), 0);
	assert_int_equal(trnsci_wait(waited, -1), 0);
	assert_int_equal(trnsci_submit(freed, NULL, NULL), 0);
	trnsci_call_free(freed);
	assert_int_equal(trnsci_submit(wrong, NULL, &of_wrong), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(trnsci_next(session, 10000, &next, &arg), 0);
		assert_ptr_equal(arg, next == plain ? &of_plain : &of_wrong);
		seen |= next == plain ? 1 : next == wrong ? 2 : 0;
	}
	assert_int_equal(seen, 3);
	assert_int_equal(trnsci_call_error(wrong)->code, TRNSCI_UNKNOWN_PARAMETER);
	assert_int_equal(trnsci_next(session, 0, &next, NULL), -TRNSCI_TIMEOUT);
	trnsci_call_free(plain);
	trnsci_call_free(waited);
	trnsci_call_free(wrong);
}

static void cancels(struct trnsci_session *session)
{
	struct trnsci_call *call, *next;
	uint64_t n = 4 << 20;
	struct trnsci_tile *tile;

	assert_int_equal(trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "run", &call), 0);
	for (int i = 0; i < 200; i++)
		trnsci_set(trnsci_program_step(call, "normal"), trnsci_param_tile("out", tile));
	assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
	assert_int_equal(trnsci_cancel(call), 0);
	assert_int_equal(trnsci_next(session, 10000, &next, NULL), 0);
	assert_ptr_equal(next, call);
	assert_int_equal(trnsci_call_error(call)->code, TRNSCI_CANCELLED);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
}

/* ---- several threads on one session: some take answers, some wait for their own; nobody misses an answer ---- */

enum { THREADS = 4, EACH = 150 };

struct crowd {
	struct trnsci_session *session;
	atomic_int answered;
};

static void take_answers(struct crowd *crowd, int timeout_ms)
{
	struct trnsci_call *call;
	void *arg;

	while (trnsci_next(crowd->session, timeout_ms, &call, &arg) == 0) {
		if (trnsci_call_error(call)->code == 0 && arg == crowd)
			atomic_fetch_add(&crowd->answered, 1);
		trnsci_call_free(call);
		timeout_ms = 0;
	}
}

static void *submit_and_take(void *arg)
{
	struct crowd *crowd = arg;

	for (int i = 0; i < EACH; i++) {
		struct trnsci_call *call;

		if (trnsci_call_new(crowd->session, "uniform", &call) == 0) {
			trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", 100 + 37 * (uint64_t)i));
			trnsci_submit(call, NULL, crowd);
		}
		take_answers(crowd, i % 3 ? 0 : 1);
	}
	while (atomic_load(&crowd->answered) < THREADS * EACH)
		take_answers(crowd, 20);
	return NULL;
}

static void *run_own(void *arg)
{
	struct crowd *crowd = arg;
	struct trnsci_call *call;
	intptr_t failed = trnsci_call_new(crowd->session, "ping", &call);

	for (int i = 0; i < 4 * EACH && failed == 0; i++)
		failed |= trnsci_run(call, NULL);
	trnsci_call_free(call);
	return (void *)failed;
}

static void crowds(struct trnsci_session *session)
{
	struct crowd crowd = {.session = session};
	pthread_t threads[2 * THREADS];
	void *failed;

	for (int i = 0; i < 2 * THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, i % 2 ? submit_and_take : run_own, &crowd), 0);
	for (int i = 0; i < 2 * THREADS; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(atomic_load(&crowd.answered), THREADS * EACH);
}

/* The session's end answers, too: the connection is closed under a call in flight. */
static void dead_daemon(void **state)
{
	struct trnsci_session *session = NULL;
	struct daemon other = {0};
	struct trnsci_call *call, *next;

	(void)state;
	daemon_start(&other, ARGUMENTS("--threads=1"));
	assert_int_equal(trnsci_open(other.socket, NULL, &session, NULL), 0);
	kill(other.pid, SIGSTOP);
	call = draw_of(session, 5);
	assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
	kill(other.pid, SIGKILL);
	assert_int_equal(trnsci_next(session, 10000, &next, NULL), 0);
	assert_ptr_equal(next, call);
	assert_int_equal(trnsci_call_error(call)->code, TRNSCI_CLOSED);
	assert_int_equal(trnsci_next(session, 10000, &next, NULL), -TRNSCI_CLOSED);
	trnsci_call_free(call);
	trnsci_close(session);
	daemon_discard(&other);
}

BOTH(chains)
BOTH(comes)
BOTH(cancels)
BOTH(crowds)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_by_both),  cmocka_unit_test(comes_by_both),
		cmocka_unit_test(cancels_by_both), cmocka_unit_test(crowds_by_both),
		cmocka_unit_test(dead_daemon),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
