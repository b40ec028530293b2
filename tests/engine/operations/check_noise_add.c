/* SPDX-License-Identifier: Apache-2.0 */
/* noise_add: x + sigma noise as the kernels draw it and one fma gives it, real and complex, in place, in programs. */
#include <math.h>

#include "distributions/draw/draw_fill.h"
#include "distributions/draw/draw_prepare.h"
#include "engine/harness.h"

enum { N = 40001 };

/* n samples of a distribution with parameters a, b, by the scalar kernels. */
static double *samples(const char *distribution, enum dtype dtype, uint64_t begin, size_t n, double a, double b)
{
	struct draw draw = {.distribution = dist_find(distribution, strlen(distribution)),
			    .dtype = dtype,
			    .stream = {GENERATOR_PHILOX4X32, 7, 8}};
	struct draw_kernels kernels;
	struct dist_fault fault;
	double *x = malloc(n * sizeof *x);
	float *narrow = (float *)x;
	void *table;

	assert_non_null(x);
	draw.parameters[0].real = a;
	draw.parameters[1].real = b;
	assert_int_equal(draw_prepare(&draw, NULL, 0, &table, &fault), 0);
	draw_select(0, &kernels);
	draw_fill(&kernels, &draw, begin, n, x);
	free(table);
	for (size_t i = n; i-- > 0;)
		x[i] = dtype == DTYPE_F32   ? (double)narrow[i]
		       : dtype == DTYPE_U32 ? ((uint32_t *)x)[i]
		       : dtype == DTYPE_I8  ? ((int8_t *)x)[i]
		       : dtype == DTYPE_I64 ? (double)((int64_t *)x)[i]
					    : x[i];
	return x;
}

static struct value noise_of(struct call *call, const char *op, uint64_t offset)
{
	struct value noise = value_map();

	value_put(call->bump, &noise, "op", value_string(op));
	value_put(call->bump, &noise, "generator", value_string("philox4x32"));
	value_put(call->bump, &noise, "seed", value_uint(7));
	value_put(call->bump, &noise, "stream", value_uint(8));
	value_put(call->bump, &noise, "offset", value_uint(offset));
	return noise;
}

/* Counts have dtypes of their own. */
static enum dtype drawn_in(const char *distribution, bool wide)
{
	const char *const own = strcmp(distribution, "bernoulli") == 0 ? "i8"
				: strcmp(distribution, "bits") == 0    ? "u32"
								       : "i64";
	const enum dtype dtype = wide ? DTYPE_F64 : DTYPE_F32;

	return dist_has_dtype(dist_find(distribution, strlen(distribution)), dtype) ? dtype
										    : dtype_parse(own, strlen(own));
}

/* In place in a tile of that dtype; each element holds its index. */
static void check(struct fixture *fixture, const char *distribution, const char *dtype, double a, double b)
{
	const enum dtype d = dtype_parse(dtype, strlen(dtype));
	const bool wide = d == DTYPE_F64 || d == DTYPE_C128;
	const size_t n = dtype_is_complex(d) ? 2 * N : N;
	double *noise = samples(distribution, drawn_in(distribution, wide), 13, n, a, b);
	struct call *call = call_new();
	void *at;
	const uint64_t tile = tile_of(fixture, dtype, N, &at);
	const struct value *reply;

	for (size_t i = 0; i < n; i++)
		if (wide)
			((double *)at)[i] = (double)i;
		else
			((float *)at)[i] = (float)i;
	put(call, "in", value_uint(tile));
	put(call, "out", value_uint(tile));
	put(call, "sigma", value_real(0.3));
	put(call, "noise", noise_of(call, distribution, 13));
	reply = call_run(call, fixture->memory, "noise_add");
	assert_int_equal(value_get(value_get(reply, "noise"), "seed")->u, 7);
	for (size_t i = 0; i < n; i++) {
		const double sum = fma(0.3, wide ? noise[i] : (double)(float)noise[i], (double)i);
		const double got = wide ? ((double *)at)[i] : (double)((float *)at)[i];

		if (got != (wide ? sum : (double)(float)sum))
			fail_msg("%s %s element %zu: expected %.17g, got %.17g", distribution, dtype, i, sum, got);
	}
	call_free(call);
	tile_drop(fixture, tile);
	free(noise);
}

static void every_dtype(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		check(&fixture, "normal", dtypes[i], 0, 1);
		check(&fixture, "laplace", dtypes[i], 0, 1);
		check(&fixture, "uniform", dtypes[i], 0, 1);
	}
	fixture_close(&fixture);
}

/* Draws of a program go on where the last one of their stream ended, those of noise_add too. */
/* Counts and signs become numbers; the parts of a complex number take two of them. */
static void integer_distributions(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		check(&fixture, "poisson", dtypes[i], 1, 0);
		check(&fixture, "bernoulli", dtypes[i], 0.5, 0);
		check(&fixture, "geometric", dtypes[i], 0.5, 0);
		check(&fixture, "bits", dtypes[i], 0, 0);
		check(&fixture, "rademacher", dtypes[i], 0, 0);
	}
	fixture_close(&fixture);
}

/* Of points on a sphere: each three numbers in turn have the length 1, times sigma. */
static void vector_distributions(void **state)
{
	enum { POINTS = 5000 };
	static float zeros[3 * POINTS];
	struct fixture fixture = fixture_open(2);
	struct call *call = call_new(), *draw = call_new();
	const struct value *sum, *points;

	(void)state;
	put(call, "in", array_of(call->bump, "f32", 3 * POINTS, zeros, sizeof zeros));
	put(call, "noise", noise_of(call, "sphere", 5));
	sum = value_get(call_run(call, fixture.memory, "noise_add"), "data");
	draw->params = noise_of(draw, "sphere", 5);
	draw->params.map.at[0] = draw->params.map.at[--draw->params.map.count]; /* drops op */
	put(draw, "n", value_uint(POINTS));
	points = value_get(call_run(draw, fixture.memory, "sphere"), "data");
	assert_int_equal(points->bytes.size, sum->bytes.size);
	assert_memory_equal(points->bytes.at, sum->bytes.at, sum->bytes.size);
	call_free(call);
	call_free(draw);
	fixture_close(&fixture);
}

static void in_a_program(void **state)
{
	enum { FEW = 6 };
	static const float zeros[FEW];
	struct fixture fixture = fixture_open(1);
	struct call *call = call_new();
	struct value steps = value_array(), results = value_array();
	const struct value *got;
	double *first = samples("normal", DTYPE_F32, 0, FEW, 0, 1),
	       *second = samples("normal", DTYPE_F32, 8, FEW, 0, 1);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct value step = value_map();

		value_put(call->bump, &step, "op", value_string("noise_add"));
		value_put(call->bump, &step, "in", array_of(call->bump, "f32", FEW, zeros, sizeof zeros));
		value_put(call->bump, &step, "as", value_string(i ? "b" : "a"));
		value_push(call->bump, &steps, step);
		value_push(call->bump, &results, value_string(i ? "b" : "a"));
	}
	put(call, "steps", steps);
	put(call, "results", results);
	put(call, "generator", value_string("philox4x32"));
	put(call, "seed", value_uint(7));
	put(call, "stream", value_uint(8));
	got = value_get(call_run(call, fixture.memory, "run"), "results");
	for (unsigned i = 0; i < FEW; i++) {
		float a, b;

		memcpy(&a, value_get(value_get(got, "a"), "data")->bytes.at + i * sizeof a, sizeof a);
		memcpy(&b, value_get(value_get(got, "b"), "data")->bytes.at + i * sizeof b, sizeof b);
		assert_true((double)a == first[i] && (double)b == second[i]);
	}
	call_free(call);
	free(first);
	free(second);
	fixture_close(&fixture);
}

static struct call *with(const char *op, const char *member)
{
	static const float ones[4] = {1, 1, 1, 1};
	struct call *call = call_new();
	struct value noise = value_map();

	value_put(call->bump, &noise, "op", value_string(op));
	if (member)
		value_put(call->bump, &noise, member, value_uint(3));
	put(call, "in", array_of(call->bump, "f32", 4, ones, sizeof ones));
	put(call, "noise", noise);
	return call;
}

/* noise = {op: normal, std: 3, std: 3}: value_put would have replaced the first. */
static struct call *with_std_twice(void)
{
	struct call *call = with("normal", "std");
	struct value *noise = (struct value *)value_get(&call->params, "noise");

	value_add(call->bump, noise, "std", value_uint(3));
	return call;
}

static void errors(void **state)
{
	struct fixture fixture = fixture_open(1);

	(void)state;
	call_fails(with_std_twice(), fixture.memory, "noise_add", ERROR_OUT_OF_RANGE,
		   "out_of_range: noise_add: std: given twice, allowed is once");
	call_fails(with("fft", NULL), fixture.memory, "noise_add", ERROR_UNKNOWN_METHOD,
		   "unknown_method: noise_add: noise: op \"fft\" is not a distribution");
	call_fails(with("normal", "n"), fixture.memory, "noise_add", ERROR_UNKNOWN_PARAMETER,
		   "unknown_parameter: noise_add: noise: it has n");
	call_fails(with("normal", "frob"), fixture.memory, "noise_add", ERROR_UNKNOWN_PARAMETER,
		   "unknown_parameter: noise_add: frob");
	call_fails(with("sphere", NULL), fixture.memory, "noise_add", ERROR_BAD_SHAPE,
		   "bad_shape: noise_add: n: there are 4 elements, allowed are multiples of 3");
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_dtype),
		cmocka_unit_test(integer_distributions),
		cmocka_unit_test(vector_distributions),
		cmocka_unit_test(in_a_program),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
