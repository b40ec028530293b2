/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms as requests: axes, lengths, precision, norms; held against the defining sum. */
#include "engine/harness.h"

#include <complex.h>
#include <math.h>

enum { MAX_N = 4096 };

static uint64_t noise_state = 20261120;

static double noise(void)
{
	noise_state = noise_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(int64_t)noise_state / 0x1p63;
}

/* The sum itself, along one axis of (outer, n, inner), from `length` given elements padded or trimmed to n. */
static void reference(const double complex *in, double complex *out, size_t outer, size_t length, size_t n,
		      size_t inner, bool inverse, double factor)
{
	const long double turn = 2 * 3.14159265358979323846264338327950288L / (long double)n;

	for (size_t o = 0; o < outer; o++)
		for (size_t i = 0; i < inner; i++)
			for (size_t k = 0; k < n; k++) {
				long double re = 0, im = 0;

				for (size_t j = 0; j < n && j < length; j++) {
					const long double angle = turn * (long double)(j * k % n) * (inverse ? 1 : -1);
					const double complex x = in[(o * length + j) * inner + i];
					const long double c = cosl(angle), s = sinl(angle);

					re += creal(x) * c - cimag(x) * s;
					im += creal(x) * s + cimag(x) * c;
				}
				out[(o * n + k) * inner + i] = (double)re * factor + I * ((double)im * factor);
			}
}

static double difference(const double complex *a, const double complex *b, size_t n)
{
	double sum = 0, whole = 1e-300;

	for (size_t i = 0; i < n; i++) {
		sum += pow(cabs(a[i] - b[i]), 2);
		whole += pow(cabs(b[i]), 2);
	}
	return sqrt(sum / whole);
}

/* An array of that dtype from doubles, and back. */
static void *narrow(const char *dtype, size_t n, const double complex *from, size_t *ret_bytes)
{
	const enum dtype number = dtype_parse(dtype, strlen(dtype));
	const size_t bytes = n * dtype_size(number);
	void *to = malloc(bytes + 1);

	assert_non_null(to);
	for (size_t i = 0; i < n; i++)
		switch (number) {
		case DTYPE_F32:
			((float *)to)[i] = (float)creal(from[i]);
			break;
		case DTYPE_F64:
			((double *)to)[i] = creal(from[i]);
			break;
		case DTYPE_C64:
			((float *)to)[2 * i] = (float)creal(from[i]);
			((float *)to)[2 * i + 1] = (float)cimag(from[i]);
			break;
		default:
			((double *)to)[2 * i] = creal(from[i]);
			((double *)to)[2 * i + 1] = cimag(from[i]);
		}
	*ret_bytes = bytes;
	return to;
}

static void widen(const struct value *reply, double complex *to)
{
	const struct value *data = value_get(reply, "data"), *dtype = value_get(reply, "dtype");
	const enum dtype number = dtype_parse(dtype->bytes.at, dtype->bytes.size);
	const size_t n = data->bytes.size / dtype_size(number);

	for (size_t i = 0; i < n; i++)
		switch (number) {
		case DTYPE_F32:
			to[i] = ((const float *)data->bytes.at)[i];
			break;
		case DTYPE_F64:
			to[i] = ((const double *)data->bytes.at)[i];
			break;
		case DTYPE_C64:
			to[i] = ((const float *)data->bytes.at)[2 * i] + I * ((const float *)data->bytes.at)[2 * i + 1];
			break;
		default:
			to[i] = ((const double *)data->bytes.at)[2 * i] +
				I * ((const double *)data->bytes.at)[2 * i + 1];
		}
}

struct sample {
	double complex in[MAX_N], expected[MAX_N], got[MAX_N], between[MAX_N];
};

static struct sample *sample_new(bool complex_input)
{
	struct sample *sample = calloc(1, sizeof *sample);

	assert_non_null(sample);
	for (size_t i = 0; i < MAX_N; i++)
		sample->in[i] = noise() + (complex_input ? I * noise() : 0);
	return sample;
}

static struct call *fft_call_of(const struct sample *sample, const char *dtype, size_t n, struct value shape_or_size,
				void **ret_bytes)
{
	struct call *call = call_new();
	struct value map;
	size_t bytes;

	*ret_bytes = narrow(dtype, n, sample->in, &bytes);
	map = array_of(call->zone, dtype, n, *ret_bytes, bytes);
	assert_int_equal(value_put(call->zone, &map, "shape", shape_or_size), 0);
	put(call, "in", map);
	return call;
}

static void close_to(const struct sample *sample, size_t n, double bound, const char *what, size_t length)
{
	const double error = difference(sample->got, sample->expected, n);

	if (!(error <= bound))
		fail_msg("%s, n = %zu: relative error %.3g, allowed is %.3g", what, length, error, bound);
}

static void test_lengths_and_dtypes(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	static const size_t lengths[] = {1, 2, 3, 8, 30, 37, 64, 100, 256};
	struct bed bed = bed_open(2);

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
			assert_int_equal(value_put(call->zone, in, "shape", LIST(call, 3, (int64_t)n)), 0);
			const struct value *reply = call_run(call, bed.space, "fft");
			reference(sample->in, sample->expected, 3, n, n, 1, inverse, inverse ? 1.0 / (double)n : 1);
			widen(reply, sample->got);
			assert_true(value_is_text(value_get(reply, "dtype"), d % 2 ? "c128" : "c64"));
			close_to(sample, 3 * n, value_get(reply, "bound")->real, dtypes[d], n);
			call_free(call);
			free(bytes);
			free(sample);
		}
	bed_close(&bed);
}

static void test_axes_lengths_and_norms(void **state)
{
	struct bed bed = bed_open(2);
	struct sample *sample = sample_new(true);
	void *bytes;
	struct call *call = fft_call_of(sample, "c128", 4 * 6 * 5, value_nil(), &bytes);

	(void)state;
	struct value *in = (struct value *)value_get(&call->params, "in");
	assert_int_equal(value_put(call->zone, in, "shape", LIST(call, 4, 6, 5)), 0);
	put(call, "axes", LIST(call, 0, 1));
	put(call, "length", LIST(call, 7, 3));
	put(call, "norm", value_string("ortho"));
	const struct value *reply = call_run(call, bed.space, "fft");
	reference(sample->in, sample->between, 4, 6, 3, 5, false, 1 / sqrt(3));
	reference(sample->between, sample->expected, 1, 4, 7, 15, false, 1 / sqrt(7));
	widen(reply, sample->got);
	assert_int_equal(value_get(reply, "n")->u, 7 * 3 * 5);
	close_to(sample, 105, 1e-14, "axes 0, 1 of (4, 6, 5) to (7, 3, 5)", 105);
	call_free(call);
	free(bytes);
	free(sample);
	bed_close(&bed);
}

static void test_real(void **state)
{
	static const size_t lengths[] = {1, 2, 7, 8, 100};
	struct bed bed = bed_open(2);

	(void)state;
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
		const size_t n = lengths[l], half = n / 2 + 1;
		struct sample *sample = sample_new(false);
		void *bytes;
		struct call *call = fft_call_of(sample, "f64", 2 * n, value_nil(), &bytes);
		struct value *in = (struct value *)value_get(&call->params, "in");

		assert_int_equal(value_put(call->zone, in, "shape", LIST(call, 2, (int64_t)n)), 0);
		put(call, "real", value_bool(true));
		widen(call_run(call, bed.space, "fft"), sample->got);
		reference(sample->in, sample->between, 2, n, n, 1, false, 1);
		for (size_t k = 0; k < 2 * half; k++)
			sample->expected[k] = sample->between[k / half * n + k % half];
		close_to(sample, 2 * half, 1e-14, "real", n);
		call_free(call);
		free(bytes);
		free(sample);
	}
	bed_close(&bed);
}

/* Real there and back over one or two axes, first or last; the spectrum is the half of the complex one. */
static void check_real_axes(struct bed *bed, const char *dtype, int64_t rows, int64_t columns, bool both, int64_t last)
{
	const size_t n = (size_t)(rows * columns);
	const size_t half = (size_t)(last ? rows * (columns / 2 + 1) : (rows / 2 + 1) * columns);
	struct sample *sample = sample_new(false);
	void *bytes;
	struct call *there = fft_call_of(sample, dtype, n, value_nil(), &bytes), *whole = call_new(),
		    *back = call_new();
	const double bound = dtype[1] == '3' ? 2e-6 : 1e-14;

	struct value *in = (struct value *)value_get(&there->params, "in");
	assert_int_equal(value_put(there->zone, in, "shape", LIST(there, rows, columns)), 0);
	put(whole, "in", *in);
	for (int k = 0; k < 3; k++) {
		struct call *call = k == 0 ? there : k == 1 ? whole : back;

		put(call, "axes", both ? LIST(call, 1 - last, last) : LIST(call, last));
		put(call, "real", value_bool(k != 1));
	}
	const struct value *reply = call_run(there, bed->space, "fft");
	widen(reply, sample->got);
	widen(call_run(whole, bed->space, "fft"), sample->between);
	for (size_t i = 0; i < half; i++) {
		const size_t width = half / (size_t)rows;

		sample->expected[i] =
			last ? sample->between[i / width * (size_t)columns + i % width] : sample->between[i];
	}
	close_to(sample, half, bound, "half a spectrum", n);

	struct value spectrum = value_map();
	assert_int_equal(value_put(back->zone, &spectrum, "dtype", *value_get(reply, "dtype")), 0);
	assert_int_equal(value_put(back->zone, &spectrum, "shape", *value_get(reply, "shape")), 0);
	assert_int_equal(value_put(back->zone, &spectrum, "data", *value_get(reply, "data")), 0);
	put(back, "in", spectrum);
	put(back, "inverse", value_bool(true));
	put(back, "length", value_uint((uint64_t)(last ? columns : rows)));
	reply = call_run(back, bed->space, "fft");
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
	struct bed bed = bed_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (int k = 0; k < 8; k++)
			check_real_axes(&bed, k & 1 ? "f64" : "f32", shapes[i][0], shapes[i][1], k & 2, k >> 2);
	bed_close(&bed);
}

/* Products with the matrix serve real input, several axes, and lengths to 256; what runs else is told. */
static void test_products(void **state)
{
	static const struct {
		const char *precision, *ran;
		uint64_t length;
		bool real, inverse;
	} cases[] = {
		{"ozaki6", "ozaki6", 64, false, false},   {"ozaki6", "ozaki6", 64, true, false},
		{"bf16", "bf16", 37, true, false},        {"ozaki_fp64", "ozaki_fp64", 256, false, true},
		{"ozaki6", "kahan", 257, false, false},   {"bf16", "fast", 300, true, false},
		{"ozaki_hq", "double", 300, false, true}, {"ozaki", "fast", 64, true, true},
	};
	struct bed bed = bed_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint64_t n = cases[i].length, rows = 3;
		const bool real_in = cases[i].real && !cases[i].inverse;
		const uint64_t length = cases[i].real && cases[i].inverse ? n / 2 + 1 : n;
		struct sample *sample = sample_new(!real_in);
		void *bytes;
		struct call *call;
		const struct value *reply;
		double bound;

		call = fft_call_of(sample, real_in ? "f32" : "c128", rows * length, value_uint(rows * length), &bytes);
		value_put(call->zone, (struct value *)value_get(&call->params, "in"), "shape",
			  LIST(call, (int64_t)rows, (int64_t)length));
		put(call, "precision", value_string(cases[i].precision));
		put(call, "inverse", value_bool(cases[i].inverse));
		put(call, "real", value_bool(cases[i].real));
		put(call, "norm", value_string("forward"));
		if (!cases[i].inverse)
			put(call, "norm", value_string("backward"));
		reply = call_run(call, bed.space, "fft");
		assert_true(value_is_text(value_get(reply, "precision"), cases[i].ran));
		bound = value_get(reply, "bound")->real;
		if (!(cases[i].real && cases[i].inverse)) {
			widen(reply, sample->got);
			reference(sample->in, sample->expected, rows, n, n, 1, cases[i].inverse, 1);
			for (uint64_t r = 0; r < rows && cases[i].real; r++)
				memmove(sample->expected + r * (n / 2 + 1), sample->expected + r * n,
					(n / 2 + 1) * sizeof *sample->expected);
			close_to(sample, rows * (cases[i].real ? n / 2 + 1 : n), bound + (real_in ? 6e-8 : 0),
				 cases[i].precision, n);
		}
		call_free(call);
		free(bytes);
		free(sample);
	}
	bed_close(&bed);
}

/* precision, target_error and dtype, and what the reply says of them. */
static void test_precision(void **state)
{
	static const struct {
		const char *in, *precision;
		double target;
		const char *dtype, *out, *ran;
	} cases[] = {
		{"f32", NULL, 0, NULL, "c64", "fast"},
		{"c128", NULL, 0, NULL, "c128", "double"},
		{"f32", "double", 0, NULL, "c128", "double"},
		{"f64", "fast", 0, NULL, "c128", "fast"},
		{"c64", NULL, 1e-3, NULL, "c64", "fast"},
		{"c64", NULL, 1e-9, NULL, "c128", "double"},
		{"f64", NULL, 1e-3, "complex64", "c64", "fast"},
		{"f64", NULL, 0, "c64", "c64", "double"},
		{"c64", "kahan", 0, NULL, "c64", "kahan"},
		{"c128", "bf16", 0, NULL, "c128", "bf16"},
		{"f32", "ozaki", 0, NULL, "c64", "ozaki"},
		{"c64", "bf16_refined", 0, NULL, "c64", "bf16_refined"},
		{"c64", "ozaki6", 0, NULL, "c64", "ozaki6"},
		{"c64", "ozaki_hq", 0, NULL, "c128", "ozaki_hq"},
		{"f64", "ozaki_fp64", 0, NULL, "c128", "ozaki_fp64"},
		{"c64", NULL, 3e-15, NULL, "c128", "ozaki_fp64"},
		{"c64", NULL, 2e-7, NULL, "c64", "kahan"},
		{"c128", "ozaki_hq", 0, "complex64", "c64", "ozaki_hq"},
	};
	struct bed bed = bed_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sample *sample = sample_new(cases[i].in[0] == 'c');
		void *bytes;
		struct call *call = fft_call_of(sample, cases[i].in, 60, value_uint(60), &bytes);

		if (cases[i].precision)
			put(call, "precision", value_string(cases[i].precision));
		if (cases[i].target > 0)
			put(call, "target_error", value_real(cases[i].target));
		if (cases[i].dtype)
			put(call, "dtype", value_string(cases[i].dtype));
		const struct value *reply = call_run(call, bed.space, "fft");
		widen(reply, sample->got);
		reference(sample->in, sample->expected, 1, 60, 60, 1, false, 1);
		assert_true(value_is_text(value_get(reply, "dtype"), cases[i].out));
		assert_true(value_is_text(value_get(reply, "precision"), cases[i].ran));
		/* The input, too, is rounded to float32 by this test where its dtype is. */
		close_to(sample, 60,
			 value_get(reply, "bound")->real + (cases[i].in[1] == '3' || cases[i].in[1] == '6' ? 6e-8 : 0),
			 "precision", i);
		call_free(call);
		free(bytes);
		free(sample);
	}
	bed_close(&bed);
}

/* Long transforms, whose phases are many units, in tiles: in place, then back. */
static void test_long_in_place(void **state)
{
	enum { N = 1 << 18 };
	struct bed bed = bed_open(2);
	float *at, *before = malloc(2 * N * sizeof *before);
	uint64_t tile = tile_of(&bed, "c64", N, (void **)&at);
	double sum = 0, whole = 0;

	(void)state;
	assert_non_null(before);
	for (size_t i = 0; i < 2 * N; i++)
		at[i] = before[i] = (float)noise();
	for (int back = 0; back < 2; back++) {
		struct call *call = call_new();

		put(call, "in", value_uint(tile));
		put(call, "out", value_uint(tile));
		put(call, "inverse", value_bool(back));
		assert_int_equal(value_get(call_run(call, bed.space, "fft"), "tile")->u, tile);
		call_free(call);
	}
	for (size_t i = 0; i < 2 * N; i++) {
		sum += pow(at[i] - before[i], 2);
		whole += pow(before[i], 2);
	}
	if (!(sqrt(sum / whole) < 1e-6))
		fail_msg("there and back: relative error %.3g", sqrt(sum / whole));
	free(before);
	bed_close(&bed);
}

/* Half a spectrum of a Hermitian signal to reals, held against the sum over the whole of it, and back to it. */
static void test_hermitian(void **state)
{
	static const size_t lengths[] = {2, 7, 8, 100, 243};
	struct bed bed = bed_open(2);

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
		const struct value *reply = call_run(call, bed.space, "fft");
		widen(reply, sample->got);
		for (size_t k = 0; k < n; k++)
			sample->between[k] = k < half ? sample->in[k] : conj(sample->in[n - k]);
		reference(sample->between, sample->expected, 1, n, n, 1, false, 1);
		assert_true(value_is_text(value_get(reply, "dtype"), "f64"));
		close_to(sample, n, 1e-14, "hermitian", n);
		put(back, "in", array_of(back->zone, "f64", n, value_get(reply, "data")->bytes.at, n * 8));
		put(back, "hermitian", value_bool(true));
		put(back, "inverse", value_bool(true));
		widen(call_run(back, bed.space, "fft"), sample->got);
		memcpy(sample->expected, sample->in, half * sizeof *sample->in);
		close_to(sample, half, 2e-14, "hermitian and back", n);
		call_free(call);
		call_free(back);
		free(bytes);
		free(sample);
	}
	bed_close(&bed);
}

/* y[k] of a cosine or sine transform, by its definition. */
static double series_element(bool sine, unsigned type, const double complex *x, size_t n, size_t inner, size_t k)
{
	const long double pi = 3.14159265358979323846264338327950288L, h = 0.5L;
	long double sum = 0;

	for (size_t j = 0; j < n; j++) {
		const long double a = (long double)j + (type % 2 == 0 ? h : sine ? 1 : 0);
		const long double b = (long double)k + (type > 2 ? h : sine ? 1 : 0);
		const long double whole = type == 1 ? (long double)n + (sine ? 1 : -1) : (long double)n;
		const bool end = sine ? type == 3 && j + 1 == n : (type == 1 && (j == 0 || j + 1 == n)) || (type == 3 && j == 0);

		sum += (end ? 1 : 2) * creal(x[j * inner]) * (sine ? sinl(pi * a * b / whole) : cosl(pi * a * b / whole));
	}
	return (double)sum;
}

/* Every type, along the middle axis of three; and there and back over two axes, complex, in one tile's worth. */
static void test_series(void **state)
{
	enum { OUTER = 3, N = 10, INNER = 5, ALL = OUTER * N * INNER };
	struct bed bed = bed_open(2);

	(void)state;
	for (unsigned which = 0; which < 8; which++) {
		const bool sine = which / 4;
		const char *name = sine ? "dst" : "dct";
		const char type[2] = {(char)('1' + which % 4), 0};
		struct sample *sample = sample_new(true);
		void *bytes, *again;
		struct call *call = fft_call_of(sample, "f64", ALL, value_nil(), &bytes);
		struct call *there = fft_call_of(sample, "c64", ALL, value_nil(), &again), *back = call_new();

		value_put(call->zone, (struct value *)value_get(&call->params, "in"), "shape",
			  LIST(call, OUTER, N, INNER));
		put(call, "axes", value_int(1));
		put(call, "type", value_string(type));
		widen(call_run(call, bed.space, name), sample->got);
		for (size_t i = 0; i < ALL; i++)
			sample->expected[i] =
				series_element(sine, which % 4 + 1, sample->in + i / (N * INNER) * N * INNER + i % INNER, N,
					       INNER, i / INNER % N);
		close_to(sample, ALL, 1e-14, name, which % 4 + 1);

		value_put(there->zone, (struct value *)value_get(&there->params, "in"), "shape",
			  LIST(there, OUTER, N, INNER));
		for (unsigned i = 0; i < 2; i++) {
			put(i ? back : there, "axes", i ? LIST(back, 0, 2) : LIST(there, 0, 2));
			put(i ? back : there, "type", value_string(type));
			put(i ? back : there, "norm", value_string("ortho"));
			put(i ? back : there, "inverse", value_bool(i));
			if (i == 0) {
				const struct value *reply = call_run(there, bed.space, name);
				struct value in = array_of(back->zone, "c64", ALL, value_get(reply, "data")->bytes.at, ALL * 8);

				value_put(back->zone, &in, "shape", LIST(back, OUTER, N, INNER));
				put(back, "in", in);
			}
		}
		widen(call_run(back, bed.space, name), sample->got);
		memcpy(sample->expected, sample->in, ALL * sizeof *sample->in);
		close_to(sample, ALL, 4e-6, name, which % 4 + 1);
		call_free(call);
		call_free(there);
		call_free(back);
		free(bytes);
		free(again);
		free(sample);
	}
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths_and_dtypes),
		cmocka_unit_test(test_axes_lengths_and_norms),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_real_axes),
		cmocka_unit_test(test_hermitian),
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_long_in_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
