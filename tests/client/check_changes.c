/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are run again, with changes: each run gives what a call gives that states all of it itself, whether it is
 * sent whole, as a run of its prepared form, or run in the caller's thread. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "both.h"

enum { RUNS = 8, N = 300, LARGE = 40000 };

/* Seed, stream and offset of a run; given: which of them, bit by bit. */
enum { SEED = 1, STREAM = 2, OFFSET = 4, ALL = 7 };
struct numbers {
	unsigned given;
	uint64_t seed, stream, offset;
};

static void list_numbers(const struct numbers *numbers, struct trnsci_param list[4])
{
	if (numbers->given & SEED)
		*list++ = trnsci_param_u64("seed", numbers->seed);
	if (numbers->given & STREAM)
		*list++ = trnsci_param_i64("stream", (int64_t)numbers->stream);
	if (numbers->given & OFFSET)
		*list++ = trnsci_param_u64("offset", numbers->offset);
	*list = trnsci_param_end();
}

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
			const struct numbers *changes)
{
	struct trnsci_array got = array_of(call), expected;
	struct trnsci_param list[4];

	list_numbers(changes, list);
	trnsci_set_params(trnsci_call_args(whole), list);
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
			const struct numbers changes = {.given = i % 5 ? i % 8 : 0, .seed = 40 + i / 3, .stream = i % 2, .offset = 16 * i};
			struct trnsci_param list[4];

			list_numbers(&changes, list);
			assert_int_equal(trnsci_run(call, i % 5 ? list : NULL), 0);
			expect_same(kinds[k].name, call, kinds[k].make(session), &changes);
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

static int run_with(struct trnsci_call *call, const char *first, struct trnsci_tile *tile, const char *second,
		    struct trnsci_tile *other)
{
	const struct trnsci_param list[] = {trnsci_param_tile(first, tile), second ? trnsci_param_tile(second, other) : trnsci_param_end(),
					    trnsci_param_end()};

	return trnsci_run(call, list);
}

static void expect_error(struct trnsci_call *call, int r, int code, const char *text)
{
	assert_int_equal(r, -code);
	assert_string_equal(trnsci_call_error(call)->text, text);
}

static void tiles(struct trnsci_session *session)
{
	struct trnsci_tile *tile[4], *small = new_tile(session, TRNSCI_F32, 8), *wide = new_tile(session, TRNSCI_F64, N);
	struct trnsci_call *call;

	for (int i = 0; i < 4; i++)
		tile[i] = new_tile(session, TRNSCI_F32, N);
	call = scaling(session, tile[0], tile[1]);
	for (int i = 0; i < 12; i++) {
		const int from = i % 4, to = (i + 1 + i / 4) % 4;

		if (from == to)
			continue;
		fill(tile[from], (float)(i + 1));
		fill(tile[to], 0);
		if (i % 2)
			assert_int_equal(run_with(call, "in", tile[from], "out", tile[to]), 0);
		else
			assert_int_equal(run_with(call, "out", tile[to], "in", tile[from]), 0);
		if (((float *)trnsci_tile_data(tile[to]))[N - 1] != (float)(10 * (i + 1)))
			fail_msg("run %d: from tile %d to %d: got %g", i, from, to,
				 (double)((float *)trnsci_tile_data(tile[to]))[N - 1]);
	}
	for (int i = 0; i < 3; i++) { /* whole, and prepared */
		fill(tile[0], 3);
		assert_int_equal(run_with(call, "out", tile[2], NULL, NULL), 0);
		assert_true(((float *)trnsci_tile_data(tile[2]))[0] == 30);
		expect_error(call, run_with(call, "in", small, NULL, NULL), TRNSCI_BAD_SHAPE,
			     "bad_shape: scale: changes: in: got a tile f32 [8], allowed is f32 [300]");
		expect_error(call, run_with(call, "out", wide, NULL, NULL), TRNSCI_BAD_SHAPE,
			     "bad_shape: scale: changes: out: got a tile f64 [300], allowed is f32 [300]");
		expect_error(call, run_with(call, "in", tile[1], NULL, NULL), TRNSCI_BAD_TILE,
			     "bad_tile: scale: changes: in: the tile would stand for two, allowed is for one");
		expect_error(call, run_with(call, "out", tile[2], "out", tile[3]), TRNSCI_OUT_OF_RANGE,
			     "out_of_range: scale: changes: out: given twice, allowed is once");
	}
	assert_runs(call); /* the call itself is as it was */
	trnsci_tile_free(tile[1]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(trnsci_run(call, NULL), -TRNSCI_BAD_TILE);
		assert_int_equal(run_with(call, "out", tile[3], NULL, NULL), 0);
	}
	trnsci_call_free(call);
	for (int i = 0; i < 4; i++)
		if (i != 1)
			trnsci_tile_free(tile[i]);
	trnsci_tile_free(small);
	trnsci_tile_free(wide);
}

/* In place, both names are of one tile. */
static void in_place(struct trnsci_session *session)
{
	struct trnsci_tile *own = new_tile(session, TRNSCI_F32, N), *other = new_tile(session, TRNSCI_F32, N),
			   *third = new_tile(session, TRNSCI_F32, N);
	struct trnsci_call *call = scaling(session, own, own);

	for (int i = 0; i < 6; i++) {
		fill(own, 1);
		fill(other, 2);
		assert_int_equal(i % 2 ? run_with(call, "in", other, NULL, NULL) : run_with(call, "in", other, "out", other), 0);
		assert_true(((float *)trnsci_tile_data(other))[0] == 20 && ((float *)trnsci_tile_data(own))[0] == 1);
		expect_error(call, run_with(call, "in", other, "out", third), TRNSCI_BAD_TILE,
			     "bad_tile: scale: changes: out: its tile has another in its place already, allowed is one");
	}
	trnsci_call_free(call);
	trnsci_tile_free(own);
	trnsci_tile_free(other);
	trnsci_tile_free(third);
}

/* Adds steps from tile i to tile i + 1 each: all double it but the last, which adds noise of the standard deviation in a tile. */
static void add_chain(struct trnsci_call *call, int n_steps, struct trnsci_tile *const tile[], struct trnsci_tile *std)
{
	struct trnsci_args *noise;

	for (int i = 0; i < n_steps; i++) {
		struct trnsci_args *step = trnsci_program_step(call, i == n_steps - 1 ? "noise_add" : "scale");

		trnsci_set(step, trnsci_param_tile("in", tile[i]));
		trnsci_set(step, trnsci_param_tile("out", tile[i + 1]));
		if (i < n_steps - 1) {
			trnsci_set(step, trnsci_param_f64("by", 2));
			continue;
		}
		noise = trnsci_set_map(step, "noise");
		trnsci_set(noise, trnsci_param_text("op", "normal"));
		trnsci_set(noise, trnsci_param_tile_elements("std", std));
	}
}

/* A chain of steps, each from tile i to tile i + 1: any of them can be another one, up to six in a run. Sample k of the last step's
 * noise has the standard deviation that element k of its own tile states. */
static void by_step(struct trnsci_session *session)
{
	enum { STEPS = 9 };
	struct trnsci_tile *tile[STEPS + 1], *other = new_tile(session, TRNSCI_F32, N), *end = new_tile(session, TRNSCI_F32, N),
			   *std = new_tile(session, TRNSCI_F64, 1), *zero = new_tile(session, TRNSCI_F64, 1);
	struct trnsci_call *call = new_call(session, "run");
	struct trnsci_param many[8];
	char names[7][8];

	*(double *)trnsci_tile_data(std) = 1;
	*(double *)trnsci_tile_data(zero) = 0;
	for (int i = 0; i <= STEPS; i++)
		tile[i] = new_tile(session, TRNSCI_F32, N);
	add_chain(call, STEPS, tile, std);
	for (int i = 0; i < 6; i++) {
		const struct trnsci_param quiet[] = {trnsci_param_tile("0.in", other), trnsci_param_tile("8.std", zero),
						     trnsci_param_tile("8.out", end), trnsci_param_u64("seed", 5), trnsci_param_end()};

		fill(tile[0], 1);
		fill(other, 3);
		fill(end, 0);
		assert_int_equal(trnsci_run(call, quiet), 0);
		assert_true(((float *)trnsci_tile_data(end))[N - 1] == 3 * 256);
		fill(end, 7);
		assert_runs(call);
		assert_true(((float *)trnsci_tile_data(end))[N - 1] == 7);
		assert_true(((float *)trnsci_tile_data(tile[STEPS - 1]))[N - 1] == 256);
		assert_true(((float *)trnsci_tile_data(tile[STEPS]))[N - 1] != 256);
		expect_error(call, run_with(call, "9.out", end, NULL, NULL), TRNSCI_UNKNOWN_PARAMETER,
			     "unknown_parameter: run: changes: 9.out: not one that a run can change, allowed are seed, stream, offset, "
			     "and tiles: by the parameter, in a program STEP.PARAMETER");
		assert_int_equal(run_with(call, "out", end, NULL, NULL), -TRNSCI_UNKNOWN_PARAMETER);
		assert_int_equal(run_with(call, "1.by", end, NULL, NULL), -TRNSCI_UNKNOWN_PARAMETER);
	}
	for (int i = 0; i < 7; i++) {
		snprintf(names[i], sizeof names[i], "%d.out", i);
		many[i] = trnsci_param_tile(names[i], tile[i]);
	}
	many[7] = trnsci_param_end();
	expect_error(call, trnsci_run(call, many), TRNSCI_OUT_OF_RANGE, "out_of_range: run: changes: 6.out: more than 6 tiles, allowed are 6");
	trnsci_call_free(call);
	for (int i = 0; i <= STEPS; i++)
		trnsci_tile_free(tile[i]);
	trnsci_tile_free(other);
	trnsci_tile_free(end);
	trnsci_tile_free(std);
	trnsci_tile_free(zero);
}

/* What the call cannot be given is refused alike, prepared or not. */
static void refused(struct trnsci_session *session)
{
	struct trnsci_tile *x = new_tile(session, TRNSCI_F32, N), *y = new_tile(session, TRNSCI_F32, N);
	const struct trnsci_param seed[] = {trnsci_param_u64("seed", 0), trnsci_param_end()};
	struct trnsci_call *call = scaling(session, x, y), *draw = small_draw(session);
	const struct {
		struct trnsci_call *call;
		struct trnsci_param param;
		int code;
		const char *text;
	} rows[] = {
		{call, trnsci_param_f64("by", 3), TRNSCI_UNKNOWN_PARAMETER,
		 "unknown_parameter: scale: changes: by: not one that a run can change, allowed are seed, stream, offset, and tiles: "
		 "by the parameter, in a program STEP.PARAMETER"},
		{call, trnsci_param_u64("out", 2), TRNSCI_WRONG_TYPE, "wrong_type: scale: changes: out: no tile, allowed is a tile"},
		{call, trnsci_param_tile("out", NULL), TRNSCI_BAD_TILE, "bad_tile: scale: changes: out: missing, allowed is a tile"},
		{call, trnsci_param_tile(NULL, y), TRNSCI_MISSING_PARAMETER,
		 "missing_parameter: scale: changes: name of a parameter: missing"},
		{draw, trnsci_param_u64("n", 2), TRNSCI_UNKNOWN_PARAMETER,
		 "unknown_parameter: normal: changes: n: not one that a run can change, allowed are seed, stream, offset, and tiles: "
		 "by the parameter, in a program STEP.PARAMETER"},
		{draw, trnsci_param_i64("seed", -1), TRNSCI_OUT_OF_RANGE,
		 "out_of_range: normal: changes: seed: no unsigned integer, allowed are 0 to 2^64 - 1"},
		{draw, trnsci_param_tile("offset", y), TRNSCI_WRONG_TYPE,
		 "wrong_type: normal: changes: offset: no unsigned integer, allowed are 0 to 2^64 - 1"},
		{draw, trnsci_param_text("stream", "x"), TRNSCI_WRONG_TYPE,
		 "wrong_type: normal: changes: stream: no unsigned integer, allowed are 0 to 2^64 - 1"},
	};

	fill(x, 1);
	for (int i = 0; i < 4; i++) {
		for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
			const struct trnsci_param list[] = {rows[k].param, trnsci_param_end()};

			expect_error(rows[k].call, trnsci_run(rows[k].call, list), rows[k].code, rows[k].text);
			expect_error(rows[k].call, trnsci_submit(rows[k].call, list, NULL), rows[k].code, rows[k].text);
		}
		assert_int_equal(trnsci_run(call, seed), -TRNSCI_UNKNOWN_PARAMETER);
		assert_non_null(strstr(trnsci_call_error(call)->text, ": seed: "));
		assert_runs(call);
		assert_runs(draw);
	}
	trnsci_call_free(call);
	trnsci_call_free(draw);
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
		struct numbers changes[CALLS];

		for (uint32_t i = 0; i < CALLS; i++) {
			struct trnsci_param list[4];

			changes[i] = (struct numbers){.given = ALL, .seed = i, .stream = round, .offset = 4 * i};
			list_numbers(&changes[i], list);
			assert_int_equal(trnsci_submit(calls[i], list, NULL), 0);
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

	for (uint64_t i = 0; i < 200; i++) {
		const struct trnsci_param offset[] = {trnsci_param_u64("offset", i), trnsci_param_end()};

		if (trnsci_run(call, offset) < 0)
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
			const struct numbers changes = {.given = ALL, .seed = life, .stream = 1, .offset = i};
			struct trnsci_param list[4];

			list_numbers(&changes, list);
			assert_int_equal(trnsci_run(call, list), 0);
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
BOTH(in_place)
BOTH(by_step)
BOTH(refused)
BOTH(pipelined)
BOTH(freed_at_once)
BOTH(threads)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_whole_by_both),	 cmocka_unit_test(counted_by_both),
		cmocka_unit_test(tiles_by_both),	 cmocka_unit_test(in_place_by_both),
		cmocka_unit_test(by_step_by_both),	 cmocka_unit_test(refused_by_both),
		cmocka_unit_test(pipelined_by_both),	 cmocka_unit_test(freed_at_once_by_both),
		cmocka_unit_test(threads_by_both),	 cmocka_unit_test(restarted),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
