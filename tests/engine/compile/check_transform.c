/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms as requests: axes, lengths, norms, real and Hermitian ones; held against the defining sum. */
#include "transforms.h"

static void test_lengths_and_dtypes(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	static const size_t lengths[] = {1, 2, 3, 8, 30, 37, 64, 100, 256};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t d = 0; d < 4; d++)
		for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
			const size_t n = lengths[l];
			struct sample *sample = sample_new(dtypes[d][0] == 'c');
			const bool inverse = l % 2;
			void *bytes;
			struct call *call = fft_call_of(sample, dtypes[d], 3 * n, value_nil(), &bytes);

			put(call, "inverse", value_bool(inverse));
			struct value *in = (struct value *)value_get(&call->params, "in");
			assert_int_equal(value_put(call->bump, in, "shape", LIST(call, 3, (int64_t)n)), 0);
			const struct value *reply = call_run(call, fixture.memory, "fft");
			reference(sample->in, sample->expected, 3, n, n, 1, inverse, inverse ? 1.0 / (double)n : 1);
			widen(reply, sample->got);
			assert_true(value_is_text(value_get(reply, "dtype"), d % 2 ? "c128" : "c64"));
			close_to(sample, 3 * n, value_get(reply, "bound")->real, dtypes[d], n);
			call_free(call);
			free(bytes);
			free(sample);
		}
	fixture_close(&fixture);
}

static void test_axes_lengths_and_norms(void **state)
{
	struct fixture fixture = fixture_open(2);
	struct sample *sample = sample_new(true);
	void *bytes;
	struct call *call = fft_call_of(sample, "c128", 4 * 6 * 5, value_nil(), &bytes);

	(void)state;
	struct value *in = (struct value *)value_get(&call->params, "in");
	assert_int_equal(value_put(call->bump, in, "shape", LIST(call, 4, 6, 5)), 0);
	put(call, "axes", LIST(call, 0, 1));
	put(call, "length", LIST(call, 7, 3));
	put(call, "norm", value_string("ortho"));
	const struct value *reply = call_run(call, fixture.memory, "fft");
	reference(sample->in, sample->between, 4, 6, 3, 5, false, 1 / sqrt(3));
	reference(sample->between, sample->expected, 1, 4, 7, 15, false, 1 / sqrt(7));
	widen(reply, sample->got);
	assert_int_equal(value_get(reply, "n")->u, 7 * 3 * 5);
	close_to(sample, 105, 1e-14, "axes 0, 1 of (4, 6, 5) to (7, 3, 5)", 105);
	call_free(call);
	free(bytes);
	free(sample);
	fixture_close(&fixture);
}

static void test_real(void **state)
{
	static const size_t lengths[] = {1, 2, 7, 8, 100};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
		const size_t n = lengths[l], half = n / 2 + 1;
		struct sample *sample = sample_new(false);
		void *bytes;
		struct call *call = fft_call_of(sample, "f64", 2 * n, value_nil(), &bytes);
		struct value *in = (struct value *)value_get(&call->params, "in");

		assert_int_equal(value_put(call->bump, in, "shape", LIST(call, 2, (int64_t)n)), 0);
		put(call, "real", value_bool(true));
		widen(call_run(call, fixture.memory, "fft"), sample->got);
		reference(sample->in, sample->between, 2, n, n, 1, false, 1);
		for (size_t k = 0; k < 2 * half; k++)
			sample->expected[k] = sample->between[k / half * n + k % half];
		close_to(sample, 2 * half, 1e-14, "real", n);
		call_free(call);
		free(bytes);
		free(sample);
	}
	fixture_close(&fixture);
}

/* Real there and back over one or two axes, first or last; the spectrum is the half of the complex one. */
static void check_real_axes(struct fixture *fixture, const char *dtype, int64_t rows, int64_t columns, bool both,
			    int64_t last)
{
	const size_t n = (size_t)(rows * columns);
	const size_t half = (size_t)(last ? rows * (columns / 2 + 1) : (rows / 2 + 1) * columns);
	struct sample *sample = sample_new(false);
	void *bytes;
	struct call *there = fft_call_of(sample, dtype, n, value_nil(), &bytes), *whole = call_new(),
		    *back = call_new();
	const double bound = dtype[1] == '3' ? 2e-6 : 1e-14;

	struct value *in = (struct value *)value_get(&there->params, "in");
	assert_int_equal(value_put(there->bump, in, "shape", LIST(there, rows, columns)), 0);
	put(whole, "in", *in);
	for (int k = 0; k < 3; k++) {
		struct call *call = k == 0 ? there : k == 1 ? whole : back;

		put(call, "axes", both ? LIST(call, 1 - last, last) : LIST(call, last));
		put(call, "real", value_bool(k != 1));
	}
	const struct value *reply = call_run(there, fixture->memory, "fft");
	widen(reply, sample->got);
	widen(call_run(whole, fixture->memory, "fft"), sample->between);
	for (size_t i = 0; i < half; i++) {
		const size_t width = half / (size_t)rows;

		sample->expected[i] =
			last ? sample->between[i / width * (size_t)columns + i % width] : sample->between[i];
	}
	close_to(sample, half, bound, "half a spectrum", n);

	struct value spectrum = value_map();
	assert_int_equal(value_put(back->bump, &spectrum, "dtype", *value_get(reply, "dtype")), 0);
	assert_int_equal(value_put(back->bump, &spectrum, "shape", *value_get(reply, "shape")), 0);
	assert_int_equal(value_put(back->bump, &spectrum, "data", *value_get(reply, "data")), 0);
	put(back, "in", spectrum);
	put(back, "inverse", value_bool(true));
	put(back, "length", value_uint((uint64_t)(last ? columns : rows)));
	reply = call_run(back, fixture->memory, "fft");
	assert_true(value_is_text(value_get(reply, "dtype"), dtype));
	widen(reply, sample->got);
	memcpy(sample->expected, sample->in, n * sizeof *sample->in);
	close_to(sample, n, bound, "real there and back", n);
	call_free(there);
	call_free(whole);
	call_free(back);
	free(bytes);
	free(sample);
}

static void test_real_axes(void **state)
{
	static const int64_t shapes[][2] = {{1, 1}, {1, 9}, {3, 8}, {8, 3}, {7, 30}, {64, 20}, {37, 50}};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (int k = 0; k < 8; k++)
			check_real_axes(&fixture, k & 1 ? "f64" : "f32", shapes[i][0], shapes[i][1], k & 2, k >> 2);
	fixture_close(&fixture);
}

/* Long transforms, whose phases are many units, in tiles: in place, then back. */
static void test_long_in_place(void **state)
{
	enum { N = 1 << 18 };
	struct fixture fixture = fixture_open(2);
	float *at, *before = malloc(2 * N * sizeof *before);
	uint64_t tile = tile_of(&fixture, "c64", N, (void **)&at);
	double sum = 0, whole = 0;

	(void)state;
	assert_non_null(before);
	for (size_t i = 0; i < 2 * N; i++)
		at[i] = before[i] = (float)random_number();
	for (int back = 0; back < 2; back++) {
		struct call *call = call_new();

		put(call, "in", value_uint(tile));
		put(call, "out", value_uint(tile));
		put(call, "inverse", value_bool(back));
		assert_int_equal(value_get(call_run(call, fixture.memory, "fft"), "tile")->u, tile);
		call_free(call);
	}
	for (size_t i = 0; i < 2 * N; i++) {
		sum += pow(at[i] - before[i], 2);
		whole += pow(before[i], 2);
	}
	if (!(sqrt(sum / whole) < 1e-6))
		fail_msg("there and back: relative error %.3g", sqrt(sum / whole));
	free(before);
	fixture_close(&fixture);
}

/* Half a spectrum of a Hermitian signal to reals, held against the sum over the whole of it, and back to it. */
static void test_hermitian(void **state)
{
	static const size_t lengths[] = {2, 7, 8, 100, 243};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
		const size_t n = lengths[l], half = n / 2 + 1;
		struct sample *sample = sample_new(true);
		void *bytes;
		struct call *call, *back = call_new();

		sample->in[0] = creal(sample->in[0]);
		if (n % 2 == 0)
			sample->in[half - 1] = creal(sample->in[half - 1]);
		call = fft_call_of(sample, "c128", half, value_uint(half), &bytes);
		put(call, "hermitian", value_bool(true));
		put(call, "length", value_uint(n));
		const struct value *reply = call_run(call, fixture.memory, "fft");
		widen(reply, sample->got);
		for (size_t k = 0; k < n; k++)
			sample->between[k] = k < half ? sample->in[k] : conj(sample->in[n - k]);
		reference(sample->between, sample->expected, 1, n, n, 1, false, 1);
		assert_true(value_is_text(value_get(reply, "dtype"), "f64"));
		close_to(sample, n, 1e-14, "hermitian", n);
		put(back, "in", array_of(back->bump, "f64", n, value_get(reply, "data")->bytes.at, n * 8));
		put(back, "hermitian", value_bool(true));
		put(back, "inverse", value_bool(true));
		widen(call_run(back, fixture.memory, "fft"), sample->got);
		memcpy(sample->expected, sample->in, half * sizeof *sample->in);
		close_to(sample, half, 2e-14, "hermitian and back", n);
		call_free(call);
		call_free(back);
		free(bytes);
		free(sample);
	}
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths_and_dtypes),
		cmocka_unit_test(test_axes_lengths_and_norms),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_real_axes),
		cmocka_unit_test(test_hermitian),
		cmocka_unit_test(test_long_in_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
