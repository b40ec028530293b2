/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse short-time transforms as requests, against their definition (torch.istft) summed in long double; round trips;
 * errors. */
#include "stft_options.h"

struct back {
	size_t length; /* asked for; 0: none */
	bool is_complex;
};

static wide_t *reference_back(const struct options *o, const wide_t *spectra, const struct back *back, size_t *ret_n)
{
	const size_t frames = frames_of(o), n = o->n_fft, hop = hop_of(o), pad = o->center ? n / 2 : 0;
	const size_t reach = n + hop * (frames - 1), length = back->length ? back->length : reach - 2 * pad;
	const long double scale = o->normalized ? 1 / sqrtl((long double)n) : 1 / (long double)n;
	const wide_t *roots = roots_of_unity(n);
	long double *window = window_of(o), *squares = calloc(reach, sizeof *squares);
	wide_t *sums = calloc(reach, sizeof *sums), *out = calloc(o->rows * length, sizeof *out);

	assert_non_null(out);
	for (size_t row = 0; row < o->rows; row++) {
		memset(sums, 0, reach * sizeof *sums);
		memset(squares, 0, reach * sizeof *squares);
		for (size_t f = 0; f < frames; f++)
			for (size_t i = 0; i < n; i++) {
				wide_t x = 0;

				for (size_t k = 0; k < n; k++) {
					const bool mirrored = !back->is_complex && k > n / 2;
					const wide_t v = spectra[place(o, row, mirrored ? n - k : k, f)];
					const bool real = !back->is_complex && (k == 0 || 2 * k == n);

					x += (mirrored ? conjl(v) : real ? creall(v) : v) * roots[i * k % n];
				}
				sums[f * hop + i] += x * scale * window[i];
				squares[f * hop + i] += window[i] * window[i];
			}
		for (size_t i = 0; i < length && pad + i < reach; i++)
			out[row * length + i] = sums[pad + i] / squares[pad + i];
	}
	free(window);
	free(squares);
	free(sums);
	*ret_n = o->rows * length;
	return out;
}

static void hold_back(struct fixture *fixture, const struct options *o, const struct back *back)
{
	const size_t bins = bins_of(o), frames = frames_of(o);
	struct sample s = sample_new(is_wide(o) ? "c128" : "c64", o->rows * bins * frames);
	struct call *call = call_new();
	const size_t a = o->frames_first ? frames : bins, b = o->frames_first ? bins : frames;
	size_t n;
	wide_t *expected = reference_back(o, s.wide, back, &n);

	put_options(call, o);
	if (back->length)
		put(call, "length", value_uint(back->length));
	if (back->is_complex)
		put(call, "return_complex", value_bool(true));
	put_sample(call, "in", &s, 3, (int64_t[]){(int64_t)o->rows, (int64_t)a, (int64_t)b});
	hold(call_run(call, fixture->memory, "istft"), expected, n, is_wide(o) ? 1e-14 : 1e-6, text_of(o));
	free(expected);
	call_free(call);
	sample_free(&s);
}

static void test_back(void **state)
{
	static const size_t lengths[] = {4, 7, 8, 15, 16, 30};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (unsigned bits = 0; bits < 128; bits++) {
			const size_t n = lengths[i];
			const struct options o = {
				.dtype = bits & 2   ? (bits & 1 ? "c128" : "c64")
					 : bits & 1 ? "f64"
						    : "f32",
				.rows = 1 + (bits >> 2 & 1),
				.n_fft = n,
				.hop = bits & 8 ? 1 : 0,
				.center = true,
				.two_sided = bits >> 4 & 1 || bits & 2,
				.normalized = bits >> 5 & 1,
				.frames_first = bits >> 6,
				.length = n + 5 * n / 3 + bits % 5,
			};
			const size_t reach = n - n / 2 + hop_of(&o) * (frames_of(&o) - 1);
			/* Without a length; shorter than the frames reach; what they reach but for the last window's
			 * zero; longer. */
			const struct back back = {(size_t[]){0, reach / 2 + 1, n, 0}[bits % 4], bits & 2 ? 1 : 0};

			hold_back(&fixture, &o, &back);
		}
	/* More frames over a sample than a unit transforms again. */
	hold_back(&fixture,
		  &(struct options){.dtype = "f32", .rows = 2, .n_fft = 64, .hop = 2, .center = true, .length = 200},
		  &(struct back){0});
	hold_back(&fixture,
		  &(struct options){.dtype = "f64", .rows = 1, .n_fft = 100, .hop = 40, .center = true, .length = 4000},
		  &(struct back){.length = 3950});
	fixture_close(&fixture);
}

/* A tile there and back: the signal again, to its last sample. */
static void round_trip(struct fixture *fixture, const struct options *o)
{
	struct sample s = sample_new(o->dtype, o->length);
	struct call *there = stft_call(o, &s), *back = call_new();
	const struct value *spectra = call_run(there, fixture->memory, "stft"), *data = value_get(spectra, "data");
	struct sample between = {.dtype = is_wide(o) ? DTYPE_C128 : DTYPE_C64, .bytes = data->bytes.size};

	between.data = (void *)(uintptr_t)data->bytes.at;
	between.n = between.bytes / dtype_size(between.dtype);
	put_options(back, o);
	put(back, "length", value_uint(o->length));
	if (is_complex(o))
		put(back, "return_complex", value_bool(true));
	put_sample(back, "in", &between, 2,
		   (int64_t[]){(int64_t)reply_dim(spectra, 0), (int64_t)reply_dim(spectra, 1)});
	hold(call_run(back, fixture->memory, "istft"), s.wide, o->length, is_wide(o) ? 1e-14 : 1e-6, text_of(o));
	call_free(there);
	call_free(back);
	sample_free(&s);
}

static void test_round_trip(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		round_trip(&fixture, &(struct options){.dtype = dtypes[i],
						       .rows = 1,
						       .length = 100000,
						       .n_fft = 512,
						       .hop = 128,
						       .center = true});
		round_trip(&fixture, &(struct options){.dtype = dtypes[i],
						       .rows = 1,
						       .length = 30011,
						       .n_fft = 509,
						       .hop = 131,
						       .center = true,
						       .frames_first = true});
		round_trip(&fixture, &(struct options){.dtype = dtypes[i],
						       .rows = 1,
						       .length = 3000,
						       .n_fft = 256,
						       .hop = 5,
						       .center = true,
						       .pad_mode = 3});
		round_trip(&fixture, &(struct options){.dtype = dtypes[i],
						       .rows = 1,
						       .length = 200000,
						       .n_fft = 65536 * 3,
						       .hop = 65536,
						       .center = true,
						       .pad_mode = 1});
	}
	fixture_close(&fixture);
}

static void test_errors(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *call;

	(void)state;
	call_fails(plain("f32", 2, 9, 3, 16), fixture.memory, "istft", ERROR_BAD_SHAPE,
		   "bad_shape: istft: in: its dtype is f32");
	call_fails(plain("c64", 2, 8, 3, 16), fixture.memory, "istft", ERROR_BAD_SHAPE,
		   "bad_shape: istft: in: it has 8 bins");
	/* The first sample of a Hann window is 0: without center nothing covers the signal's first. */
	call = plain("c64", 2, 9, 3, 16);
	put(call, "window", value_string("hann"));
	put(call, "center", value_bool(false));
	call_fails(call, fixture.memory, "istft", ERROR_OUT_OF_RANGE,
		   "out_of_range: istft: window: the squared windows over a sample sum to 1e-11 or less");
	/* Gaps between frames, met far from both ends. */
	call = plain("c64", 2, 5, 300, 8);
	put(call, "hop_length", value_uint(9));
	call_fails(call, fixture.memory, "istft", ERROR_OUT_OF_RANGE,
		   "out_of_range: istft: window: the squared windows");
	call = plain("c64", 2, 9, 3, 16);
	put(call, "return_complex", value_bool(true));
	call_fails(call, fixture.memory, "istft", ERROR_OUT_OF_RANGE, "out_of_range: istft: return_complex: ");
	call_fails(plain("c64", 2, 9, 1, 16), fixture.memory, "istft", ERROR_MISSING_PARAMETER,
		   "missing_parameter: istft: length: ");
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
