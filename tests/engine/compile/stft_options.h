/* SPDX-License-Identifier: Apache-2.0 */
/* Short-time transforms as requests: their options, the window and the shape that these make. */
#ifndef TESTS_ENGINE_STFT_OPTIONS_H
#define TESTS_ENGINE_STFT_OPTIONS_H

#include "signals.h"

struct options {
	const char *dtype;
	size_t rows, length, n_fft, hop, win; /* hop, win: 0 for the defaults */
	bool center, normalized, frames_first, two_sided;
	unsigned pad_mode;
};

static const char *const pad_modes[] = {"reflect", "constant", "replicate", "circular"};

static inline const char *text_of(const struct options *o)
{
	static char text[256];

	snprintf(text, sizeof text,
		 "%s rows %zu length %zu n_fft %zu hop %zu win %zu center %d normalized %d frames_first %d two_sided "
		 "%d %s",
		 o->dtype, o->rows, o->length, o->n_fft, o->hop, o->win, o->center, o->normalized, o->frames_first,
		 o->two_sided, pad_modes[o->pad_mode]);
	return text;
}

static inline bool is_complex(const struct options *o)
{
	return o->dtype[0] == 'c';
}

static inline bool is_wide(const struct options *o)
{
	return strcmp(o->dtype, "f64") == 0 || strcmp(o->dtype, "c128") == 0;
}

static inline size_t hop_of(const struct options *o)
{
	return o->hop ? o->hop : o->n_fft / 4;
}

static inline size_t bins_of(const struct options *o)
{
	return is_complex(o) || o->two_sided ? o->n_fft : o->n_fft / 2 + 1;
}

/* A periodic Hann window in the middle of n_fft, rounded as the arithmetic has it. */
static inline long double *window_of(const struct options *o)
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

static inline size_t frames_of(const struct options *o)
{
	return (o->length + (o->center ? o->n_fft / 2 * 2 : 0) - o->n_fft) / hop_of(o) + 1;
}

/* (rows, bins, frames), or (rows, frames, bins) */
static inline size_t place(const struct options *o, size_t row, size_t k, size_t f)
{
	const size_t bins = bins_of(o), frames = frames_of(o);

	return o->frames_first ? (row * frames + f) * bins + k : (row * bins + k) * frames + f;
}

/* What both directions take. */
static inline void put_options(struct call *call, const struct options *o)
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

static inline struct call *stft_call(const struct options *o, const struct sample *s)
{
	struct call *call = call_new();

	put_options(call, o);
	if (o->pad_mode)
		put(call, "pad_mode", value_string(pad_modes[o->pad_mode]));
	put_sample(call, "in", s, o->rows > 1 ? 2 : 0, (int64_t[]){(int64_t)o->rows, (int64_t)o->length});
	return call;
}

static inline struct call *plain(const char *dtype, size_t ndim, int64_t a, int64_t b, uint64_t n_fft)
{
	static const float zeros[4096];
	struct call *call = call_new();
	const size_t n = (size_t)(a * b);
	struct value map = array_of(call->bump, dtype, n, zeros, n * dtype_size(dtype_parse(dtype, strlen(dtype))));

	assert_int_equal(value_put(call->bump, &map, "shape", list_of(call->bump, ndim, (int64_t[]){a, b})), 0);
	put(call, "in", map);
	put(call, "n_fft", value_uint(n_fft));
	return call;
}

#endif
