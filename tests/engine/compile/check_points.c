/* SPDX-License-Identifier: Apache-2.0 */
/* Points in requests: each kind as the kernels make it, in parts, in tiles, in programs; the errors that say why. */
#include "distributions/quasi/points.h"

#include "engine/harness.h"

static const struct {
	const char *name, *scramble;
	enum points_kind kind;
	enum points_scramble scrambling;
	enum lhs_method method;
} kinds[] = {
	{"sobol", "none", POINTS_SOBOL, SCRAMBLE_PLAIN, LHS_PERMUTATION},
	{"sobol", "owen", POINTS_SOBOL, SCRAMBLE_OWEN, LHS_PERMUTATION},
	{"sobol", "shift", POINTS_SOBOL, SCRAMBLE_SHIFT, LHS_PERMUTATION},
	{"halton", "none", POINTS_HALTON, SCRAMBLE_PLAIN, LHS_PERMUTATION},
	{"halton", "owen", POINTS_HALTON, SCRAMBLE_OWEN, LHS_PERMUTATION},
	{"halton", "permutation", POINTS_HALTON, SCRAMBLE_PERMUTATION, LHS_PERMUTATION},
	{"lattice", "none", POINTS_LATTICE, SCRAMBLE_PLAIN, LHS_PERMUTATION},
	{"lattice", "shift", POINTS_LATTICE, SCRAMBLE_SHIFT, LHS_PERMUTATION},
	{"lhs", "none", POINTS_LHS, SCRAMBLE_PLAIN, LHS_PERMUTATION},
	{"lhs", "jitter", POINTS_LHS, SCRAMBLE_JITTER, LHS_PERMUTATION},
	{"lhs", "jitter", POINTS_LHS, SCRAMBLE_JITTER, LHS_FEISTEL8},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds, N = 5000, D = 7 };

static double *expected(unsigned k)
{
	const struct points_settings settings = {
		.kind = kinds[k].kind,
		.dtype = DTYPE_F64,
		.dims = D,
		.bits = 53,
		.n = N,
		.scramble = kinds[k].scrambling,
		.method = kinds[k].method,
		.stream = {GENERATOR_THREEFRY4X32, 3, 4},
	};
	struct points *points;
	double *x = malloc(N * D * sizeof *x);

	assert_non_null(x);
	assert_int_equal(points_create(&settings, 0, &points), 0);
	points_fill(points, 0, N * D, x);
	points_free(points);
	return x;
}

static struct call *points_call(unsigned k)
{
	struct call *call = call_new();

	put(call, "n", value_uint(N));
	put(call, "d", value_uint(D));
	put(call, "scramble", value_string(kinds[k].scramble));
	if (kinds[k].method == LHS_FEISTEL8)
		put(call, "method", value_string("feistel8"));
	put(call, "seed", value_uint(3));
	put(call, "stream", value_uint(4));
	return call;
}

static void every_kind_in_parts(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned k = 0; k < N_KINDS; k++) {
		double *x = expected(k);
		size_t at = 0;

		for (uint64_t rank = 0; rank < 3; rank++) {
			struct call *call = points_call(k);
			const struct value *reply, *data, *shape;

			put(call, "rank", value_uint(rank));
			put(call, "size", value_uint(3));
			reply = call_run(call, fixture.memory, kinds[k].name);
			data = value_get(reply, "data");
			shape = value_get(reply, "shape");
			assert_int_equal(shape->array.count, 2);
			assert_int_equal(shape->array.at[1].u, D);
			assert_memory_equal(data->bytes.at, (char *)x + at, data->bytes.size);
			at += data->bytes.size;
			call_free(call);
		}
		assert_int_equal(at, N * D * sizeof *x);
		free(x);
	}
	fixture_close(&fixture);
}

static void offsets_continue(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned k = 0; k < N_KINDS; k++) {
		double *x = expected(k);
		struct call *call = points_call(k);
		const struct value *reply;

		if (kinds[k].kind == POINTS_LHS) {
			put(call, "offset", value_uint(1));
			call_fails(call, fixture.memory, "lhs", ERROR_UNKNOWN_PARAMETER,
				   "unknown_parameter: lhs: offset");
		} else {
			put(call, "offset", value_uint(1234));
			put(call, "n", value_uint(1000));
			reply = call_run(call, fixture.memory, kinds[k].name);
			assert_int_equal(value_get(reply, "next")->u, 2234);
			assert_memory_equal(value_get(reply, "data")->bytes.at, x + 1234 * D, 1000 * D * sizeof *x);
			call_free(call);
		}
		free(x);
	}
	fixture_close(&fixture);
}

static void into_a_tile(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct call *call = call_new(), *tile = call_new(), *wrong = call_new();
	double *x = expected(1);
	uint64_t handle;
	void *at;

	(void)state;
	put(tile, "dtype", value_string("f32"));
	put(tile, "shape", LIST(tile, N, D));
	handle = value_get(call_run(tile, fixture.memory, "tile"), "tile")->u;
	at = (char *)fixture.mapping + value_get(request_result(tile->request), "offset")->u;
	put(call, "out", value_uint(handle));
	put(call, "d", value_uint(D));
	put(call, "scramble", value_string("owen"));
	put(call, "seed", value_uint(3));
	put(call, "stream", value_uint(4));
	call_run(call, fixture.memory, "sobol");
	for (size_t e = 0; e < N * D; e++)
		assert_true(((float *)at)[e] == (float)(int32_t)(x[e] * 0x1p24) * 0x1p-24f);
	put(wrong, "out", value_uint(handle));
	put(wrong, "d", value_uint(3));
	call_fails(wrong, fixture.memory, "sobol", ERROR_BAD_SHAPE, "bad_shape: sobol: out:");
	call_free(call);
	call_free(tile);
	free(x);
	fixture_close(&fixture);
}

static void in_a_chain(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct call *call = call_new();
	struct value first = value_map(), second = value_map(), steps = value_array(), results = value_array();
	double *x = expected(0);
	const double *got;

	(void)state;
	value_put(call->bump, &first, "op", value_string("sobol"));
	value_put(call->bump, &first, "as", value_string("x"));
	value_put(call->bump, &first, "n", value_uint(N));
	value_put(call->bump, &first, "d", value_uint(D));
	value_put(call->bump, &second, "op", value_string("scale"));
	value_put(call->bump, &second, "in", value_string("x"));
	value_put(call->bump, &second, "by", value_real(2));
	value_put(call->bump, &second, "as", value_string("y"));
	value_push(call->bump, &steps, first);
	value_push(call->bump, &steps, second);
	value_push(call->bump, &results, value_string("y"));
	put(call, "steps", steps);
	put(call, "results", results);
	got = (const double *)value_get(value_get(value_get(call_run(call, fixture.memory, "run"), "results"), "y"),
					"data")
		      ->bytes.at;
	for (size_t e = 0; e < N * D; e++)
		assert_true(got[e] == 2 * x[e]);
	call_free(call);
	free(x);
	fixture_close(&fixture);
}

static struct call *sized(uint64_t n, uint64_t d)
{
	struct call *call = call_new();

	put(call, "n", value_uint(n));
	put(call, "d", value_uint(d));
	return call;
}

static void errors_and_edges(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *call = sized(1, 2);

	(void)state;
	call_fails(sized(1, 1112), fixture.memory, "sobol", ERROR_OUT_OF_RANGE, "out_of_range: sobol: d: got 1112");
	call_fails(sized(1, 1001), fixture.memory, "halton", ERROR_OUT_OF_RANGE, "out_of_range: halton: d: got 1001");
	call_fails(sized(1, 0), fixture.memory, "lattice", ERROR_OUT_OF_RANGE, "out_of_range: lattice: d: got 0");
	call_fails(sized(UINT64_C(1) << 33, 1), fixture.memory, "lhs", ERROR_OUT_OF_RANGE,
		   "out_of_range: lhs: n: got 8589934592");
	put(call, "bits", value_string("32"));
	put(call, "offset", value_uint(UINT64_C(1) << 32));
	call_fails(call, fixture.memory, "sobol", ERROR_END_OF_STREAM,
		   "end_of_stream: sobol: n: 1 points from point 4294967296");
	call = sized(10, 1);
	put(call, "scramble", value_string("owen"));
	call_fails(call, fixture.memory, "lattice", ERROR_OUT_OF_RANGE, "out_of_range: lattice: scramble:");
	call = sized(10, 1);
	put(call, "generator", value_string("philox4x32"));
	put(call, "stream", value_uint(UINT64_MAX));
	call_fails(call, fixture.memory, "sobol", ERROR_OUT_OF_RANGE, "out_of_range: sobol: stream: got");
	for (unsigned k = 0; k < N_KINDS; k++) {
		call = sized(0, 3);
		put(call, "scramble", value_string(kinds[k].scramble));
		assert_int_equal(value_get(call_run(call, fixture.memory, kinds[k].name), "data")->bytes.size, 0);
		call_free(call);
	}
	/* The last point there is. */
	call = sized(1, 2);
	put(call, "offset", value_uint((UINT64_C(1) << 53) - 1));
	assert_int_equal(value_get(call_run(call, fixture.memory, "sobol"), "data")->bytes.size, 16);
	call_free(call);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_in_parts), cmocka_unit_test(offsets_continue),
		cmocka_unit_test(into_a_tile),         cmocka_unit_test(in_a_chain),
		cmocka_unit_test(errors_and_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
