/* SPDX-License-Identifier: Apache-2.0 */
/* Short-time transforms as requests, against their definition (torch.stft, torch.istft) summed in long double; round
 * trips; errors; bytes that no cut or thread changes. */
#include "engine/signals.h"

struct options {
	const char *dtype;
	size_t rows, length, n_fft, hop, win; /* hop, win: 0 for the defaults */
	bool center, normalized, frames_first, two_sided;
	unsigned pad_mode;
};

static const char *const pad_modes[] = {"reflect", "constant", "replicate", "circular"};

static const char *text_of(const struct options *o)
{
	static char text[256];

	snprintf(text, sizeof text,
		 "%s rows %zu length %zu n_fft %zu hop %zu win %zu center %d normalized %d frames_first %d two_sided "
		 "%d %s",
		 o->dtype, o->rows, o->length, o->n_fft, o->hop, o->win, o->center, o->normalized, o->frames_first,
		 o->two_sided, pad_modes[o->pad_mode]);
	return text;
}

static bool is_complex(const struct options *o)
{
	return o->dtype[0] == 'c';
}

static bool is_wide(const struct options *o)
{
	return strcmp(o->dtype, "f64") == 0 || strcmp(o->dtype, "c128") == 0;
}

static size_t hop_of(const struct options *o)
{
	return o->hop ? o->hop : o->n_fft / 4;
}

static size_t bins_of(const struct options *o)
{
	return is_complex(o) || o->two_sided ? o->n_fft : o->n_fft / 2 + 1;
}

/* A periodic Hann window in the middle of n_fft, rounded as the arithmetic has it. */
static long double *window_of(const struct options *o)
{
	const size_t win = o->win ? o->win : o->n_fft;
	long double *window = calloc(o->n_fft, sizeof *window);

	assert_non_null(window);
	for (size_t i = 0; i < win; i++) {
		const double x =
			win == 1 ? 1 : (double)(0.5L - 0.5L * cosl(2 * PI_L * (long double)i / (long double)win));

		window[(o->n_fft - win) / 2 + i] = is_wide(o) ? (long double)x : (long double)(float)x;
	}
	return window;
}

/* The signal with its padding, as torch.nn.functional.pad makes it; elements on either side. */
static wide_t *padded(const struct options *o, const wide_t *row, size_t pad)
{
	wide_t *to = calloc(o->length + 2 * pad, sizeof *to);

	assert_non_null(to);
	for (size_t i = 0; i < o->length; i++)
		to[pad + i] = row[i];
	for (size_t i = 1; i <= pad; i++) {
		wide_t *left = &to[pad - i], *right = &to[pad + o->length - 1 + i];

		switch (o->pad_mode) {
		case 0:
			*left = row[i];
			*right = row[o->length - 1 - i];
			break;
		case 2:
			*left = row[0];
			*right = row[o->length - 1];
			break;
		case 3:
			*left = row[o->length - i];
			*right = row[i - 1];
			break;
		default:
			break;
		}
	}
	return to;
}

static size_t frames_of(const struct options *o)
{
	return (o->length + (o->center ? o->n_fft / 2 * 2 : 0) - o->n_fft) / hop_of(o) + 1;
}

/* (rows, bins, frames), or (rows, frames, bins) */
static size_t place(const struct options *o, size_t row, size_t k, size_t f)
{
	const size_t bins = bins_of(o), frames = frames_of(o);

	return o->frames_first ? (row * frames + f) * bins + k : (row * bins + k) * frames + f;
}

static wide_t *reference(const struct options *o, const wide_t *signal)
{
	const size_t bins = bins_of(o), frames = frames_of(o), n = o->n_fft, pad = o->center ? n / 2 : 0;
	const long double scale = o->normalized ? 1 / sqrtl((long double)n) : 1;
	long double *window = window_of(o);
	wide_t *out = calloc(o->rows * bins * frames, sizeof *out), *roots = calloc(n, sizeof *roots);

	assert_non_null(out);
	for (size_t i = 0; i < n; i++)
		roots[i] = cosl(2 * PI_L * (long double)i / (long double)n) -
			   I * sinl(2 * PI_L * (long double)i / (long double)n);
	for (size_t row = 0; row < o->rows; row++) {
		wide_t *x = padded(o, signal + row * o->length, pad);

		for (size_t f = 0; f < frames; f++)
			for (size_t k = 0; k < bins; k++) {
				wide_t sum = 0;

				for (size_t i = 0; i < n; i++)
					sum += window[i] * x[f * hop_of(o) + i] * roots[i * k % n];
				out[place(o, row, k, f)] = sum * scale;
			}
		free(x);
	}
	free(window);
	free(roots);
	return out;
}

/* What both directions take. */
static void put_options(struct call *call, const struct options *o)
{
	put(call, "n_fft", value_uint(o->n_fft));
	if (o->hop)
		put(call, "hop_length", value_uint(o->hop));
	if (o->win)
		put(call, "win_length", value_uint(o->win));
	put(call, "window", value_string("hann"));
	if (!o->center)
		put(call, "center", value_bool(false));
	if (o->normalized)
		put(call, "normalized", value_bool(true));
	if (o->frames_first)
		put(call, "layout", value_string("frames_bins"));
	if (o->two_sided)
		put(call, "onesided", value_bool(false));
}

static struct call *stft_call(const struct options *o, const struct sample *s)
{
	struct call *call = call_new();

	put_options(call, o);
	if (o->pad_mode)
		put(call, "pad_mode", value_string(pad_modes[o->pad_mode]));
	put_sample(call, "in", s, o->rows > 1 ? 2 : 0, (int64_t[]){(int64_t)o->rows, (int64_t)o->length});
	return call;
}

static void hold_forward(struct bed *bed, const struct options *o)
{
	struct sample s = sample_new(o->dtype, o->rows * o->length);
	struct call *call = stft_call(o, &s);
	const struct value *reply = call_run(call, bed->space, "stft");
	wide_t *expected = reference(o, s.wide);
	const size_t at = o->rows > 1, bins = bins_of(o), frames = frames_of(o);

	if (reply_dim(reply, at) != (o->frames_first ? frames : bins) ||
	    reply_dim(reply, at + 1) != (o->frames_first ? bins : frames))
		fail_msg("%s: shape (%zu, %zu), expected %zu bins and %zu frames", text_of(o), reply_dim(reply, at),
			 reply_dim(reply, at + 1), bins, frames);
	hold(reply, expected, o->rows * bins * frames, is_wide(o) ? 1e-14 : 1e-6, text_of(o));
	free(expected);
	call_free(call);
	sample_free(&s);
}

/* Every combination for small frames; a few larger ones. */
static void test_forward(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	static const size_t lengths[] = {1, 2, 3, 4, 7, 8, 15, 16, 33, 64};
	struct bed bed = bed_open(2);
	unsigned seen = 0;

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (unsigned bits = 0; bits < 256; bits++) {
			const size_t n = lengths[i];
			struct options o = {
				.dtype = dtypes[bits & 3],
				.rows = 1 + (bits >> 2 & 1) * 2,
				.n_fft = n,
				.hop = bits & 8 ? n / 3 + 1
				       : n < 4  ? 1
						: 0,
				.win = bits & 16 && n > 2 ? n - n / 3 : 0,
				.center = bits >> 5 & 1,
				.pad_mode = bits >> 6,
				.normalized = seen % 3 == 0,
				.frames_first = seen % 5 == 0,
			};

			seen++;
			o.two_sided = !is_complex(&o) && seen % 2;
			/* As short as may be, and longer. */
			o.length = seen % 7 == 0 ? n : n + 3 * seen % 50;
			if (o.center && o.pad_mode == 0 && o.length <= n / 2)
				o.length = n / 2 + 1;
			hold_forward(&bed, &o);
		}
	hold_forward(&bed,
		     &(struct options){
			     .dtype = "f32", .rows = 3, .length = 20000, .n_fft = 512, .hop = 128, .center = true});
	hold_forward(&bed, &(struct options){
				   .dtype = "f64", .rows = 1, .length = 3000, .n_fft = 1000, .hop = 77, .win = 999});
	hold_forward(
		&bed,
		&(struct options){
			.dtype = "f32", .rows = 1, .length = 700, .n_fft = 1009, .center = true, .two_sided = true});
	bed_close(&bed);
}

/* ---- back ---- */

struct back {
	size_t length; /* asked for; 0: none */
	bool is_complex;
};

static wide_t *reference_back(const struct options *o, const wide_t *spectra, const struct back *back, size_t *ret_n)
{
	const size_t bins = bins_of(o), frames = frames_of(o), n = o->n_fft, hop = hop_of(o),
		     pad = o->center ? n / 2 : 0;
	const size_t reach = n + hop * (frames - 1), length = back->length ? back->length : reach - 2 * pad;
	const long double scale = o->normalized ? 1 / sqrtl((long double)n) : 1 / (long double)n;
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
					const long double angle = 2 * PI_L * (long double)(i * k % n) / (long double)n;
					const bool real = !back->is_complex && (k == 0 || 2 * k == n);

					x += (mirrored ? conjl(v)
					      : real   ? creall(v)
						       : v) *
					     (cosl(angle) + I * sinl(angle));
				}
				sums[f * hop + i] += x * scale * window[i];
				squares[f * hop + i] += window[i] * window[i];
			}
		for (size_t i = 0; i < length && pad + i < reach; i++)
			out[row * length + i] = sums[pad + i] / squares[pad + i];
	}
	(void)bins;
	free(window);
	free(squares);
	free(sums);
	*ret_n = o->rows * length;
	return out;
}

static void hold_back(struct bed *bed, const struct options *o, const struct back *back)
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
	hold(call_run(call, bed->space, "istft"), expected, n, is_wide(o) ? 1e-14 : 1e-6, text_of(o));
	free(expected);
	call_free(call);
	sample_free(&s);
}

static void test_back(void **state)
{
	static const size_t lengths[] = {4, 7, 8, 15, 16, 30};
	struct bed bed = bed_open(2);

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

			hold_back(&bed, &o, &back);
		}
	/* More frames over a sample than a unit transforms again. */
	hold_back(&bed,
		  &(struct options){.dtype = "f32", .rows = 2, .n_fft = 64, .hop = 2, .center = true, .length = 200},
		  &(struct back){0});
	hold_back(&bed,
		  &(struct options){.dtype = "f64", .rows = 1, .n_fft = 100, .hop = 40, .center = true, .length = 4000},
		  &(struct back){.length = 3950});
	bed_close(&bed);
}

/* A tile there and back: the signal again, to its last sample. */
static void round_trip(struct bed *bed, const struct options *o)
{
	struct sample s = sample_new(o->dtype, o->length);
	struct call *there = stft_call(o, &s), *back = call_new();
	const struct value *spectra = call_run(there, bed->space, "stft"), *data = value_get(spectra, "data");
	struct sample between = {.dtype = is_wide(o) ? DTYPE_C128 : DTYPE_C64, .bytes = data->bytes.size};

	between.data = (void *)(uintptr_t)data->bytes.at;
	between.n = between.bytes / dtype_size(between.dtype);
	put_options(back, o);
	put(back, "length", value_uint(o->length));
	if (is_complex(o))
		put(back, "return_complex", value_bool(true));
	put_sample(back, "in", &between, 2,
		   (int64_t[]){(int64_t)reply_dim(spectra, 0), (int64_t)reply_dim(spectra, 1)});
	hold(call_run(back, bed->space, "istft"), s.wide, o->length, is_wide(o) ? 1e-14 : 1e-6, text_of(o));
	call_free(there);
	call_free(back);
	sample_free(&s);
}

static void test_round_trip(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
	struct bed bed = bed_open(2);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		round_trip(&bed, &(struct options){.dtype = dtypes[i],
						   .rows = 1,
						   .length = 100000,
						   .n_fft = 512,
						   .hop = 128,
						   .center = true});
		round_trip(&bed, &(struct options){.dtype = dtypes[i],
						   .rows = 1,
						   .length = 30011,
						   .n_fft = 509,
						   .hop = 131,
						   .center = true,
						   .frames_first = true});
		round_trip(&bed, &(struct options){.dtype = dtypes[i],
						   .rows = 1,
						   .length = 3000,
						   .n_fft = 256,
						   .hop = 5,
						   .center = true,
						   .pad_mode = 3});
		round_trip(&bed, &(struct options){.dtype = dtypes[i],
						   .rows = 1,
						   .length = 200000,
						   .n_fft = 65536 * 3,
						   .hop = 65536,
						   .center = true,
						   .pad_mode = 1});
	}
	bed_close(&bed);
}

/* ---- bytes ---- */

static uint64_t hash_of(const struct value *reply)
{
	const struct value *data = value_get(reply, "data");
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < data->bytes.size; i++)
		hash = (hash ^ (unsigned char)data->bytes.at[i]) * UINT64_C(1099511628211);
	return hash;
}

/* 1, 2, 7 and 128 threads give the same bytes; so does one signal alone and as the last of a batch. */
static void test_threads(void **state)
{
	static const unsigned threads[] = {1, 2, 7, 128};
	const struct options o = {.dtype = "f32", .rows = 3, .length = 40000, .n_fft = 400, .hop = 100, .center = true};
	struct options alone = o;
	struct sample s = sample_new("f32", o.rows * o.length), last = {.dtype = DTYPE_F32, .n = o.length};
	uint64_t first = 0;

	(void)state;
	alone.rows = 1;
	last.bytes = o.length * sizeof(float);
	last.data = (float *)s.data + 2 * o.length;
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		struct bed bed = bed_open(threads[i]);
		struct call *all = stft_call(&o, &s), *one = stft_call(&alone, &last);
		const struct value *of_all = call_run(all, bed.space, "stft"),
				   *of_one = call_run(one, bed.space, "stft");
		const size_t bytes = value_get(of_one, "data")->bytes.size;

		if (i == 0)
			first = hash_of(of_all);
		if (hash_of(of_all) != first)
			fail_msg("%u threads: other bytes than 1", threads[i]);
		assert_memory_equal(value_get(of_all, "data")->bytes.at + 2 * bytes,
				    value_get(of_one, "data")->bytes.at, bytes);
		call_free(all);
		call_free(one);
		bed_close(&bed);
	}
	sample_free(&s);
}

/* Frames too long for scratch go through steps of their own; they are the windowed frames, transformed. */
static void test_long_frames(void **state)
{
	const size_t n = 1 << 18, hop = 50000, length = n + 2 * hop + 17, frames = 3;
	struct bed bed = bed_open_with(2, cpu_detect(), 256 << 20, NULL);
	struct sample s = sample_new("f32", length), cut = sample_new("f32", frames * n), w = sample_new("f32", n);
	struct call *whole = call_new(), *each = call_new();

	(void)state;
	for (size_t f = 0; f < frames; f++)
		for (size_t i = 0; i < n; i++)
			((float *)cut.data)[f * n + i] = ((float *)s.data)[f * hop + i] * ((float *)w.data)[i];
	put_sample(whole, "in", &s, 0, NULL);
	put_sample(whole, "window_values", &w, 0, NULL);
	put(whole, "n_fft", value_uint(n));
	put(whole, "hop_length", value_uint(hop));
	put(whole, "center", value_bool(false));
	put(whole, "layout", value_string("frames_bins"));
	put_sample(each, "in", &cut, 2, (int64_t[]){(int64_t)frames, (int64_t)n});
	put(each, "real", value_bool(true));

	const struct value *a = value_get(call_run(whole, bed.space, "stft"), "data");
	const struct value *b = value_get(call_run(each, bed.space, "fft"), "data");

	assert_int_equal(a->bytes.size, b->bytes.size);
	assert_memory_equal(a->bytes.at, b->bytes.at, a->bytes.size);
	call_free(whole);
	call_free(each);
	sample_free(&s);
	sample_free(&cut);
	sample_free(&w);
	bed_close(&bed);
}

/* ---- errors ---- */

static struct call *plain(const char *dtype, size_t ndim, int64_t a, int64_t b, uint64_t n_fft)
{
	static const float zeros[4096];
	struct call *call = call_new();
	const size_t n = (size_t)(a * b);
	struct value map = array_of(call->zone, dtype, n, zeros, n * dtype_size(dtype_parse(dtype, strlen(dtype))));

	assert_int_equal(value_put(call->zone, &map, "shape", list_of(call->zone, ndim, (int64_t[]){a, b})), 0);
	put(call, "in", map);
	put(call, "n_fft", value_uint(n_fft));
	return call;
}

static void test_errors(void **state)
{
	struct bed bed = bed_open(1);
	struct call *call;

	(void)state;
	call_fails(plain("i32", 1, 64, 1, 16), bed.space, "stft", ERROR_BAD_SHAPE,
		   "bad_shape: stft: in: its dtype is i32");
	call_fails(plain("f32", 1, 8, 1, 16), bed.space, "stft", ERROR_OUT_OF_RANGE,
		   "out_of_range: stft: pad_mode: reflect pads 8 samples");
	call = plain("f32", 1, 15, 1, 16);
	put(call, "center", value_bool(false));
	call_fails(call, bed.space, "stft", ERROR_OUT_OF_RANGE,
		   "out_of_range: stft: n_fft: got 16, allowed is up to the 15 samples");
	call = plain("f32", 1, 7, 1, 16);
	put(call, "pad_mode", value_string("circular"));
	call_fails(call, bed.space, "stft", ERROR_OUT_OF_RANGE, "out_of_range: stft: pad_mode: circular pads 8");
	call = plain("c64", 1, 32, 1, 16);
	put(call, "onesided", value_bool(true));
	call_fails(call, bed.space, "stft", ERROR_OUT_OF_RANGE, "out_of_range: stft: onesided: ");
	call = plain("f32", 1, 32, 1, 16);
	put(call, "win_length", value_uint(17));
	call_fails(call, bed.space, "stft", ERROR_OUT_OF_RANGE,
		   "out_of_range: stft: win_length: got 17, allowed is 1 to n_fft, 16");
	call = plain("f32", 1, 32, 1, 16);
	put(call, "window", value_string("gaussian"));
	call_fails(call, bed.space, "stft", ERROR_MISSING_PARAMETER,
		   "missing_parameter: stft: window_parameter: gaussian takes one");
	call = plain("f32", 1, 32, 1, 16);
	put(call, "window", value_string("tukey"));
	put(call, "window_parameter", value_real(1.5));
	call_fails(call, bed.space, "stft", ERROR_OUT_OF_RANGE,
		   "out_of_range: stft: window_parameter: got 1.5, allowed for tukey");
	call_fails(plain("f32", 2, 9, 3, 16), bed.space, "istft", ERROR_BAD_SHAPE,
		   "bad_shape: istft: in: its dtype is f32");
	call_fails(plain("c64", 2, 8, 3, 16), bed.space, "istft", ERROR_BAD_SHAPE,
		   "bad_shape: istft: in: it has 8 bins");
	/* The first sample of a Hann window is 0: without center nothing covers the signal's first. */
	call = plain("c64", 2, 9, 3, 16);
	put(call, "window", value_string("hann"));
	put(call, "center", value_bool(false));
	call_fails(call, bed.space, "istft", ERROR_OUT_OF_RANGE,
		   "out_of_range: istft: window: the squared windows over a sample sum to 1e-11 or less");
	/* Gaps between frames, met far from both ends. */
	call = plain("c64", 2, 5, 300, 8);
	put(call, "hop_length", value_uint(9));
	call_fails(call, bed.space, "istft", ERROR_OUT_OF_RANGE, "out_of_range: istft: window: the squared windows");
	call = plain("c64", 2, 9, 3, 16);
	put(call, "return_complex", value_bool(true));
	call_fails(call, bed.space, "istft", ERROR_OUT_OF_RANGE, "out_of_range: istft: return_complex: ");
	call_fails(plain("c64", 2, 9, 1, 16), bed.space, "istft", ERROR_MISSING_PARAMETER,
		   "missing_parameter: istft: length: ");
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forward), cmocka_unit_test(test_back),        cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_long_frames), cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
