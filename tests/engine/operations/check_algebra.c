/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic and reductions by request: operands that repeat, fused programs, sums in one order; and what is refused. */
#include <math.h>

#include "engine/harness.h"

enum { ROWS = 37, COLUMNS = 1201, N = ROWS * COLUMNS };

static struct value matrix(struct call *call, const char *dtype, uint64_t rows, uint64_t columns, const void *data, size_t bytes)
{
	struct value map = array_of(call->bump, dtype, 1, data, bytes), shape = value_array();

	value_push(call->bump, &shape, value_uint(rows));
	value_push(call->bump, &shape, value_uint(columns));
	*(struct value *)value_get(&map, "shape") = shape;
	return map;
}

static const void *data_of(const struct value *reply)
{
	return value_get(reply, "data")->bytes.at;
}

static double *numbers(void)
{
	double *x = malloc(N * sizeof *x);

	assert_non_null(x);
	for (size_t i = 0; i < N; i++)
		x[i] = sin((double)i * 1.7) * (i % 97 == 0 ? 1e6 : 1);
	return x;
}

/* Rows, one element and the whole shape beside a matrix. */
static void operands_repeat(void **state)
{
	struct fixture fixture = fixture_open(4);
	double *x = numbers();

	(void)state;
	for (uint64_t n = 1; n <= N; n = n == 1 ? COLUMNS : n == COLUMNS ? N : N + 1) {
		struct call *call = call_new();
		const double *out;

		put(call, "a", matrix(call, "f64", ROWS, COLUMNS, x, N * sizeof *x));
		put(call, "b", n == N ? matrix(call, "f64", ROWS, COLUMNS, x, N * sizeof *x)
				      : array_of(call->bump, "f64", n, x + 5, n * sizeof *x));
		out = data_of(call_run(call, fixture.memory, "divide"));
		for (size_t i = 0; i < N; i++)
			if (out[i] != x[i] / (n == N ? x[i] : x[5 + i % n]) && x[i] != 0)
				fail_msg("%llu elements: quotient %zu is %g", (unsigned long long)n, i, out[i]);
		call_free(call);
	}
	free(x);
	fixture_close(&fixture);
}

static void put_step(struct call *call, struct value *steps, const char *op, const char *as, const char *a_name, struct value a,
		     const char *b_name, struct value b)
{
	struct value step = value_map();

	value_put(call->bump, &step, "op", value_string(op));
	value_put(call->bump, &step, "as", value_string(as));
	value_put(call->bump, &step, a_name, a);
	if (b_name)
		value_put(call->bump, &step, b_name, b);
	value_push(call->bump, steps, step);
}

/* A masked power spectrum, its mean over rows and the whole divided by that: one program, as many segments as it needs. */
static const struct value *run_spectrum(struct call *call, struct fixture *fixture, const float *z, const float *mask)
{
	struct value steps = value_array(), results = value_array();

	put_step(call, &steps, "multiply", "masked", "a", matrix(call, "c64", ROWS, COLUMNS, z, N * 8), "b",
		 array_of(call->bump, "f32", COLUMNS, mask, COLUMNS * 4));
	put_step(call, &steps, "abs", "size", "in", value_string("masked"), NULL, value_nil());
	put_step(call, &steps, "square", "power", "in", value_string("size"), NULL, value_nil());
	put_step(call, &steps, "mean", "mean", "in", value_string("power"), "axes", value_int(0));
	put_step(call, &steps, "divide", "share", "a", value_string("power"), "b", value_string("mean"));
	put_step(call, &steps, "where", "gated", "a", value_string("masked"), "condition", value_string("share"));
	struct value *gate = &steps.array.at[5];
	static const float zero[2];

	value_put(call->bump, gate, "b", array_of(call->bump, "c64", 1, zero, sizeof zero));
	value_put(call->bump, gate, "above", value_real(0.5));
	value_push(call->bump, &results, value_string("share"));
	value_push(call->bump, &results, value_string("gated"));
	put(call, "steps", steps);
	put(call, "results", results);
	return value_get(call_run(call, fixture->memory, "run"), "results");
}

static void programs_are_fused_alike(void **state)
{
	static float z[2 * N], mask[COLUMNS];
	struct fixture fixture = fixture_open(4), scalar = fixture_open_with(1, 0, 0, NULL);
	struct call *call = call_new(), *other = call_new();
	const struct value *results, *expected;
	const float *share, *gated;

	(void)state;
	for (size_t i = 0; i < 2 * N; i++)
		z[i] = (float)cos((double)i);
	for (size_t i = 0; i < COLUMNS; i++)
		mask[i] = (float)(i % 5);
	results = run_spectrum(call, &fixture, z, mask);
	expected = run_spectrum(other, &scalar, z, mask);
	share = data_of(value_get(results, "share"));
	gated = data_of(value_get(results, "gated"));
	for (size_t c = 1; c < COLUMNS; c += 100) {
		long double sum = 0;

		for (size_t r = 0; r < ROWS; r++) {
			const float re = z[2 * (r * COLUMNS + c)] * mask[c], im = z[2 * (r * COLUMNS + c) + 1] * mask[c];
			const float size = (float)sqrt((double)re * re + (double)im * im);

			sum += size * size;
		}
		for (size_t r = 0; r < ROWS; r++) {
			const size_t i = r * COLUMNS + c;
			const float re = z[2 * i] * mask[c], im = z[2 * i + 1] * mask[c];
			const double power = ((double)re * re + (double)im * im) / (double)(sum / ROWS);

			if (mask[c] != 0 && fabs(share[i] - power) > 1e-5 * power)
				fail_msg("element %zu: expected %g, got %g", i, power, (double)share[i]);
			if (mask[c] != 0 && fabs(power - 0.5) > 1e-5)
				assert_true(gated[2 * i] == (power > 0.5 ? re : 0));
		}
	}
	assert_memory_equal(data_of(value_get(results, "gated")), data_of(value_get(expected, "gated")), N * 8);
	for (size_t i = 0; i < N; i++) /* 0 / 0 is NaN, whose bits are not fixed */
		assert_true(memcmp(&share[i], (const float *)data_of(value_get(expected, "share")) + i, 4) == 0 ||
			    isnan(share[i]));
	call_free(call);
	call_free(other);
	fixture_close(&fixture);
	fixture_close(&scalar);
}

/* Sums of any shape are right to an ulp, and the same from any number of threads. */
static void reductions(void **state)
{
	static const struct {
		const char *op;
		int64_t axis;
	} rows[] = {{"sum", 0}, {"sum", 1}, {"sum", 9}, {"mean", 0}, {"max", 1}, {"max", 9}, {"norm", 0}, {"norm", 9}};
	struct fixture fixture = fixture_open(4), alone = fixture_open_with(1, 0, 0, NULL);
	double *x = numbers();

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const bool all = rows[k].axis == 9;
		const size_t outputs = all ? 1 : rows[k].axis ? ROWS : COLUMNS, length = N / outputs;
		const double *out[2];
		struct call *calls[2];

		for (int t = 0; t < 2; t++) {
			calls[t] = call_new();
			put(calls[t], "in", matrix(calls[t], "f64", ROWS, COLUMNS, x, N * sizeof *x));
			if (!all)
				put(calls[t], "axes", value_int(rows[k].axis));
			out[t] = data_of(call_run(calls[t], t ? alone.memory : fixture.memory, rows[k].op));
		}
		assert_memory_equal(out[0], out[1], outputs * sizeof **out);
		for (size_t o = 0; o < outputs; o++) {
			long double sum = rows[k].op[1] == 'a' ? -INFINITY : 0;

			for (size_t i = 0; i < length; i++) {
				const double at = x[all ? i : rows[k].axis ? o * COLUMNS + i : i * COLUMNS + o];

				sum = rows[k].op[1] == 'a' ? (at > sum ? at : sum) : sum + (rows[k].op[0] == 'n' ? (long double)at * at : at);
			}
			if (rows[k].op[0] == 'n')
				sum = sqrtl(sum);
			if (rows[k].op[1] == 'e')
				sum /= length;
			if (fabsl(out[0][o] - sum) > 3e-16L * fabsl(sum) + 1e-13L)
				fail_msg("%s, axis %d, element %zu: expected %.20Lg, got %.17g", rows[k].op, (int)rows[k].axis, o, sum,
					 out[0][o]);
		}
		call_free(calls[0]);
		call_free(calls[1]);
	}
	free(x);
	fixture_close(&fixture);
	fixture_close(&alone);
}

/* Parts of complex elements are summed apart; a norm takes both. */
static void reductions_of_complex_elements(void **state)
{
	static float z[2 * N];
	struct fixture fixture = fixture_open(3);

	(void)state;
	for (size_t i = 0; i < 2 * N; i++)
		z[i] = (float)cos((double)i * 0.7);
	for (int64_t axis = 0; axis < 2; axis++) {
		const size_t outputs = axis ? ROWS : COLUMNS, length = N / outputs;
		struct call *sum = call_new(), *norm = call_new();
		const float *sums, *norms;

		put(sum, "in", matrix(sum, "c64", ROWS, COLUMNS, z, sizeof z));
		put(sum, "axes", value_int(axis));
		put(norm, "in", matrix(norm, "c64", ROWS, COLUMNS, z, sizeof z));
		put(norm, "axes", value_int(axis));
		sums = data_of(call_run(sum, fixture.memory, "sum"));
		norms = data_of(call_run(norm, fixture.memory, "norm"));
		for (size_t o = 0; o < outputs; o++) {
			long double parts[2] = {0}, squares = 0;

			for (size_t i = 0; i < length; i++)
				for (size_t part = 0; part < 2; part++) {
					const double x = z[2 * (axis ? o * COLUMNS + i : i * COLUMNS + o) + part];

					parts[part] += x;
					squares += (long double)x * x;
				}
			if (sums[2 * o] != (float)parts[0] || sums[2 * o + 1] != (float)parts[1] ||
			    norms[o] != (float)sqrtl(squares))
				fail_msg("axis %d, element %zu: got %g %g, norm %g", (int)axis, o, (double)sums[2 * o],
					 (double)sums[2 * o + 1], (double)norms[o]);
		}
		call_free(sum);
		call_free(norm);
	}
	fixture_close(&fixture);
}

/* What cancels is not lost: 1e16 + 1 - 1e16, many times over. */
static void sums_are_compensated(void **state)
{
	static double x[3 * 50000];
	struct fixture fixture = fixture_open(2);
	struct call *call = call_new();

	(void)state;
	for (size_t i = 0; i < 50000; i++) {
		x[3 * i] = 1e16;
		x[3 * i + 1] = 1;
		x[3 * i + 2] = -1e16;
	}
	put(call, "in", array_of(call->bump, "f64", 150000, x, sizeof x));
	assert_true(*(const double *)data_of(call_run(call, fixture.memory, "sum")) == 50000);
	call_free(call);
	fixture_close(&fixture);
}

static void wrong_operands_are_refused(void **state)
{
	static const float x[64];
	struct fixture fixture = fixture_open(1);
	struct call *call = call_new();

	(void)state;
	put(call, "a", array_of(call->bump, "f32", 8, x, 32));
	put(call, "b", array_of(call->bump, "f32", 3, x, 12));
	call_fails(call, fixture.memory, "multiply", ERROR_BAD_SHAPE, "bad_shape: multiply: b: it is f32 (3)");
	call = call_new();
	put(call, "a", array_of(call->bump, "c64", 8, x, 64));
	put(call, "b", array_of(call->bump, "f32", 8, x, 32));
	call_fails(call, fixture.memory, "subtract", ERROR_BAD_SHAPE, "bad_shape: subtract: b: its dtype is f32");
	call = call_new();
	put(call, "in", array_of(call->bump, "c64", 8, x, 64));
	call_fails(call, fixture.memory, "log", ERROR_BAD_SHAPE, "bad_shape: log: in: its dtype is c64, allowed are f32 and f64");
	call = call_new();
	put(call, "in", array_of(call->bump, "f32", 8, x, 32));
	put(call, "low", value_uint(2));
	put(call, "high", value_uint(1));
	call_fails(call, fixture.memory, "clip", ERROR_OUT_OF_RANGE, "out_of_range: clip: low: got 2");
	call = call_new();
	put(call, "in", array_of(call->bump, "f32", 0, x, 0));
	call_fails(call, fixture.memory, "max", ERROR_BAD_SHAPE, "bad_shape: max: in: it is f32 (0), without elements");
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_repeat),
		cmocka_unit_test(programs_are_fused_alike),
		cmocka_unit_test(reductions),
		cmocka_unit_test(reductions_of_complex_elements),
		cmocka_unit_test(sums_are_compensated),
		cmocka_unit_test(wrong_operands_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
