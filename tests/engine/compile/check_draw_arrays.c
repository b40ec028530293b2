/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that are arrays in requests: tiles, inline data and earlier steps; in parts, programs, prepared calls; and
 * what is refused. */
#include <math.h>

#include "engine/harness.h"
#include "rng/stream.h"

enum { N = 20011, LENGTH = 7 };

static const double means[LENGTH] = {0, 1000, -3, 1e6, 5, 77, 0.25}, lams[LENGTH] = {0, 1, 9, 11, 300, 1e5, 1e9};

static struct value tile_param(struct call *call, struct value tile)
{
	struct value map = value_map();

	value_put(call->bump, &map, "tile", tile);
	return map;
}

static struct value text_list(struct call *call, const char *text)
{
	struct value list = value_array();

	value_push(call->bump, &list, value_string(text));
	return list;
}

static void put_step(struct call *call, struct value *steps, const char *op, const char *as, struct value step)
{
	value_put(call->bump, &step, "op", value_string(op));
	if (as)
		value_put(call->bump, &step, "as", value_string(as));
	value_push(call->bump, steps, step);
}

static const double *data_of(const struct value *reply)
{
	return (const double *)value_get(reply, "data")->bytes.at;
}

/* Normals of std 0: each sample is its own mean, whichever element that was. */
static struct call *means_call(uint64_t n)
{
	struct call *call = call_new();

	put(call, "n", value_uint(n));
	put(call, "dtype", value_string("f64"));
	put(call, "std", value_uint(0));
	put(call, "mean", array_of(call->bump, "f64", LENGTH, means, sizeof means));
	return call;
}

static void expect_means(const struct value *reply, uint64_t first, uint64_t n)
{
	const double *x = data_of(reply);

	assert_int_equal(value_get(reply, "data")->bytes.size, n * sizeof *x);
	for (uint64_t i = 0; i < n; i++)
		if (x[i] != means[(first + i) % LENGTH])
			fail_msg("sample %llu: expected mean %g, got %g", (unsigned long long)i,
				 means[(first + i) % LENGTH], x[i]);
}

/* Elements are counted from the start of the draw, which is where position leads; offset and rank count on from it. */
static void elements_are_counted_from_the_draws_start(void **state)
{
	static const struct {
		uint64_t position, offset, rank, size;
	} rows[] = {{0, 0, 0, 1}, {0, 5, 0, 1}, {1000, 0, 0, 1}, {1000, 12, 0, 1}, {4, 3, 2, 3}, {0, 0, 127, 128}};
	struct fixture fixture = fixture_open(4);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct call *call = means_call(N);
		uint64_t begin, end;

		put(call, "position", value_uint(rows[i].position));
		put(call, "offset", value_uint(rows[i].offset));
		put(call, "rank", value_uint(rows[i].rank));
		put(call, "size", value_uint(rows[i].size));
		stream_partition(N, rows[i].rank, rows[i].size, &begin, &end);
		expect_means(call_run(call, fixture.memory, "normal"), rows[i].offset + begin, end - begin);
		call_free(call);
	}
	fixture_close(&fixture);
}

/* Of a program's draws, each begins with its elements 0. */
static void each_draw_of_a_program_begins_anew(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct call *call = call_new();
	struct value steps = value_array(), step;
	const struct value *reply, *results;
	struct call *ones[2];

	(void)state;
	step = value_map();
	value_put(call->bump, &step, "n", value_uint(5));
	put_step(call, &steps, "uniform", NULL, step);
	for (int i = 0; i < 2; i++) {
		ones[i] = means_call(N);
		step = ones[i]->params;
		put_step(call, &steps, "normal", i ? "b" : "a", step);
	}
	struct value wanted = text_list(call, "a");

	value_push(call->bump, &wanted, value_string("b"));
	put(call, "steps", steps);
	put(call, "results", wanted);
	reply = call_run(call, fixture.memory, "run");
	results = value_get(reply, "results");
	expect_means(value_get(results, "a"), 0, N);
	expect_means(value_get(results, "b"), 0, N);
	call_free(call);
	for (int i = 0; i < 2; i++) {
		bump_free(ones[i]->bump);
		free(ones[i]);
	}
	fixture_close(&fixture);
}

/* The same samples from a tile, inline data of any alignment, and the result of an earlier step. */
static void every_source_gives_the_same(void **state)
{
	static char unaligned[sizeof lams + 1];
	struct fixture fixture = fixture_open(2);
	struct call *call = call_new(), *other;
	int64_t *expected = malloc(N * sizeof *expected);
	void *at;
	const uint64_t tile = tile_of(&fixture, "f64", LENGTH, &at);

	(void)state;
	assert_non_null(expected);
	memcpy(at, lams, sizeof lams);
	memcpy(unaligned + 1, lams, sizeof lams);
	put(call, "n", value_uint(N));
	put(call, "lam", tile_param(call, value_uint(tile)));
	memcpy(expected, data_of(call_run(call, fixture.memory, "poisson")), N * sizeof *expected);
	call_free(call);
	for (size_t shift = 0; shift < 2; shift++) {
		other = call_new();
		put(other, "n", value_uint(N));
		put(other, "lam", array_of(other->bump, "f64", LENGTH, shift ? unaligned + 1 : (const char *)lams, sizeof lams));
		assert_memory_equal(expected, data_of(call_run(other, fixture.memory, "poisson")), N * sizeof *expected);
		call_free(other);
	}
	/* scale makes the array in the same program; its tile is written over afterwards. */
	other = call_new();
	struct value steps = value_array(), step = value_map();

	for (size_t i = 0; i < LENGTH; i++)
		((double *)at)[i] = 2 * lams[i];
	value_put(other->bump, &step, "in", value_uint(tile));
	value_put(other->bump, &step, "by", value_real(0.5));
	put_step(other, &steps, "scale", "half", step);
	step = value_map();
	value_put(other->bump, &step, "n", value_uint(N));
	value_put(other->bump, &step, "lam", tile_param(other, value_string("half")));
	put_step(other, &steps, "poisson", "counts", step);
	put(other, "steps", steps);
	put(other, "results", text_list(other, "counts"));
	assert_memory_equal(expected,
			    data_of(value_get(value_get(call_run(other, fixture.memory, "run"), "results"), "counts")),
			    N * sizeof *expected);
	call_free(other);
	free(expected);
	fixture_close(&fixture);
}

/* A step reads an array that the step before it makes, and another step then overwrites it: all of the same length, so
 * that only the array keeps them apart. */
static void steps_wait_for_the_whole_array(void **state)
{
	enum { LONG = 300000 };
	struct fixture fixture = fixture_open(4);
	struct call *call = call_new();
	struct value steps = value_array(), step = value_map();
	void *at, *out;
	const uint64_t tile = tile_of(&fixture, "f64", LONG, &at), result = tile_of(&fixture, "f64", LONG, &out);

	(void)state;
	for (size_t i = 0; i < LONG; i++)
		((double *)at)[i] = (double)i;
	value_put(call->bump, &step, "in", value_uint(tile));
	value_put(call->bump, &step, "plus", value_uint(1));
	value_put(call->bump, &step, "out", value_uint(tile));
	put_step(call, &steps, "scale", NULL, step);
	step = value_map();
	/* Sample i takes element i + 250,000. */
	value_put(call->bump, &step, "offset", value_uint(250000));
	value_put(call->bump, &step, "std", value_uint(0));
	value_put(call->bump, &step, "mean", tile_param(call, value_uint(tile)));
	value_put(call->bump, &step, "out", value_uint(result));
	put_step(call, &steps, "normal", NULL, step);
	step = value_map();
	value_put(call->bump, &step, "in", value_uint(tile));
	value_put(call->bump, &step, "by", value_uint(0));
	value_put(call->bump, &step, "out", value_uint(tile));
	put_step(call, &steps, "scale", NULL, step);
	put(call, "steps", steps);
	call_run(call, fixture.memory, "run");
	for (size_t i = 0; i < LONG; i++)
		if (((double *)out)[i] != (double)((i + 250000) % LONG) + 1)
			fail_msg("sample %zu: expected mean %zu, got %g", i, (i + 250000) % LONG + 1,
				 ((double *)out)[i]);
	call_free(call);
	fixture_close(&fixture);
}

static uint64_t prepare(struct fixture *fixture, struct value params)
{
	struct call *call = call_new();
	uint64_t handle;

	put(call, "method", value_string("normal"));
	put(call, "params", params);
	handle = value_get(call_run(call, fixture->memory, "prepare"), "prepared")->u;
	call_free(call);
	return handle;
}

/* A prepared call keeps inline elements, and reads those that a tile has at each run. */
static void prepared_calls_read_their_arrays(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct call *call = means_call(N), *run;
	void *at, *other_at;
	const uint64_t tile = tile_of(&fixture, "f64", LENGTH, &at), other = tile_of(&fixture, "f64", LENGTH, &other_at);
	uint64_t kept = prepare(&fixture, call->params);

	(void)state;
	bump_free(call->bump);
	free(call);
	for (int i = 0; i < 3; i++) {
		run = call_new();
		put(run, "prepared", value_uint(kept));
		put(run, "offset", value_uint(3));
		expect_means(call_run(run, fixture.memory, "run_prepared"), 3, N);
		call_free(run);
	}
	call = means_call(N);
	put(call, "mean", tile_param(call, value_uint(tile)));
	kept = prepare(&fixture, call->params);
	bump_free(call->bump);
	free(call);
	memcpy(other_at, means, sizeof means);
	for (int i = 0; i < 2; i++) {
		struct value tiles = value_array();

		memcpy(at, means, sizeof means);
		run = call_new();
		put(run, "prepared", value_uint(kept));
		if (i) {
			value_push(run->bump, &tiles, value_uint(other));
			put(run, "tiles", tiles);
			memset(at, 0, sizeof means);
		}
		expect_means(call_run(run, fixture.memory, "run_prepared"), 0, N);
		call_free(run);
	}
	fixture_close(&fixture);
}

/* Noise whose deviation is the element's own: zeros stay what they were. */
static void noise_add_takes_arrays(void **state)
{
	static const double x[4] = {1, 2, 3, 4}, std[2] = {0, 1};
	struct fixture fixture = fixture_open(2);
	struct call *call = call_new();
	struct value noise = value_map();
	const double *out;

	(void)state;
	value_put(call->bump, &noise, "op", value_string("normal"));
	value_put(call->bump, &noise, "std", array_of(call->bump, "f64", 2, std, sizeof std));
	put(call, "in", array_of(call->bump, "f64", 4, x, sizeof x));
	put(call, "noise", noise);
	out = data_of(call_run(call, fixture.memory, "noise_add"));
	assert_true(out[0] == 1 && out[1] != 2 && out[2] == 3 && out[3] != 4);
	call_free(call);
	fixture_close(&fixture);
}

/* ---- refused ---- */

static struct call *poisson_call(struct value lam)
{
	struct call *call = call_new();

	put(call, "n", value_uint(N));
	put(call, "lam", lam);
	return call;
}

static void a_wrong_element_is_named(void **state)
{
	struct fixture fixture = fixture_open(4);
	struct call *call = call_new();
	double *at;
	const uint64_t tile = tile_of(&fixture, "f64", N, (void **)&at);

	(void)state;
	for (size_t i = 0; i < N; i++)
		at[i] = 1;
	at[19000] = at[12345] = -1;
	put(call, "n", value_uint(N));
	put(call, "lam", tile_param(call, value_uint(tile)));
	call_fails(call, fixture.memory, "poisson", ERROR_OUT_OF_RANGE,
		   "out_of_range: poisson: lam: element 12345: got -1, allowed is 0 to 1e+15");
	fixture_close(&fixture);
}

static void wrong_arrays_are_refused(void **state)
{
	static const double one = 1;
	struct fixture fixture = fixture_open(1);
	struct call *call;
	void *at;
	const uint64_t tile = tile_of(&fixture, "i64", N, &at);

	(void)state;
	call = poisson_call(value_map());
	call_fails(call, fixture.memory, "poisson", ERROR_MISSING_PARAMETER, "missing_parameter: poisson: lam: it has no dtype");
	call = poisson_call(value_nil());
	put(call, "lam", array_of(call->bump, "f64", 0, &one, 0));
	call_fails(call, fixture.memory, "poisson", ERROR_BAD_SHAPE, "bad_shape: poisson: lam: the array is f64 (0)");
	call = poisson_call(value_nil());
	put(call, "lam", array_of(call->bump, "f16", 4, &one, sizeof one));
	call_fails(call, fixture.memory, "poisson", ERROR_BAD_SHAPE, "bad_shape: poisson: lam: the array's dtype is f16");
	call = poisson_call(value_nil());
	put(call, "lam", tile_param(call, value_uint(99)));
	call_fails(call, fixture.memory, "poisson", ERROR_BAD_TILE, "bad_tile: poisson: lam: ");
	call = poisson_call(value_nil());
	put(call, "lam", tile_param(call, value_string("name")));
	call_fails(call, fixture.memory, "poisson", ERROR_WRONG_TYPE, "wrong_type: poisson: lam: got a map with tile");
	call = poisson_call(value_nil());
	put(call, "lam", tile_param(call, value_uint(tile)));
	put(call, "out", value_uint(tile));
	call_fails(call, fixture.memory, "poisson", ERROR_BAD_TILE, "bad_tile: poisson: lam: the array is the output");
	call = poisson_call(value_nil());
	put(call, "items", array_of(call->bump, "f64", 1, &one, sizeof one));
	call_fails(call, fixture.memory, "permutation", ERROR_UNKNOWN_PARAMETER, "");
	call = call_new();
	put(call, "n", value_uint(5));
	put(call, "items", array_of(call->bump, "f64", 1, &one, sizeof one));
	call_fails(call, fixture.memory, "permutation", ERROR_WRONG_TYPE, "wrong_type: permutation: items: got a map");
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_counted_from_the_draws_start),
		cmocka_unit_test(each_draw_of_a_program_begins_anew),
		cmocka_unit_test(every_source_gives_the_same),
		cmocka_unit_test(steps_wait_for_the_whole_array),
		cmocka_unit_test(prepared_calls_read_their_arrays),
		cmocka_unit_test(noise_add_takes_arrays),
		cmocka_unit_test(a_wrong_element_is_named),
		cmocka_unit_test(wrong_arrays_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
