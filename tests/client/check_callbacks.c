/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks run once, in the thread that dispatches, and may call everything; several threads on one session. */
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
	pthread_t thread;
	int answered;
};

static void go_on(struct trnsci_call *call, void *arg)
{
	struct chain *chain = arg;

	assert_true(pthread_equal(pthread_self(), chain->thread));
	assert_int_equal(trnsci_call_error(call)->code, 0);
	assert_int_equal(trnsci_wait(call, 0), 0);
	chain->answered++;
	if (chain->answered == CHAIN) {
		trnsci_call_free(call);
		return;
	}
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", (uint64_t)chain->answered * 7));
	assert_int_equal(trnsci_submit(call, NULL, go_on, chain), 0);
}

static void chains(struct trnsci_session *session)
{
	struct chain chain = {session, pthread_self(), 0};
	struct pollfd poll_fd = {.fd = trnsci_session_fd(session), .events = POLLIN};

	assert_int_equal(trnsci_dispatch(session, 0), -TRNSCI_TIMEOUT);
	assert_int_equal(trnsci_submit(draw_of(session, 10), NULL, go_on, &chain), 0);
	while (chain.answered < CHAIN) {
		assert_int_equal(poll(&poll_fd, 1, 10000), 1);
		trnsci_dispatch(session, 0);
	}
	assert_int_equal(trnsci_dispatch(session, 0), -TRNSCI_TIMEOUT);
}

/* ---- which callbacks run ---- */

static void count(struct trnsci_call *call, void *arg)
{
	(void)call;
	++*(int *)arg;
}

static void expect_cancelled(struct trnsci_call *call, void *arg)
{
	assert_int_equal(trnsci_call_error(call)->code, TRNSCI_CANCELLED);
	++*(int *)arg;
}

static void calls_back(struct trnsci_session *session)
{
	struct trnsci_call *plain = draw_of(session, 5), *waited = draw_of(session, 5),
			   *with_callback = draw_of(session, 5);
	struct trnsci_call *wrong = draw_of(session, 5), *next;
	int calls = 0;

	trnsci_set(trnsci_call_args(wrong), trnsci_param_text("nonsense", "1"));
	assert_int_equal(trnsci_submit(plain, NULL, NULL, NULL), 0);
	assert_int_equal(trnsci_submit(waited, NULL, count, &calls), 0);
	assert_int_equal(trnsci_wait(waited, -1), 0);
	assert_int_equal(trnsci_submit(with_callback, NULL, count, &calls), 0);
	assert_int_equal(trnsci_submit(wrong, NULL, count, &calls), 0);
	while (calls < 2)
		assert_true(trnsci_dispatch(session, 10000) > 0);
	assert_int_equal(trnsci_call_error(wrong)->code, TRNSCI_UNKNOWN_PARAMETER);
	assert_int_equal(trnsci_next(session, 10000, &next, NULL), 0);
	assert_ptr_equal(next, plain);
	assert_int_equal(trnsci_next(session, 0, &next, NULL), -TRNSCI_TIMEOUT);
	assert_int_equal(trnsci_dispatch(session, 0), -TRNSCI_TIMEOUT);
	assert_int_equal(calls, 2);
	trnsci_call_free(plain);
	trnsci_call_free(waited);
	trnsci_call_free(with_callback);
	trnsci_call_free(wrong);
}

static void cancels(struct trnsci_session *session)
{
	struct trnsci_call *call;
	uint64_t n = 4 << 20;
	struct trnsci_tile *tile;
	int calls = 0;

	assert_int_equal(trnsci_tile_new(session, TRNSCI_F32, 1, &n, &tile, NULL), 0);
	assert_int_equal(trnsci_call_new(session, "run", &call), 0);
	for (int i = 0; i < 200; i++)
		trnsci_set(trnsci_program_step(call, "normal"), trnsci_param_tile("out", tile));
	assert_int_equal(trnsci_submit(call, NULL, expect_cancelled, &calls), 0);
	assert_int_equal(trnsci_cancel(call), 0);
	assert_int_equal(trnsci_dispatch(session, 10000), 1);
	assert_int_equal(calls, 1);
	trnsci_call_free(call);
	trnsci_tile_free(tile);
}

/* ---- several threads on one session: some dispatch, some wait for their own; nobody misses an answer ---- */

enum { THREADS = 4, EACH = 150 };

struct crowd {
	struct trnsci_session *session;
	atomic_int answered;
};

static void count_answer(struct trnsci_call *call, void *arg)
{
	struct crowd *crowd = arg;

	if (trnsci_call_error(call)->code == 0)
		atomic_fetch_add(&crowd->answered, 1);
	trnsci_call_free(call);
}

static void *dispatch(void *arg)
{
	struct crowd *crowd = arg;

	for (int i = 0; i < EACH; i++) {
		struct trnsci_call *call;

		if (trnsci_call_new(crowd->session, "uniform", &call) == 0) {
			trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", 100 + 37 * (uint64_t)i));
			trnsci_submit(call, NULL, count_answer, crowd);
		}
		trnsci_dispatch(crowd->session, i % 3 ? 0 : 1);
	}
	while (atomic_load(&crowd->answered) < THREADS * EACH)
		trnsci_dispatch(crowd->session, 20);
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
		assert_int_equal(pthread_create(&threads[i], NULL, i % 2 ? dispatch : run_own, &crowd), 0);
	for (int i = 0; i < 2 * THREADS; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(atomic_load(&crowd.answered), THREADS * EACH);
}

/* The session's end calls back, too: the connection is closed under a call in flight. */
static void dead_daemon(void **state)
{
	struct trnsci_session *session = NULL;
	struct daemon other = {0};
	struct trnsci_call *call;
	int calls = 0;

	(void)state;
	daemon_start(&other, ARGUMENTS("--threads=1"));
	assert_int_equal(trnsci_open(other.socket, NULL, &session, NULL), 0);
	kill(other.pid, SIGSTOP);
	call = draw_of(session, 5);
	assert_int_equal(trnsci_submit(call, NULL, count, &calls), 0);
	kill(other.pid, SIGKILL);
	assert_int_equal(trnsci_dispatch(session, 10000), 1);
	assert_int_equal(calls, 1);
	assert_int_equal(trnsci_call_error(call)->code, TRNSCI_CLOSED);
	assert_int_equal(trnsci_dispatch(session, 10000), -TRNSCI_CLOSED);
	trnsci_call_free(call);
	trnsci_close(session);
	daemon_discard(&other);
}

BOTH(chains)
BOTH(calls_back)
BOTH(cancels)
BOTH(crowds)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_by_both),  cmocka_unit_test(calls_back_by_both),
		cmocka_unit_test(cancels_by_both), cmocka_unit_test(crowds_by_both),
		cmocka_unit_test(dead_daemon),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
