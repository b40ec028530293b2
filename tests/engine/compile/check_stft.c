/* SPDX-License-Identifier: Apache-2.0 */
/* Short-time transforms as requests, against their definition (torch.stft) summed in long double; bytes that no cut or
 * thread changes; errors. */
#include "stft_options.h"

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

static wide_t *reference(const struct options *o, const wide_t *signal)
{
	const size_t bins = bins_of(o), frames = frames_of(o), n = o->n_fft, pad = o->center ? n / 2 : 0;
	const long double scale = o->normalized ? 1 / sqrtl((long double)n) : 1;
	long double *window = window_of(o);
	wide_t *out = calloc(o->rows * bins * frames, sizeof *out);
	const wide_t *roots = roots_of_unity(n);

	assert_non_null(out);
	for (size_t row = 0; row < o->rows; row++) {
		wide_t *x = padded(o, signal + row * o->length, pad);

		for (size_t f = 0; f < frames; f++)
			for (size_t k = 0; k < bins; k++) {
				wide_t sum = 0;

				for (size_t i = 0; i < n; i++)
					sum += window[i] * x[f * hop_of(o) + i] * conjl(roots[i * k % n]);
				out[place(o, row, k, f)] = sum * scale;
			}
		free(x);
	}
	free(window);
	return out;
}

static void hold_forward(struct fixture *fixture, const struct options *o)
{
	struct sample s = sample_new(o->dtype, o->rows * o->length);
	struct call *call = stft_call(o, &s);
	const struct value *reply = call_run(call, fixture->memory, "stft");
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
	struct fixture fixture = fixture_open(2);
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
			hold_forward(&fixture, &o);
		}
	hold_forward(&fixture,
		     &(struct options){
			     .dtype = "f32", .rows = 3, .length = 20000, .n_fft = 512, .hop = 128, .center = true});
	hold_forward(
		&fixture,
		&(struct options){.dtype = "f64", .rows = 1, .length = 3000, .n_fft = 1000, .hop = 77, .win = 999});
	hold_forward(
		&fixture,
		&(struct options){
			.dtype = "f32", .rows = 1, .length = 700, .n_fft = 1009, .center = true, .two_sided = true});
	fixture_close(&fixture);
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
		struct fixture fixture = fixture_open(threads[i]);
		struct call *all = stft_call(&o, &s), *one = stft_call(&alone, &last);
		const struct value *of_all = call_run(all, fixture.memory, "stft"),
				   *of_one = call_run(one, fixture.memory, "stft");
		const size_t bytes = value_get(of_one, "data")->bytes.size;

		if (i == 0)
			first = hash_of(of_all);
		if (hash_of(of_all) != first)
			fail_msg("%u threads: other bytes than 1", threads[i]);
		assert_memory_equal(value_get(of_all, "data")->bytes.at + 2 * bytes,
				    value_get(of_one, "data")->bytes.at, bytes);
		call_free(all);
		call_free(one);
		fixture_close(&fixture);
	}
	sample_free(&s);
}

/* Frames too long for scratch go through steps of their own; they are the windowed frames, transformed. */
static void test_long_frames(void **state)
{
	const size_t n = 1 << 18, hop = 50000, length = n + 2 * hop + 17, frames = 3;
	struct fixture fixture = fixture_open_with(2, cpu_detect(), 256 << 20, NULL);
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

	const struct value *a = value_get(call_run(whole, fixture.memory, "stft"), "data");
	const struct value *b = value_get(call_run(each, fixture.memory, "fft"), "data");

	assert_int_equal(a->bytes.size, b->bytes.size);
	assert_memory_equal(a->bytes.at, b->bytes.at, a->bytes.size);
	call_free(whole);
	call_free(each);
	sample_free(&s);
	sample_free(&cut);
	sample_free(&w);
	fixture_close(&fixture);
}

/* ---- errors ---- */

static void test_errors(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *call;

	(void)state;
	call_fails(plain("i32", 1, 64, 1, 16), fixture.memory, "stft", ERROR_BAD_SHAPE,
		   "bad_shape: stft: in: its dtype is i32");
	call_fails(plain("f32", 1, 8, 1, 16), fixture.memory, "stft", ERROR_OUT_OF_RANGE,
		   "out_of_range: stft: pad_mode: reflect pads 8 samples");
	call = plain("f32", 1, 15, 1, 16);
	put(call, "center", value_bool(false));
	call_fails(call, fixture.memory, "stft", ERROR_OUT_OF_RANGE,
		   "out_of_range: stft: n_fft: got 16, allowed is up to the 15 samples");
	call = plain("f32", 1, 7, 1, 16);
	put(call, "pad_mode", value_string("circular"));
	call_fails(call, fixture.memory, "stft", ERROR_OUT_OF_RANGE, "out_of_range: stft: pad_mode: circular pads 8");
	call = plain("c64", 1, 32, 1, 16);
	put(call, "onesided", value_bool(true));
	call_fails(call, fixture.memory, "stft", ERROR_OUT_OF_RANGE, "out_of_range: stft: onesided: ");
	call = plain("f32", 1, 32, 1, 16);
	put(call, "win_length", value_uint(17));
	call_fails(call, fixture.memory, "stft", ERROR_OUT_OF_RANGE,
		   "out_of_range: stft: win_length: got 17, allowed is 1 to n_fft, 16");
	call = plain("f32", 1, 32, 1, 16);
	put(call, "window", value_string("gaussian"));
	call_fails(call, fixture.memory, "stft", ERROR_MISSING_PARAMETER,
		   "missing_parameter: stft: window_parameter: missing: give that of gaussian");
	call = plain("f32", 1, 32, 1, 16);
	put(call, "window", value_string("tukey"));
	put(call, "window_parameter", value_real(1.5));
	call_fails(call, fixture.memory, "stft", ERROR_OUT_OF_RANGE,
		   "out_of_range: stft: window_parameter: got 1.5, allowed for tukey");
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forward),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_long_frames),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
