/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that go through a daemon's queue: their replies are those that the socket brings, whatever happens meanwhile. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/sanitized.h"
#include "beside_embedded.h"
#include "engine/scheduler/cpus.h"
#include "harness/wait.h"

enum { N = 300, CALLS = 8, RUNS = 400, ROUNDS = 5, FEW = 20, SEVERAL = 100, CROWD = 24, TIMES_MOST = 6 };

static struct trnsci_session *open_queue_spinning(int queue, int spin_us)
{
	const struct trnsci_options options = {.queue = queue, .reconnect_ms = 20000, .spin_us = spin_us};

	return open_with(trnscid.socket, &options);
}

static struct trnsci_session *open_queue(int queue)
{
	return open_queue_spinning(queue, 0);
}

static uint64_t runs_of_queues(struct trnsci_session *session)
{
	return stat_of(session, "daemon", "queue_runs");
}

/* A run goes through the queue if the daemon is awake, by the socket if it sleeps. Beside busy processes few runs find it awake, on
 * a single CPU hardly any. */
static bool queue_has_run(struct trnsci_session *session, uint64_t before, uint64_t least)
{
	return runs_of_queues(session) >= before + (cpus_usable() > 1 ? least : 0);
}

static struct trnsci_call *draw_of(struct trnsci_session *session, const char *method, struct trnsci_tile *out)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, method, &call), 0);
	if (out)
		trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", out));
	else
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", N));
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", 5));
	return call;
}

/* ---- the same replies ---- */

/* Of a draw at that offset by an embedded engine. */
struct expected {
	float samples[N];
	struct trnsci_span span;
};

static void expect_reply(const struct trnsci_call *call, const char *method, uint64_t offset, const struct trnsci_tile *out)
{
	struct trnsci_call *plain = draw_of(embedded, method, NULL);
	struct trnsci_array want, got;
	struct trnsci_span span, want_span;

	trnsci_set(trnsci_call_args(plain), trnsci_param_u64("offset", offset));
	assert_runs(plain);
	assert_int_equal(trnsci_value_to_array(trnsci_call_reply(plain), &want), 0);
	assert_int_equal(trnsci_call_span(plain, &want_span), 0);
	assert_int_equal(trnsci_call_span(call, &span), 0);
	assert_memory_equal(&span, &want_span, sizeof span);
	if (out) {
		assert_memory_equal(trnsci_tile_data(out), want.data, want.bytes);
	} else {
		assert_int_equal(trnsci_value_to_array(trnsci_call_reply(call), &got), 0);
		assert_int_equal(got.bytes, want.bytes);
		assert_int_equal(got.dtype, want.dtype);
		assert_memory_equal(got.data, want.data, want.bytes);
	}
	trnsci_call_free(plain);
}

/* One after another, in the reply and in a tile, until the queue has run enough of them. */
static void closed_loop(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);
	struct trnsci_call *calls[] = {draw_of(session, "normal", NULL), draw_of(session, "uniform", tile)};
	const uint64_t before = runs_of_queues(session);
	uint64_t i = 0;

	(void)state;
	AWAIT(i >= RUNS && queue_has_run(session, before, SEVERAL))
	for (uint64_t end = i + 100; i < end; i++) {
		const struct trnsci_changes changes = {.given = TRNSCI_CHANGE_OFFSET, .offset = 7 * i};

		assert_int_equal(trnsci_run(calls[i % 2], &changes), 0);
		expect_reply(calls[i % 2], i % 2 ? "uniform" : "normal", 7 * i, i % 2 ? tile : NULL);
	}
	trnsci_call_free(calls[0]);
	trnsci_call_free(calls[1]);
	trnsci_close(session);
	trnsci_tile_free(tile);
}

/* Runs the call until its runs go through the queue. */
static void warm(struct trnsci_session *session, struct trnsci_call *call)
{
	const uint64_t before = runs_of_queues(session);
	int runs = 0;

	AWAIT(runs > 0 && queue_has_run(session, before, FEW))
	for (int i = 0; i < 100; i++, runs++)
		assert_runs(call);
}

/* Runs that are in flight together, to be answered in any order, in so many rounds or more until the queue has run so many;
 * `meanwhile` (or NULL) is called between. */
static void pipeline(struct trnsci_session *session, int rounds, uint64_t least, void (*meanwhile)(int round))
{
	struct trnsci_call *calls[CALLS], *call;
	uint64_t offsets[CALLS], next = 0;
	const uint64_t before = runs_of_queues(session);
	void *arg;
	int round = 0;

	for (int k = 0; k < CALLS; k++) {
		const struct trnsci_changes changes = {.given = TRNSCI_CHANGE_OFFSET, .offset = offsets[k] = 3 * next++};

		calls[k] = draw_of(session, "normal", NULL);
		assert_int_equal(trnsci_submit(calls[k], &changes, &offsets[k]), 0);
	}
	AWAIT(round >= rounds && (least == 0 || queue_has_run(session, before, least))) {
		for (int i = 0; i < RUNS; i++) {
			struct trnsci_changes changes = {.given = TRNSCI_CHANGE_OFFSET};

			assert_int_equal(trnsci_next(session, -1, &call, &arg), 0);
			if (trnsci_call_error(call)->code)
				fail_msg("%s", trnsci_call_error(call)->text);
			expect_reply(call, "normal", *(uint64_t *)arg, NULL);
			changes.offset = *(uint64_t *)arg = 3 * next++;
			assert_int_equal(trnsci_submit(call, &changes, arg), 0);
		}
		if (meanwhile)
			meanwhile(round);
		round++;
	}
	for (int k = 0; k < CALLS; k++) {
		assert_int_equal(trnsci_wait(calls[k], -1), 0);
		expect_reply(calls[k], "normal", offsets[k], NULL);
		trnsci_call_free(calls[k]);
	}
}

/* A session that was not asked for a queue makes one for a call that runs often. */
static void often(void **state)
{
	struct trnsci_session *session = open_queue(0);
	struct trnsci_call *call = draw_of(session, "normal", NULL);

	(void)state;
	warm(session, call);
	expect_reply(call, "normal", 0, NULL);
	trnsci_call_free(call);
	pipeline(session, ROUNDS, 0, NULL);
	trnsci_close(session);
}

static void pipelined(void **state)
{
	struct trnsci_session *session = open_queue(1);

	(void)state;
	pipeline(session, ROUNDS, SEVERAL, NULL);
	trnsci_close(session);
}

/* Of runs to a daemon that sleeps the first one goes by the socket, and wakes it for the others in the queue. */
static void after_a_rest(void **state)
{
	struct trnsci_session *session = open_queue(1), *plain = open_queue(-1);
	struct trnsci_call *calls[CALLS];
	uint64_t before;

	(void)state;
	for (int k = 0; k < CALLS; k++) {
		calls[k] = draw_of(session, "normal", NULL);
		warm(session, calls[k]);
	}
	for (int round = 0; round < ROUNDS; round++) {
		wait_idle(50); /* the daemon falls asleep */
		before = runs_of_queues(plain);
		for (int k = 0; k < CALLS; k++)
			assert_int_equal(trnsci_submit(calls[k], NULL, NULL), 0);
		for (int k = 0; k < CALLS; k++) {
			assert_int_equal(trnsci_wait(calls[k], -1), 0);
			expect_reply(calls[k], "normal", 0, NULL);
		}
		assert_in_range(runs_of_queues(plain) - before, CALLS - 1, CALLS);
	}
	for (int k = 0; k < CALLS; k++)
		trnsci_call_free(calls[k]);
	trnsci_close(plain);
	trnsci_close(session);
}

static void strike(int round)
{
	if (round % 2 == 0)
		return;
	daemon_strike(&trnscid, round % 4 == 1 ? SIGKILL : SIGTERM);
	daemon_respawn(&trnscid, ARGUMENTS("--threads=2"));
}

/* Runs of a daemon that ends are repeated by the next one, through its own queue. */
static void restarted(void **state)
{
	struct trnsci_session *session = open_queue(1);

	(void)state;
	pipeline(session, 12, 0, strike);
	trnsci_close(session);
}

/* Threads that never spin: the daemon wakes them at the queue's memory, and its end reaches them there, too. */
static void asleep(void **state)
{
	struct trnsci_session *session = open_queue_spinning(1, -1);
	const uint64_t before = stat_of(session, "daemon", "queue_wakes"), least = cpus_usable() > 1;
	int times = 0;

	(void)state;
	/* A slow client may find its runs ended each time. */
	AWAIT(times > 0 && stat_of(session, "daemon", "queue_wakes") >= before + least) {
		pipeline(session, ROUNDS, SEVERAL, NULL);
		times++;
	}
	pipeline(session, 4, 0, strike);
	trnsci_close(session);
}

static void *run_in_thread(void *arg)
{
	struct trnsci_call *call = draw_of(arg, "normal", NULL);

	if (!runs_at_offsets(call, RUNS))
		return arg;
	trnsci_call_free(call);
	return NULL;
}

static void run_threads(int spin_us)
{
	struct trnsci_session *session = open_queue_spinning(1, spin_us);
	pthread_t threads[CALLS];
	void *failed;

	for (int k = 0; k < CALLS; k++)
		assert_int_equal(pthread_create(&threads[k], NULL, run_in_thread, session), 0);
	for (int i = 0; i < RUNS; i++) /* by the socket, beside threads that sleep at the queue */
		ping(session);
	for (int k = 0; k < CALLS; k++) {
		pthread_join(threads[k], &failed);
		assert_null(failed);
	}
	trnsci_close(session);
}

static void threads(void **state)
{
	(void)state;
	run_threads(0);
	run_threads(-1);
}

static _Atomic bool crowd_ends;

static void *run_beside(void *session)
{
	struct trnsci_call *call = draw_of(session, "normal", NULL);
	int r = 0;

	while (r == 0 && !atomic_load(&crowd_ends))
		r = trnsci_run(call, NULL);
	trnsci_call_free(call);
	return r == 0 ? NULL : session;
}

/* A client at the socket has turns beside many at queues: they get at most a few times as many answers each. */
static void beside_a_socket(void **state)
{
	struct trnsci_session *sessions[CROWD], *plain = open_queue(-1);
	struct trnsci_call *call = draw_of(plain, "normal", NULL);
	pthread_t threads[CROWD];
	uint64_t before;
	void *failed;

	(void)state;
	for (int k = 0; k < CROWD; k++) {
		sessions[k] = open_queue(1);
		assert_int_equal(pthread_create(&threads[k], NULL, run_beside, sessions[k]), 0);
	}
	before = runs_of_queues(plain);
	AWAIT(queue_has_run(plain, before, CROWD * FEW))
	ping(plain);
	before = runs_of_queues(plain);
	for (int i = 0; i < SEVERAL; i++)
		assert_runs(call);
	assert_in_range(runs_of_queues(plain) - before, 0, CROWD * SEVERAL * TIMES_MOST);
	atomic_store(&crowd_ends, true);
	for (int k = 0; k < CROWD; k++) {
		pthread_join(threads[k], &failed);
		assert_null(failed);
		trnsci_close(sessions[k]);
	}
	trnsci_call_free(call);
	trnsci_close(plain);
}

/* ---- what ends otherwise ---- */

/* The text is that of the same request by the socket. */
static void failures(void **state)
{
	const struct trnsci_changes changes = {.given = TRNSCI_CHANGE_OFFSET, .offset = UINT64_MAX};
	struct trnsci_session *session = open_queue(1), *plain = open_queue(-1);
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);
	struct trnsci_call *call = draw_of(session, "normal", NULL), *same = draw_of(plain, "normal", NULL),
			   *into = draw_of(session, "normal", tile);

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_runs(same);
	assert_int_equal(trnsci_run(same, &changes), -TRNSCI_END_OF_STREAM);
	warm(session, call);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(trnsci_run(call, i % 2 ? NULL : &changes), i % 2 ? 0 : -TRNSCI_END_OF_STREAM);
		assert_string_equal(trnsci_call_error(call)->text, i % 2 ? "" : trnsci_call_error(same)->text);
	}
	warm(session, into);
	trnsci_tile_free(tile);
	assert_int_equal(trnsci_run(into, NULL), -TRNSCI_BAD_TILE);
	trnsci_call_free(into);
	trnsci_call_free(call);
	trnsci_call_free(same);
	trnsci_close(plain);
	trnsci_close(session);
}

static void changed_parameters(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct trnsci_call *call = draw_of(session, "normal", NULL);
	struct trnsci_array array;

	(void)state;
	for (uint64_t n = 1; n < 6; n++) {
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", n));
		for (int i = 0; i < 50; i++) {
			assert_runs(call);
			assert_int_equal(trnsci_value_to_array(trnsci_call_reply(call), &array), 0);
			assert_int_equal(array.count, n);
		}
	}
	trnsci_call_free(call);
	trnsci_close(session);
}

static void freed_in_flight(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct trnsci_call *calls[CALLS];

	(void)state;
	for (int round = 0; round < 10; round++) {
		for (int k = 0; k < CALLS; k++) {
			calls[k] = draw_of(session, "normal", NULL);
			for (int i = 0; i < 20; i++)
				assert_runs(calls[k]);
		}
		for (int k = 0; k < CALLS; k++)
			assert_int_equal(trnsci_submit(calls[k], NULL, NULL), 0);
		for (int k = 0; k < CALLS; k++)
			trnsci_call_free(calls[k]);
	}
	ping(session);
	trnsci_close(session);
}

/* A reply outlives its session; a call in flight is answered. */
static void closed_in_flight(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct trnsci_call *call = draw_of(session, "normal", NULL), *other = draw_of(session, "normal", NULL);

	(void)state;
	warm(session, call);
	warm(session, other);
	assert_int_equal(trnsci_submit(other, NULL, NULL), 0);
	trnsci_close(session);
	expect_reply(call, "normal", 0, NULL);
	if (trnsci_wait(other, 0) == 0)
		expect_reply(other, "normal", 0, NULL);
	trnsci_call_free(call);
	trnsci_call_free(other);
}

/* A program that begins to wait by itself while runs are in the queue. */
static void event_loop(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct trnsci_call *calls[CALLS], *call;
	int answered = 0, expected = 0;
	void *arg;

	(void)state;
	for (int k = 0; k < CALLS; k++) {
		calls[k] = draw_of(session, "normal", NULL);
		warm(session, calls[k]);
	}
	for (int round = 0; round < 50; round++) {
		for (int k = 0; k < CALLS; k++)
			assert_int_equal(trnsci_submit(calls[k], NULL, &answered), 0);
		expected += CALLS;
		while (answered < expected) {
			struct pollfd poll_fd = {trnsci_session_fd(session), POLLIN, 0};

			assert_int_equal(poll(&poll_fd, 1, DEADLINE_MS), 1);
			for (; trnsci_next(session, 0, &call, &arg) == 0; answered++) {
				assert_ptr_equal(arg, &answered);
				assert_int_equal(trnsci_call_error(call)->code, 0);
			}
		}
	}
	for (int k = 0; k < CALLS; k++)
		trnsci_call_free(calls[k]);
	trnsci_close(session);
}

/* By the queue, and not by the queue: the largest results in a tile, and larger ones. */
static void large_results(void **state)
{
	const uint64_t most = (1 << 20) / sizeof(float);
	struct trnsci_session *session = open_queue(1);
	struct trnsci_tile *tiles[] = {new_tile(session, TRNSCI_F32, most), new_tile(session, TRNSCI_F32, most + 1)};
	struct trnsci_call *calls[] = {draw_of(session, "uniform", tiles[0]), draw_of(session, "uniform", tiles[1])};
	uint64_t before;

	(void)state;
	if (!SANITIZED) /* there a run takes so long that the daemon sleeps meanwhile */
		warm(session, calls[0]);
	before = runs_of_queues(session);
	for (int i = 0; i < 100; i++)
		assert_runs(calls[1]);
	assert_int_equal(runs_of_queues(session), before);
	for (int i = 0; i < 2; i++) {
		trnsci_call_free(calls[i]);
		trnsci_tile_free(tiles[i]);
	}
	trnsci_close(session);
}

static void turned_off(void **state)
{
	struct trnsci_session *session = open_queue(-1);
	const uint64_t before = runs_of_queues(session);
	struct trnsci_call *call = draw_of(session, "normal", NULL);
	struct daemon without;

	(void)state;
	for (int i = 0; i < RUNS; i++)
		assert_runs(call);
	assert_int_equal(runs_of_queues(session), before);
	trnsci_call_free(call);
	trnsci_close(session);
	without = trnscid;
	daemon_start(&trnscid, ARGUMENTS("--threads=2", "--queue-entries=0"));
	session = open_queue(1);
	call = draw_of(session, "normal", NULL);
	for (int i = 0; i < RUNS; i++)
		assert_runs(call);
	assert_int_equal(runs_of_queues(session), 0);
	trnsci_call_free(call);
	trnsci_close(session);
	daemon_stop(&trnscid);
	trnscid = without;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_loop),	    cmocka_unit_test(often),	   cmocka_unit_test(pipelined),
		cmocka_unit_test(after_a_rest),	    cmocka_unit_test(threads),	   cmocka_unit_test(failures),
		cmocka_unit_test(changed_parameters), cmocka_unit_test(freed_in_flight), cmocka_unit_test(closed_in_flight),
		cmocka_unit_test(event_loop),	    cmocka_unit_test(turned_off),  cmocka_unit_test(restarted),
		cmocka_unit_test(asleep),	    cmocka_unit_test(large_results), cmocka_unit_test(beside_a_socket),
	};

	return cmocka_run_group_tests(tests, start_both, stop_both);
}
