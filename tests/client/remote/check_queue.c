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

/* A draw with a tile of its own. */
struct draw {
	struct trnsci_call *call;
	struct trnsci_tile *tile;
	uint64_t offset; /* of the run in flight */
};

static struct draw open_draw(struct trnsci_session *session)
{
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);

	return (struct draw){.call = draw_of(session, "normal", tile), .tile = tile};
}

static void close_draw(struct draw *draw)
{
	trnsci_call_free(draw->call);
	trnsci_tile_free(draw->tile);
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
	struct trnsci_array want;
	struct trnsci_span span, want_span;

	trnsci_set(trnsci_call_args(plain), trnsci_param_u64("offset", offset));
	assert_runs(plain);
	assert_int_equal(trnsci_value_to_array(trnsci_call_reply(plain), &want), 0);
	assert_int_equal(trnsci_call_span(plain, &want_span), 0);
	assert_int_equal(trnsci_call_span(call, &span), 0);
	assert_memory_equal(&span, &want_span, sizeof span);
	assert_memory_equal(trnsci_tile_data(out), want.data, want.bytes);
	trnsci_call_free(plain);
}

static void expect_drawn(const struct draw *draw)
{
	expect_reply(draw->call, "normal", draw->offset, draw->tile);
}

/* One after another, until the queue has run enough of them. */
static void closed_loop(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct draw draws[] = {open_draw(session), open_draw(session)};
	const uint64_t before = runs_of_queues(session);
	uint64_t i = 0;

	(void)state;
	AWAIT(i >= RUNS && queue_has_run(session, before, SEVERAL))
	for (uint64_t end = i + 100; i < end; i++) {
		struct draw *draw = &draws[i % 2];
		const struct trnsci_param offset[] = {trnsci_param_u64("offset", draw->offset = 7 * i), trnsci_param_end()};

		assert_int_equal(trnsci_run(draw->call, offset), 0);
		expect_drawn(draw);
	}
	close_draw(&draws[0]);
	close_draw(&draws[1]);
	trnsci_close(session);
}

/* A call whose results come in the reply stays with the socket. */
static void results_in_the_reply(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct trnsci_call *call = draw_of(session, "normal", NULL);
	const uint64_t before = runs_of_queues(session);

	(void)state;
	for (int i = 0; i < RUNS; i++)
		assert_runs(call);
	assert_int_equal(runs_of_queues(session), before);
	trnsci_call_free(call);
	trnsci_close(session);
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

static void submit_draw(struct draw *draw, uint64_t offset)
{
	const struct trnsci_param changes[] = {trnsci_param_u64("offset", draw->offset = offset), trnsci_param_end()};

	assert_int_equal(trnsci_submit(draw->call, changes, draw), 0);
}

/* Runs that are in flight together, to be answered in any order, in so many rounds or more until the queue has run so many;
 * `meanwhile` (or NULL) is called between. */
static void pipeline(struct trnsci_session *session, int rounds, uint64_t least, void (*meanwhile)(int round))
{
	struct draw draws[CALLS], *draw;
	struct trnsci_call *call;
	const uint64_t before = runs_of_queues(session);
	uint64_t next = 0;
	void *arg;
	int round = 0;

	for (int k = 0; k < CALLS; k++) {
		draws[k] = open_draw(session);
		submit_draw(&draws[k], 3 * next++);
	}
	AWAIT(round >= rounds && (least == 0 || queue_has_run(session, before, least))) {
		for (int i = 0; i < RUNS; i++) {
			assert_int_equal(trnsci_next(session, -1, &call, &arg), 0);
			draw = arg;
			if (trnsci_call_error(call)->code)
				fail_msg("%s", trnsci_call_error(call)->text);
			assert_ptr_equal(call, draw->call);
			expect_drawn(draw);
			submit_draw(draw, 3 * next++);
		}
		if (meanwhile)
			meanwhile(round);
		round++;
	}
	for (int k = 0; k < CALLS; k++) {
		assert_int_equal(trnsci_wait(draws[k].call, -1), 0);
		expect_drawn(&draws[k]);
		close_draw(&draws[k]);
	}
}

/* A session that was not asked for a queue makes one for a call that runs often. */
static void often(void **state)
{
	struct trnsci_session *session = open_queue(0);
	struct draw draw = open_draw(session);

	(void)state;
	warm(session, draw.call);
	expect_drawn(&draw);
	close_draw(&draw);
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
	struct draw draws[CALLS];
	uint64_t before;

	(void)state;
	for (int k = 0; k < CALLS; k++) {
		draws[k] = open_draw(session);
		warm(session, draws[k].call);
	}
	for (int round = 0; round < ROUNDS; round++) {
		wait_idle(50); /* the daemon falls asleep */
		before = runs_of_queues(plain);
		for (int k = 0; k < CALLS; k++)
			submit_draw(&draws[k], (uint64_t)k);
		for (int k = 0; k < CALLS; k++) {
			assert_int_equal(trnsci_wait(draws[k].call, -1), 0);
			expect_drawn(&draws[k]);
		}
		assert_in_range(runs_of_queues(plain) - before, CALLS - 1, CALLS);
	}
	for (int k = 0; k < CALLS; k++)
		close_draw(&draws[k]);
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
	struct draw draw = open_draw(arg);

	if (!runs_at_offsets(draw.call, RUNS))
		return arg;
	close_draw(&draw);
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

static void *run_few(void *arg)
{
	struct draw draw = open_draw(arg);
	const bool runs = runs_at_offsets(draw.call, FEW);

	close_draw(&draw);
	return runs ? NULL : arg;
}

/* Threads that come to want a queue at the same time: the session has one, whichever of them asks. */
static void begun_by_threads(void **state)
{
	(void)state;
	for (int i = 0; i < SEVERAL; i++) {
		struct trnsci_session *session = open_queue(1);
		pthread_t threads[CROWD];
		uint64_t before;
		void *failed;

		for (int k = 0; k < CROWD; k++)
			assert_int_equal(pthread_create(&threads[k], NULL, run_few, session), 0);
		for (int k = 0; k < CROWD; k++) {
			pthread_join(threads[k], &failed);
			assert_null(failed);
		}
		before = runs_of_queues(session);
		AWAIT(queue_has_run(session, before, 1))
		assert_null(run_few(session));
		trnsci_close(session);
	}
}

static _Atomic bool crowd_ends;

static void *run_beside(void *session)
{
	struct draw draw = open_draw(session);
	int r = 0;

	while (r == 0 && !atomic_load(&crowd_ends))
		r = trnsci_run(draw.call, NULL);
	close_draw(&draw);
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
	const struct trnsci_param offset[] = {trnsci_param_u64("offset", UINT64_MAX), trnsci_param_end()};
	struct trnsci_session *session = open_queue(1), *plain = open_queue(-1);
	struct draw draw = open_draw(session), into = open_draw(session);
	struct trnsci_call *same = draw_of(plain, "normal", NULL);

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_runs(same);
	assert_int_equal(trnsci_run(same, offset), -TRNSCI_END_OF_STREAM);
	warm(session, draw.call);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(trnsci_run(draw.call, i % 2 ? NULL : offset), i % 2 ? 0 : -TRNSCI_END_OF_STREAM);
		assert_string_equal(trnsci_call_error(draw.call)->text, i % 2 ? "" : trnsci_call_error(same)->text);
	}
	warm(session, into.call);
	trnsci_tile_free(into.tile);
	assert_int_equal(trnsci_run(into.call, NULL), -TRNSCI_BAD_TILE);
	trnsci_call_free(into.call);
	close_draw(&draw);
	trnsci_call_free(same);
	trnsci_close(plain);
	trnsci_close(session);
}

static void changed_parameters(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct draw draw = open_draw(session);
	struct trnsci_span span;

	(void)state;
	for (uint64_t seed = 1; seed < 6; seed++) {
		trnsci_set(trnsci_call_args(draw.call), trnsci_param_u64("seed", seed));
		for (int i = 0; i < 50; i++) {
			assert_runs(draw.call);
			assert_int_equal(trnsci_call_span(draw.call, &span), 0);
			assert_int_equal(span.seed, seed);
		}
	}
	close_draw(&draw);
	trnsci_close(session);
}

static void freed_in_flight(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct draw draws[CALLS];

	(void)state;
	for (int round = 0; round < 10; round++) {
		for (int k = 0; k < CALLS; k++) {
			draws[k] = open_draw(session);
			for (int i = 0; i < 20; i++)
				assert_runs(draws[k].call);
		}
		for (int k = 0; k < CALLS; k++)
			submit_draw(&draws[k], 0);
		for (int k = 0; k < CALLS; k++)
			close_draw(&draws[k]);
	}
	ping(session);
	trnsci_close(session);
}

/* A reply outlives its session; a call in flight is answered. */
static void closed_in_flight(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct draw draw = open_draw(session), other = open_draw(session);
	struct trnsci_span span;

	(void)state;
	warm(session, draw.call);
	warm(session, other.call);
	submit_draw(&other, 9);
	trnsci_close(session);
	assert_int_equal(trnsci_call_span(draw.call, &span), 0);
	assert_int_equal(span.offset, 0);
	if (trnsci_wait(other.call, 0) == 0) {
		assert_int_equal(trnsci_call_span(other.call, &span), 0);
		assert_int_equal(span.offset, 9);
	}
	close_draw(&draw);
	close_draw(&other);
}

/* A program that begins to wait by itself while runs are in the queue. */
static void event_loop(void **state)
{
	struct trnsci_session *session = open_queue(1);
	struct draw draws[CALLS];
	struct trnsci_call *call;
	int answered = 0, expected = 0;
	void *arg;

	(void)state;
	for (int k = 0; k < CALLS; k++) {
		draws[k] = open_draw(session);
		warm(session, draws[k].call);
	}
	for (int round = 0; round < 50; round++) {
		for (int k = 0; k < CALLS; k++)
			assert_int_equal(trnsci_submit(draws[k].call, NULL, &answered), 0);
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
		close_draw(&draws[k]);
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
	struct draw draw = open_draw(session);
	struct daemon without;

	(void)state;
	for (int i = 0; i < RUNS; i++)
		assert_runs(draw.call);
	assert_int_equal(runs_of_queues(session), before);
	close_draw(&draw);
	trnsci_close(session);
	without = trnscid;
	daemon_start(&trnscid, ARGUMENTS("--threads=2", "--queue-entries=0"));
	session = open_queue(1);
	draw = open_draw(session);
	for (int i = 0; i < RUNS; i++)
		assert_runs(draw.call);
	assert_int_equal(runs_of_queues(session), 0);
	close_draw(&draw);
	trnsci_close(session);
	daemon_stop(&trnscid);
	trnscid = without;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_loop),	    cmocka_unit_test(results_in_the_reply),
			    cmocka_unit_test(often),	   cmocka_unit_test(pipelined),
		cmocka_unit_test(after_a_rest),	    cmocka_unit_test(threads), cmocka_unit_test(begun_by_threads),	   cmocka_unit_test(failures),
		cmocka_unit_test(changed_parameters), cmocka_unit_test(freed_in_flight), cmocka_unit_test(closed_in_flight),
		cmocka_unit_test(event_loop),	    cmocka_unit_test(turned_off),  cmocka_unit_test(restarted),
		cmocka_unit_test(asleep),	    cmocka_unit_test(large_results), cmocka_unit_test(beside_a_socket),
	};

	return cmocka_run_group_tests(tests, start_both, stop_both);
}
