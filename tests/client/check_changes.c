/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are run again, with changes: each run gives what a call gives that states all of it itself, whether it is
 * sent whole, as a run of its prepared form, or run in the caller's thread. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "both.h"

enum { RUNS = 8, N = 300, LARGE = 40000 };

#define CHANGE_ALL (TRNSCI_CHANGE_SEED | TRNSCI_CHANGE_STREAM | TRNSCI_CHANGE_OFFSET)

static struct trnsci_call *new_call(struct trnsci_session *session, const char *method)
{
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, method, &call), 0);
	return call;
}

static struct trnsci_call *draw_of(struct trnsci_session *session, uint64_t n)
{
	struct trnsci_call *call = new_call(session, "normal");

	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", n));
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("seed", 5));
	return call;
}

static struct trnsci_call *small_draw(struct trnsci_session *session)
{
	return draw_of(session, N);
}

static struct trnsci_call *large_draw(struct trnsci_session *session)
{
	return draw_of(session, LARGE);
}

static struct trnsci_call *points(struct trnsci_session *session)
{
	struct trnsci_call *call = new_call(session, "sobol");

	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", 64));
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("d", 3));
	return call;
}

/* Draws, scales and transforms. */
static struct trnsci_call *program(struct trnsci_session *session)
{
	struct trnsci_call *call = new_call(session, "run");
	struct trnsci_args *step = trnsci_program_step(call, "normal");

	trnsci_set(step, trnsci_param_u64("n", N));
	trnsci_set(step, trnsci_param_text("as", "z"));
	step = trnsci_program_step(call, "scale");
	trnsci_set(step, trnsci_param_text("in", "z"));
	trnsci_set(step, trnsci_param_f64("by", 0.5));
	trnsci_set(step, trnsci_param_text("as", "half"));
	step = trnsci_program_step(call, "fft");
	trnsci_set(step, trnsci_param_text("in", "half"));
	trnsci_set(step, trnsci_param_text("as", "y"));
	trnsci_program_result(call, "y");
	return call;
}

static const struct {
	const char *name;
	struct trnsci_call *(*make)(struct trnsci_session *session);
} kinds[] = {{"small", small_draw}, {"large", large_draw}, {"points", points}, {"program", program}};

static struct trnsci_array array_of(const struct trnsci_call *call)
{
	const struct trnsci_value *reply = trnsci_call_reply(call), *results = trnsci_value_get(reply, "results");
	struct trnsci_array array;

	assert_int_equal(trnsci_value_to_array(results ? trnsci_value_at(results, 0) : reply, &array), 0);
	return array;
}

/* A call of its own that states what the changes state. */
static void expect_same(const char *what, struct trnsci_call *call, struct trnsci_call *whole,
			const struct trnsci_changes *changes)
{
	struct trnsci_array got = array_of(call), expected;

	if (changes->given & TRNSCI_CHANGE_SEED)
		trnsci_set(trnsci_call_args(whole), trnsci_param_u64("seed", changes->seed));
	if (changes->given & TRNSCI_CHANGE_STREAM)
		trnsci_set(trnsci_call_args(whole), trnsci_param_u64("stream", changes->stream));
	if (changes->given & TRNSCI_CHANGE_OFFSET)
		trnsci_set(trnsci_call_args(whole), trnsci_param_u64("offset", changes->offset));
	assert_runs(whole);
	expected = array_of(whole);
	assert_int_equal(got.bytes, expected.bytes);
	if (memcmp(got.data, expected.data, got.bytes) != 0)
		fail_msg("%s: other bytes with seed %llu, stream %llu, offset %llu", what, (unsigned long long)changes->seed,
			 (unsigned long long)changes->stream, (unsigned long long)changes->offset);
	trnsci_call_free(whole);
}

static void as_whole(struct trnsci_session *session)
{
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct trnsci_call *call = kinds[k].make(session);

		for (uint32_t i = 0; i < 4 * RUNS; i++) {
			const struct trnsci_changes changes = {
				.given = i % 8, .seed = 40 + i / 3, .stream = i % 2, .offset = 16 * i};

			assert_int_equal(trnsci_run(call, i % 5 ? &changes : NULL), 0);
			expect_same(kinds[k].name, call, kinds[k].make(session),
				    i % 5 ? &changes : &(struct trnsci_changes){.given = 0});
		}
		trnsci_call_free(call);
	}
}

/* From the third run on a call is run as prepared; what is changed or freed is released. */
static void counted(struct trnsci_session *session)
{
	struct trnsci_call *call = small_draw(session);
	const uint64_t before = stat_of(session, "session", "prepared");

	assert_runs(call);
	assert_int_equal(stat_of(session, "session", "prepared"), before); /* once is no reason */
	for (int i = 0; i < RUNS; i++)
		assert_runs(call);
	assert_int_equal(stat_of(session, "session", "prepared"), before + 1);
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", 7));
	assert_runs(call);
	assert_int_equal(array_of(call).count, 7);
	assert_int_equal(stat_of(session, "session", "prepared"), before);
	for (int i = 0; i < RUNS; i++)
		assert_runs(call);
	assert_int_equal(stat_of(session, "session", "prepared"), before + 1);
	trnsci_call_free(call);
	assert_int_equal(stat_of(session, "session", "prepared"), before);
}

/* ---- tiles ---- */

static struct trnsci_call *scaling(struct trnsci_session *session, const struct trnsci_tile *in,
				   const struct trnsci_tile *out)
{
	struct trnsci_call *call = new_call(session, "scale");

	trnsci_set(trnsci_call_args(call), trnsci_param_tile("in", in));
	trnsci_set(trnsci_call_args(call), trnsci_param_f64("by", 10));
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("out", out));
	return call;
}

static void fill(struct trnsci_tile *tile, float value)
{
	float *at = trnsci_tile_data(tile);

	for (int i = 0; i < N; i++)
		at[i] = value;
}

static void tiles(struct trnsci_session *session)
{
	struct trnsci_tile *tile[4], *small = new_tile(session, TRNSCI_F32, 8);
	struct trnsci_call *call;

	for (int i = 0; i < 4; i++)
		tile[i] = new_tile(session, TRNSCI_F32, N);
	call = scaling(session, tile[0], tile[1]);
	for (int i = 0; i < 12; i++) {
		const int from = i % 4, to = (i + 1 + i / 4) % 4;
		struct trnsci_tile *const others[] = {tile[from], tile[to]};
		const struct trnsci_changes changes = {.tiles = others, .n_tiles = 2};

		if (from == to)
			continue;
		fill(tile[from], (float)(i + 1));
		fill(tile[to], 0);
		assert_int_equal(trnsci_run(call, &changes), 0);
		if (((float *)trnsci_tile_data(tile[to]))[N - 1] != (float)(10 * (i + 1)))
			fail_msg("run %d: from tile %d to %d: got %g", i, from, to,
				 (double)((float *)trnsci_tile_data(tile[to]))[N - 1]);
	}
	for (int i = 0; i < 3; i++) { /* whole, and prepared */
		struct trnsci_tile *const shape[] = {small}, *const one[] = {NULL, tile[2]}, *const both[] = {tile[1]};

		fill(tile[0], 3);
		assert_int_equal(trnsci_run(call, &(struct trnsci_changes){.tiles = one, .n_tiles = 2}), 0);
		assert_true(((float *)trnsci_tile_data(tile[2]))[0] == 30);
		assert_int_equal(trnsci_run(call, &(struct trnsci_changes){.tiles = shape, .n_tiles = 1}), -TRNSCI_BAD_SHAPE);
		assert_int_equal(trnsci_run(call, &(struct trnsci_changes){.tiles = both, .n_tiles = 1}), -TRNSCI_BAD_TILE);
		assert_int_equal(trnsci_run(call, &(struct trnsci_changes){.tiles = both, .n_tiles = 7}),
				 -TRNSCI_OUT_OF_RANGE);
	}
	assert_runs(call); /* the call itself is as it was */
	trnsci_tile_free(tile[1]);
	for (int i = 0; i < 2; i++) {
		struct trnsci_tile *const instead[] = {NULL, tile[3]};

		assert_int_equal(trnsci_run(call, NULL), -TRNSCI_BAD_TILE);
		assert_int_equal(trnsci_run(call, &(struct trnsci_changes){.tiles = instead, .n_tiles = 2}),
				 0);
	}
	trnsci_call_free(call);
	for (int i = 0; i < 4; i++)
		if (i != 1)
			trnsci_tile_free(tile[i]);
	trnsci_tile_free(small);
}

/* What the call cannot be given is refused alike, prepared or not. */
static void refused(struct trnsci_session *session)
{
	struct trnsci_tile *x = new_tile(session, TRNSCI_F32, N), *y = new_tile(session, TRNSCI_F32, N);
	struct trnsci_call *call = scaling(session, x, y);

	fill(x, 1);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(trnsci_run(call, &(struct trnsci_changes){.given = TRNSCI_CHANGE_SEED}),
				 -TRNSCI_UNKNOWN_PARAMETER);
		assert_int_equal(trnsci_run(call, &(struct trnsci_changes){.given = 8}), -TRNSCI_OUT_OF_RANGE);
		assert_int_equal(trnsci_run(call, &(struct trnsci_changes){.reserved = 1}), -TRNSCI_OUT_OF_RANGE);
		assert_runs(call);
	}
	trnsci_call_free(call);
	trnsci_tile_free(x);
	trnsci_tile_free(y);
}

/* ---- many at once ---- */

static void pipelined(struct trnsci_session *session)
{
	enum { CALLS = 8, ROUNDS = 6 };
	struct trnsci_call *calls[CALLS];

	for (int i = 0; i < CALLS; i++)
		calls[i] = i % 2 ? small_draw(session) : program(session);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct trnsci_changes changes[CALLS];

		for (uint32_t i = 0; i < CALLS; i++) {
			changes[i] = (struct trnsci_changes){.given = CHANGE_ALL, .seed = i, .stream = round, .offset = 4 * i};
			assert_int_equal(trnsci_submit(calls[i], &changes[i], NULL), 0);
		}
		for (int i = 0; i < CALLS; i++)
			assert_int_equal(trnsci_wait(calls[i], -1), 0);
		for (int i = 0; i < CALLS; i++)
			expect_same("pipelined", calls[i], i % 2 ? small_draw(session) : program(session), &changes[i]);
	}
	for (int i = 0; i < CALLS; i++)
		trnsci_call_free(calls[i]);
}

/* Freed while it is in flight, and while it is being prepared. */
static void freed_at_once(struct trnsci_session *session)
{
	for (int i = 0; i < 60; i++) {
		struct trnsci_call *call = i % 2 ? small_draw(session) : large_draw(session);

		for (int runs = i % 3; runs > 0; runs--)
			assert_runs(call);
		assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
		trnsci_call_free(call);
	}
	ping(session);
	assert_int_equal(stat_of(session, "session", "prepared"), 0);
}

static void *run_many(void *session)
{
	struct trnsci_call *call = small_draw(session);
	struct trnsci_changes changes = {.given = TRNSCI_CHANGE_OFFSET};

	for (uint64_t i = 0; i < 200; i++) {
		changes.offset = i;
		if (trnsci_run(call, &changes) < 0)
			return "a run";
		if (i % 40 == 0)
			trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", N - i));
	}
	trnsci_call_free(call);
	return NULL;
}

static void threads(struct trnsci_session *session)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run_many, session), 0);
	for (int i = 0; i < 4; i++) {
		void *failed;

		pthread_join(thread[i], &failed);
		if (failed)
			fail_msg("thread %d: %s failed", i, (const char *)failed);
	}
}

/* ---- a daemon that is restarted ---- */

/* What was prepared went with it, and is prepared again; a run that states changes is sent whole meanwhile. */
static void restarted(void **state)
{
	struct daemon own = {0};
	struct trnsci_session *session;
	struct trnsci_call *call;
	uint64_t runs;

	(void)state;
	daemon_start(&own, ARGUMENTS("--threads=2"));
	session = open_at(own.socket);
	call = small_draw(session);
	for (uint64_t life = 0; life < 3; life++) {
		for (uint64_t i = 0; i < RUNS; i++) {
			const struct trnsci_changes changes = {.given = CHANGE_ALL, .seed = life, .stream = 1, .offset = i};

			assert_int_equal(trnsci_run(call, &changes), 0);
			expect_same("restarted", call, small_draw(session), &changes);
		}
		runs = stat_of(session, "daemon", "requests_prepared");
		if (runs < RUNS - 5 || runs > RUNS)
			fail_msg("life %llu: %llu runs were prepared, expected %d to %d", (unsigned long long)life,
				 (unsigned long long)runs, RUNS - 5, RUNS);
		daemon_strike(&own, life % 2 ? SIGTERM : SIGKILL);
		daemon_respawn(&own, ARGUMENTS("--threads=2"));
	}
	trnsci_call_free(call);
	trnsci_close(session);
	daemon_stop(&own);
}

BOTH(as_whole)
BOTH(counted)
BOTH(tiles)
BOTH(refused)
BOTH(pipelined)
BOTH(freed_at_once)
BOTH(threads)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_whole_by_both),	 cmocka_unit_test(counted_by_both),
		cmocka_unit_test(tiles_by_both),	 cmocka_unit_test(refused_by_both),
		cmocka_unit_test(pipelined_by_both),	 cmocka_unit_test(freed_at_once_by_both),
		cmocka_unit_test(threads_by_both),	 cmocka_unit_test(restarted),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
