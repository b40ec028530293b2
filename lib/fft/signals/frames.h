/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of signals: overlapping stretches, padded at the signal's ends, freed of their trend, and windowed, read
 * straight from the signal.
 *
 * Signals are the rows of an array along an axis whose elements lie `stride` apart. Frame f of a row covers the
 * positions f hop - pad up to f hop - pad + n; those outside the signal are told by pad_mode. The window stands at
 * window_at inside the frame, zeros around it. */
#ifndef TRNSCI_FFT_FRAMES_H
#define TRNSCI_FFT_FRAMES_H

#include "fft/signals/signal.h"
#include "fft/signals/window.h"

enum pad_mode { PAD_REFLECT, PAD_CONSTANT, PAD_REPLICATE, PAD_CIRCULAR };

/* In the order of the operations' choices. */
enum detrend { DETREND_NONE, DETREND_CONSTANT, DETREND_LINEAR };

struct frames {
	enum fft_precision precision;
	bool is_complex;
	uint64_t rows, length, stride; /* signals, their elements, and the distance of these */
	uint64_t count, n, hop;        /* frames of a signal, their elements, and the distance of frames */
	uint64_t pad;                  /* < length for reflect, <= length for circular */
	enum pad_mode pad_mode;
	uint64_t window_n, window_at;
	enum detrend detrend;
};

/* What is taken from a frame: mean + slope (i - (window_n - 1) / 2), of the real and the imaginary part. */
struct trend {
	double mean[2], slope[2];
};

/* Frames that fit: 0 when the signal, with its padding, is shorter than one. */
uint64_t frames_count(uint64_t length, uint64_t pad, uint64_t n, uint64_t hop);

/* The sums that make a trend, over the elements [begin, end) of a frame's window: sum of x, and of x (i - middle), for
 * both parts. */
struct trend_sums {
	double sum[2], moment[2];
};

/* The trend of one frame. */
struct trend frames_find_trend(const struct frames *frames, const char *signals, uint64_t row, uint64_t f);

/* Elements [begin, end) of frame f of a row, times the window, to out. trend: NULL for none. */
void frames_load(const struct frames *frames, const char *signals, const char *window, const struct trend *trend,
		 uint64_t row, uint64_t f, uint64_t begin, uint64_t end, char *out);

/* As steps, for frames too long for scratch. in[0]: signals; in[1]: window; in[2]: sums (only with a trend).
 * sums: out is an array of struct trend_sums (rows, count, pieces of window_n); windowed: (rows, count, n). */
extern const struct signal_kind frames_sums, frames_windowed;

/* out: a window's elements, as the arithmetic has them. */
struct frames_window {
	struct window window;
	enum fft_precision precision;
};
extern const struct signal_kind frames_named_window;

#endif
