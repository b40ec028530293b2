/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that are arrays in requests: tiles, inline data and earlier steps; in parts, programs, prepared calls; and
 * what is refused. */
#include <math.h>

#include "engine/harness.h"
#include "engine/operations/bind.h"
#include "engine/operations/params.h"
#include "rng/stream.h"

enum { N = 20011, LENGTH = 7, SAMPLES = 1201 };

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
		stream_rank_part(N, rows[i].rank, rows[i].size, &begin, &end);
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

/* ---- every distribution, dtype and parameter ---- */

/* A value that the row allows beside the fallbacks of the others. */
static double good_of(const struct operation *draw, const struct param *param)
{
	if (param->fallback && *param->fallback)
		return strtod(param->fallback, NULL);
	if (strcmp(param->name, "high") == 0)
		return 50;
	if (strcmp(draw->name, "hypergeometric") == 0)
		return 20;
	return param->max > 0 && param->max <= 1 ? 0.375 : strcmp(param->name, "a") == 0 ? 2.5 : 3;
}

/* The numbers that the distribution must have, but for the given parameter. */
static struct call *draw_call(const struct operation *draw, const struct value *dtype, size_t left_out)
{
	struct call *call = call_new();

	put(call, "n", value_uint(SAMPLES));
	put(call, "seed", value_uint(5));
	put(call, "dtype", *dtype);
	for (size_t p = DRAW_COMMON; p < draw->n_params; p++)
		if (p != left_out && !draw->params[p].fallback && draw->params[p].type != PARAM_ANY)
			put(call, draw->params[p].name, value_real(good_of(draw, &draw->params[p])));
	return call;
}

/* An array of equal elements; with `method` where the distribution has one. */
static const struct value *draw_with(struct fixture *fixture, const struct operation *draw, const struct value *dtype, size_t p,
				     const char *method, bool as_array, struct call **ret_call)
{
	static double elements[SAMPLES];
	static int64_t integers[SAMPLES];
	const bool whole = draw->params[p].type == PARAM_INT;
	const double good = good_of(draw, &draw->params[p]);
	struct call *call = draw_call(draw, dtype, p);

	for (size_t i = 0; i < SAMPLES; i++) {
		elements[i] = good;
		integers[i] = (int64_t)good;
	}
	if (method)
		put(call, "method", value_string(method));
	if (!as_array)
		put(call, draw->params[p].name, value_real(good));
	else if (whole)
		put(call, draw->params[p].name,
		    array_of(call->bump, memcmp(dtype->bytes.at, "u64", 3) == 0 ? "u64" : "i64", SAMPLES, integers, sizeof integers));
	else
		put(call, draw->params[p].name, array_of(call->bump, "f64", SAMPLES, elements, sizeof elements));
	*ret_call = call;
	return call_run(call, fixture->memory, draw->name);
}

/* Counts and gammas have other kernels for arrays, of the same distribution. */
static bool has_same_samples(const struct operation *draw)
{
	static const char *const others[] = {"poisson", "binomial", "gamma", "chi_squared", "beta", "negative_binomial", "f", "geometric",
					     "noncentral_chi_squared", "noncentral_f", "standard_t"};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(draw->name, others[i]) == 0)
			return false;
	return true;
}

/* An array of equal elements gives the samples of that number. */
static void expect_same_samples(struct fixture *fixture, const struct operation *draw, const struct value *dtype, size_t p,
				const char *method)
{
	struct call *one, *each;
	const struct value *x = draw_with(fixture, draw, dtype, p, method, false, &one);
	const struct value *y = draw_with(fixture, draw, dtype, p, method, true, &each);
	const struct value *a = value_get(x, "data"), *b = value_get(y, "data");

	assert_int_equal(a->bytes.size, b->bytes.size);
	if (has_same_samples(draw) && memcmp(a->bytes.at, b->bytes.at, a->bytes.size) != 0)
		fail_msg("%s %.*s: an array of equal %s gives other samples than the number", draw->name, (int)dtype->bytes.size,
			 dtype->bytes.at, draw->params[p].name);
	call_free(one);
	call_free(each);
}

/* What takes no arrays says so, and names the parameters that do. */
static void expect_no_array(struct fixture *fixture, const struct operation *draw, const struct value *dtype, size_t p)
{
	struct call *call = draw_call(draw, dtype, p);
	double one = 1;
	const struct error *error;

	put(call, draw->params[p].name, array_of(call->bump, "f64", 1, &one, sizeof one));
	call_start(call, fixture->memory, draw->name);
	call_wait(call);
	error = request_error(call->request);
	if (!error || error->code != ERROR_WRONG_TYPE || !strstr(error->text, draw->params[p].name) ||
	    !strstr(error->text, "may be an array"))
		fail_msg("%s: %s: expected that no array is allowed, got %s", draw->name, draw->params[p].name,
			 error ? error->text : "samples");
	call_free(call);
}

static void every_parameter_is_an_array_or_says_why_not(void **state)
{
	struct fixture fixture = fixture_open(1);
	size_t count, taken = 0, refused = 0;
	const struct operation *all = operations(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		if (all[i].class != METHOD_DRAW)
			continue;
		for (unsigned d = 0; d < 8; d++) {
			const char *choices = all[i].params[DRAW_DTYPE].choices;
			const struct value dtype = bind_choice_text(&all[i].params[DRAW_DTYPE], d);

			for (size_t p = DRAW_COMMON; p < all[i].n_params; p++) {
				const enum param_type type = all[i].params[p].type;

				if (operation_takes_array(&all[i], p)) {
					expect_same_samples(&fixture, &all[i], &dtype, p, NULL);
					taken++;
				} else if (type == PARAM_F64 || type == PARAM_U64 || type == PARAM_INT) {
					expect_no_array(&fixture, &all[i], &dtype, p);
					refused++;
				}
				if (strcmp(all[i].name, "normal") == 0 && p < DRAW_COMMON + 2)
					expect_same_samples(&fixture, &all[i], &dtype, p, "boxmuller64");
			}
			if (dtype.bytes.at + dtype.bytes.size == choices + strlen(choices))
				break;
		}
	}
	assert_true(taken > 80 && refused > 3);
	fixture_close(&fixture);
}

/* Half-open also where the arithmetic rounds up, for each element. */
static void uniforms_of_16_bits_stay_below_high(void **state)
{
	static const struct {
		double low, high;
	} ends[] = {{0, 1}, {-1, 0}, {1, 1.0009765625}, {-3, -1}, {0, 0x1p-14}, {0, 0x1p-24}, {-0x1p-24, 0}, {2047, 2049}, {0.99, 1},
		    {-1e-3, 1e-3}, {100, 100.3}, {0, 1e-10}, {-1e-10, 0}, {65000, 65504}};
	static const char *const dtypes[] = {"f16", "bf16"};
	static double low[SAMPLES], high[SAMPLES];
	struct fixture fixture = fixture_open(1);

	(void)state;
	for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
		for (size_t d = 0; d < 2; d++) {
			struct call *one = call_new(), *each = call_new();
			const struct value *x, *y;

			for (size_t i = 0; i < SAMPLES; i++) {
				low[i] = ends[e].low;
				high[i] = ends[e].high;
			}
			put(one, "low", value_real(ends[e].low));
			put(one, "high", value_real(ends[e].high));
			put(each, "low", array_of(each->bump, "f64", SAMPLES, low, sizeof low));
			put(each, "high", array_of(each->bump, "f64", SAMPLES, high, sizeof high));
			for (int k = 0; k < 2; k++) {
				put(k ? one : each, "n", value_uint(SAMPLES));
				put(k ? one : each, "seed", value_uint(9));
				put(k ? one : each, "dtype", value_string(dtypes[d]));
			}
			x = call_run(one, fixture.memory, "uniform");
			y = call_run(each, fixture.memory, "uniform");
			if (memcmp(value_get(x, "data")->bytes.at, value_get(y, "data")->bytes.at, 2 * SAMPLES) != 0)
				fail_msg("%s uniforms in [%g, %g) differ by arrays and by numbers", dtypes[d], ends[e].low, ends[e].high);
			call_free(one);
			call_free(each);
		}
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
		cmocka_unit_test(every_parameter_is_an_array_or_says_why_not),
		cmocka_unit_test(uniforms_of_16_bits_stay_below_high),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
