/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of signals: overlapping stretches that are padded at the signal's ends, detrended and windowed as they are
 * read.
 *
 * Signals are the rows of an array along an axis whose elements lie `stride` apart. Frame f of a row covers the
 * positions from f hop - pad up to f hop - pad + n, the end excluded. pad_mode defines those outside the signal. The
 * window begins at window_at inside the frame; the rest of the frame is zeros. */
#ifndef TRNSCI_FFT_FRAMES_H
#define TRNSCI_FFT_FRAMES_H

#include "fft/signals/signal.h"
#include "fft/signals/window.h"

enum pad_mode { PAD_REFLECT, PAD_CONSTANT, PAD_REPLICATE, PAD_CIRCULAR };

/* In the order of the choices in the operation table. */
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

/* The line that is subtracted from a frame: mean + slope (i - (window_n - 1) / 2), for the real and the imaginary
 * part. */
struct trend {
	double mean[2], slope[2];
};

/* Returns how many frames fit into a signal with its padding; 0 if it is shorter than one. */
uint64_t frames_count(uint64_t length, uint64_t pad, uint64_t n, uint64_t hop);

/* The sums that give a trend, over some elements of a frame: of x, and of x (i - middle), for both parts. */
struct trend_sums {
	double sum[2], moment[2];
};

/* Computes the trend of one frame, by least squares. */
struct trend frames_find_trend(const struct frames *frames, const char *signals, uint64_t row, uint64_t f);

/* Stores elements [begin, end) of frame f of a row, less its trend (NULL: none), times the window. */
void frames_load(const struct frames *frames, const char *signals, const char *window, const struct trend *trend,
		 uint64_t row, uint64_t f, uint64_t begin, uint64_t end, char *out);

/* The same in steps, for frames too long for scratch. in[0]: signals; in[1]: window; in[2]: sums (only with a
 * trend). frames_sums gives struct trend_sums (rows, count, pieces of window_n), frames_windowed the frames (rows,
 * count, n). */
extern const struct signal_kind frames_sums, frames_windowed;

/* Computes a window in the precision of the transforms. out: its elements. */
struct frames_window {
	struct window window;
	enum fft_precision precision;
};
extern const struct signal_kind frames_named_window;

#endif
