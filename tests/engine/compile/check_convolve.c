/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and correlations as requests, against their sums in long double; modes, axes, broadcasting; errors. */
#include "signals.h"

static const char *const modes[] = {"full", "same", "valid"};

/* The sum, of one row; elements of each lie `step` apart. */
static void reference(const wide_t *a, size_t n_a, size_t step_a, const wide_t *b, size_t n_b, size_t step_b,
		      bool correlates, unsigned mode, wide_t *out, size_t step)
{
	const size_t less = n_a < n_b ? n_a : n_b, more = n_a + n_b - less;
	const size_t start = mode == 1 ? (n_b - 1) / 2 : mode == 2 ? less - 1 : 0;
	const size_t n = mode == 1 ? n_a : mode == 2 ? more - less + 1 : n_a + n_b - 1;

	for (size_t i = 0; i < n; i++) {
		const size_t at = start + i, first = at < n_a ? 0 : at - n_a + 1, end = at + 1 < n_b ? at + 1 : n_b;
		long double re = 0, im = 0;

		/* By parts: a product of complex numbers looks for infinities first, which costs more than itself. */
		for (size_t j = first; j < end; j++) {
			const wide_t x = a[(at - j) * step_a], y = b[(correlates ? n_b - 1 - j : j) * step_b];
			const long double y_im = correlates ? -cimagl(y) : cimagl(y);

			re += creall(x) * creall(y) - cimagl(x) * y_im;
			im += creall(x) * y_im + cimagl(x) * creall(y);
		}
		out[i * step] = re + I * im;
	}
}

static size_t results(size_t n_a, size_t n_b, unsigned mode)
{
	const size_t less = n_a < n_b ? n_a : n_b;

	return mode == 0 ? n_a + n_b - 1 : mode == 1 ? n_a : n_a + n_b - 2 * less + 1;
}

static void hold_one(struct fixture *fixture, const char *dtype_a, size_t n_a, const char *dtype_b, size_t n_b,
		     bool correlates, unsigned mode)
{
	struct sample a = sample_new(dtype_a, n_a), b = sample_new(dtype_b, n_b);
	const size_t n = results(n_a, n_b, mode);
	wide_t *expected = calloc(n, sizeof *expected);
	struct call *call = call_new();
	const bool wide = strstr(dtype_a, "64") == dtype_a + 1 ? dtype_a[0] == 'f' : strstr(dtype_a, "128") != NULL;
	const bool b_wide = strcmp(dtype_b, "f64") == 0 || strcmp(dtype_b, "c128") == 0;
	char text[128];

	snprintf(text, sizeof text, "%s of %s (%zu) and %s (%zu), %s", correlates ? "correlate" : "convolve", dtype_a,
		 n_a, dtype_b, n_b, modes[mode]);
	assert_non_null(expected);
	reference(a.wide, n_a, 1, b.wide, n_b, 1, correlates, mode, expected, 1);
	put_sample(call, "a", &a, 0, NULL);
	put_sample(call, "b", &b, 0, NULL);
	put(call, "mode", value_string(modes[mode]));
	hold(call_run(call, fixture->memory, correlates ? "correlate" : "convolve"), expected, n,
	     wide || b_wide ? 1e-14 : 1e-6, text);
	call_free(call);
	free(expected);
	sample_free(&a);
	sample_free(&b);
}

static void test_lengths(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	static const size_t lengths[] = {1, 2, 3, 5, 8, 31, 64, 100};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < 8; i++)
		for (size_t j = 0; j < 8; j++)
			for (unsigned k = 0; k < 24; k++)
				hold_one(&fixture, dtypes[k % 4], lengths[i], dtypes[(i + j) % 4], lengths[j],
					 k / 4 % 2, k / 8);
	fixture_close(&fixture);
}

/* Signals of many blocks, of one, and blocks too long for scratch; either side the longer. */
static void test_long(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned mode = 0; mode < 3; mode++) {
		hold_one(&fixture, "f32", 50000, "f32", 37, mode & 1, mode);
		hold_one(&fixture, "f32", 50000, "f32", 1, mode & 1, mode);
		hold_one(&fixture, "c64", 90, "f32", 20001, mode & 1, mode);
		hold_one(&fixture, "f64", 6000, "f64", 5999, !(mode & 1), mode);
	}
	hold_one(&fixture, "f64", 300000, "f32", 300, false, 0);
	fixture_close(&fixture);
}

/* Blocks that do not fit scratch: an impulse far out moves the other side, exactly where it belongs. */
static void test_steps(void **state)
{
	enum { LONG = 400000, SHORT = 150000, AT = 100003 };
	struct fixture fixture = fixture_open_with(2, cpu_detect(), 256 << 20, NULL);
	struct sample a = sample_new("f32", LONG), b = sample_new("f32", SHORT);
	wide_t *expected = calloc(LONG + SHORT - 1, sizeof *expected);

	(void)state;
	assert_non_null(expected);
	for (unsigned pass = 0; pass < 2; pass++) {
		struct call *call = call_new();

		memset(b.data, 0, b.bytes);
		memset(expected, 0, (LONG + SHORT - 1) * sizeof *expected);
		((float *)b.data)[AT] = 2;
		((float *)b.data)[7] = -1;
		for (size_t i = 0; i < LONG; i++) {
			expected[i + (pass ? SHORT - 1 - AT : AT)] += 2 * a.wide[i];
			expected[i + (pass ? SHORT - 1 - 7 : 7)] -= a.wide[i];
		}
		put_sample(call, "a", &a, 0, NULL);
		put_sample(call, "b", &b, 0, NULL);
		hold(call_run(call, fixture.memory, pass ? "correlate" : "convolve"), expected, LONG + SHORT - 1, 1e-6,
		     pass ? "correlate in steps" : "convolve in steps");
		call_free(call);
	}
	free(expected);
	sample_free(&a);
	sample_free(&b);
	fixture_close(&fixture);
}

/* (3, n_a, 4) with (1, n_b, 4), (3, n_b, 1) or (n_b), along the middle axis; and the sides exchanged. */
static void test_broadcast(void **state)
{
	static const size_t shapes[][2] = {{3, 4}, {1, 4}, {3, 1}, {1, 1}, {0, 0}};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned k = 0; k < 5 * 2 * 3 * 2; k++) {
		const size_t *outer = shapes[k % 5], n_a = k / 5 % 2 ? 7 : 3000, n_b = k / 5 % 2 ? 2500 : 11;
		const unsigned mode = k / 10 % 3;
		const bool correlates = k / 30, flat = outer[0] == 0;
		const size_t rows = flat ? 1 : outer[0], columns = flat ? 1 : outer[1], n = results(n_a, n_b, mode);
		struct sample a = sample_new("f32", 3 * n_a * 4), b = sample_new("f32", rows * n_b * columns);
		wide_t *expected = calloc(3 * n * 4, sizeof *expected);
		struct call *call = call_new();

		assert_non_null(expected);
		for (size_t i = 0; i < 3; i++)
			for (size_t j = 0; j < 4; j++)
				reference(a.wide + i * n_a * 4 + j, n_a, 4,
					  b.wide + (rows > 1 ? i : 0) * n_b * columns + (columns > 1 ? j : 0), n_b,
					  columns, correlates, mode, expected + i * n * 4 + j, 4);
		put_sample(call, "a", &a, 3, (int64_t[]){3, (int64_t)n_a, 4});
		put_sample(call, "b", &b, flat ? 0 : 3, (int64_t[]){(int64_t)rows, (int64_t)n_b, (int64_t)columns});
		put(call, "mode", value_string(modes[mode]));
		put(call, "axis", value_int(flat ? 1 : -2));
		hold(call_run(call, fixture.memory, correlates ? "correlate" : "convolve"), expected, 3 * n * 4, 1e-6,
		     modes[mode]);
		call_free(call);
		free(expected);
		sample_free(&a);
		sample_free(&b);
	}
	fixture_close(&fixture);
}

/* Threads and place in a batch change no byte; the result may take the memory of a. */
static void test_bytes(void **state)
{
	enum { N = 30000, TAPS = 25 };
	static const unsigned threads[] = {1, 2, 7, 128};
	struct sample a = sample_new("f32", 2 * N), b = sample_new("f32", TAPS);
	struct sample last = {.dtype = DTYPE_F32, .n = N, .bytes = N * sizeof(float), .data = (float *)a.data + N};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct fixture fixture = fixture_open(threads[i]);
		struct call *all = call_new(), *one = call_new(), *over = call_new();
		void *at;
		const uint64_t tile = tile_of(&fixture, "f32", N, &at);
		const struct value *of_all, *of_one;

		put_sample(all, "a", &a, 2, (int64_t[]){2, N});
		put_sample(all, "b", &b, 0, NULL);
		put(all, "mode", value_string("same"));
		put_sample(one, "a", &last, 0, NULL);
		put_sample(one, "b", &b, 0, NULL);
		put(one, "mode", value_string("same"));
		memcpy(at, last.data, last.bytes);
		put(over, "a", value_uint(tile));
		put_sample(over, "b", &b, 0, NULL);
		put(over, "mode", value_string("same"));
		put(over, "out", value_uint(tile));
		of_all = value_get(call_run(all, fixture.memory, "convolve"), "data");
		of_one = value_get(call_run(one, fixture.memory, "convolve"), "data");
		call_run(over, fixture.memory, "convolve");
		assert_memory_equal(of_all->bytes.at + N * sizeof(float), of_one->bytes.at, N * sizeof(float));
		assert_memory_equal(of_one->bytes.at, at, N * sizeof(float));
		if (i > 0)
			assert_memory_equal(of_one->bytes.at, last.wide, N * sizeof(float));
		last.wide = realloc(last.wide, N * sizeof(float));
		memcpy(last.wide, of_one->bytes.at, N * sizeof(float));
		call_free(all);
		call_free(one);
		call_free(over);
		fixture_close(&fixture);
	}
	free(last.wide);
	sample_free(&a);
	sample_free(&b);
}

static void test_errors(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct sample a = sample_new("f32", 12), b = sample_new("f32", 6);
	struct call *call = call_new();

	(void)state;
	put_sample(call, "a", &a, 2, (int64_t[]){3, 4});
	put_sample(call, "b", &b, 2, (int64_t[]){2, 3});
	call_fails(call, fixture.memory, "convolve", ERROR_BAD_SHAPE,
		   "bad_shape: convolve: b: it is f32 (2, 3) beside a of f32 (3, 4)");
	call = call_new();
	put_sample(call, "a", &a, 0, NULL);
	put_sample(call, "b", &b, 0, NULL);
	put(call, "axis", value_int(1));
	call_fails(call, fixture.memory, "correlate", ERROR_OUT_OF_RANGE,
		   "out_of_range: correlate: axis: got 1, allowed for 1 dimensions is -1 to 0");
	call = call_new();
	put_sample(call, "a", &a, 0, NULL);
	b.n = b.bytes = 0;
	put_sample(call, "b", &b, 0, NULL);
	call_fails(call, fixture.memory, "convolve", ERROR_BAD_SHAPE,
		   "bad_shape: convolve: b: signals without samples");
	sample_free(&a);
	sample_free(&b);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),   cmocka_unit_test(test_long),  cmocka_unit_test(test_steps),
		cmocka_unit_test(test_broadcast), cmocka_unit_test(test_bytes), cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
