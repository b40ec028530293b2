/* SPDX-License-Identifier: Apache-2.0 */
/* Reads frames. Elements inside the signal and the window, which are most, go through a plain loop; the others one by
 * one. */
#include "fft/signals/frames.h"

#include <string.h>

#include "base/checked.h"

#define BODY "fft/signals/frames_body.h"
#include "fft/signals/both_body.h"

uint64_t frames_count(uint64_t length, uint64_t pad, uint64_t n, uint64_t hop)
{
	const uint64_t padded = length + 2 * pad;

	return padded < n ? 0 : (padded - n) / hop + 1;
}

/* Returns the position inside the signal whose element stands at p, or -1 for a zero. */
static int64_t map_position(const struct frames *frames, int64_t p)
{
	const int64_t length = (int64_t)frames->length;

	if (p >= 0 && p < length)
		return p;
	switch (frames->pad_mode) {
	case PAD_REFLECT:
		return p < 0 ? -p : 2 * (length - 1) - p;
	case PAD_REPLICATE:
		return p < 0 ? 0 : length - 1;
	case PAD_CIRCULAR:
		return p < 0 ? p + length : p - length;
	default:
		return -1;
	}
}

/* Returns the sample at which frame f begins. It may be negative: the first frames begin in the padding. */
static int64_t frame_start(const struct frames *frames, uint64_t f)
{
	return (int64_t)(f * frames->hop) - (int64_t)frames->pad;
}

/* Returns the bytes of an element of signals and frames. */
static size_t element_bytes(const struct frames *frames)
{
	return signal_bytes(frames->precision, frames->is_complex);
}

/* ---- trends ---- */

/* Elements are counted from the middle of the window, so that mean and slope do not mix. */
static void sum_trend_piece(const struct frames *frames, const char *signals, uint64_t row, uint64_t f, uint64_t begin,
			    uint64_t end, struct trend_sums *ret)
{
	const size_t step = (size_t)frames->stride << frames->is_complex;
	const size_t at = signal_row(row, frames->length, frames->stride) +
			  (size_t)(frame_start(frames, f) + (int64_t)begin) * (size_t)frames->stride;
	const char *x = signals + at * element_bytes(frames);
	const double middle = ((double)frames->window_n - 1) / 2 - (double)begin;
	const size_t part = signal_bytes(frames->precision, false), n = (size_t)(end - begin);
	struct trend_sums sums = {{0}, {0}};

	for (unsigned i = 0; i <= frames->is_complex; i++)
		(frames->precision == FFT_F32 ? sum_f32 : sum_f64)(x + i * part, step, n, middle,
								   frames->detrend == DETREND_LINEAR, &sums.sum[i],
								   &sums.moment[i]);
	*ret = sums;
}

/* Computes a trend from the sums of all pieces. */
static struct trend combine_trend(const struct frames *frames, const struct trend_sums *pieces, size_t count)
{
	const double n = (double)frames->window_n;
	struct trend trend = {{0}, {0}};

	for (unsigned i = 0; i <= frames->is_complex; i++) {
		for (size_t p = 0; p < count; p++) {
			trend.mean[i] += pieces[p].sum[i];
			trend.slope[i] += pieces[p].moment[i];
		}
		trend.mean[i] /= n;
		/* The sum of (i - middle)^2 is n (n^2 - 1) / 12. */
		trend.slope[i] = frames->detrend == DETREND_LINEAR && n > 1 ? trend.slope[i] * 12 / n / (n * n - 1) : 0;
	}
	return trend;
}

/* Adds pieces in their order, as frames_sums and frames_windowed do: the bytes are the same. */
struct trend frames_find_trend(const struct frames *frames, const char *signals, uint64_t row, uint64_t f)
{
	struct trend_sums total = {{0}, {0}}, piece;

	for (uint64_t at = 0; at < frames->window_n; at += SIGNAL_PIECE) {
		const uint64_t end = at + SIGNAL_PIECE < frames->window_n ? at + SIGNAL_PIECE : frames->window_n;

		sum_trend_piece(frames, signals, row, f, at, end, &piece);
		for (unsigned i = 0; i < 2; i++) {
			total.sum[i] += piece.sum[i];
			total.moment[i] += piece.moment[i];
		}
	}
	return combine_trend(frames, &total, 1);
}

/* ---- windows ---- */

/* Loads elements [begin, end) of the window. All of them lie inside the signal. */
static void load_run(const struct frames *frames, const char *x, const char *window, const struct trend *trend,
		     uint64_t begin, uint64_t end, char *out)
{
	const size_t n = (size_t)(end - begin), part = signal_bytes(frames->precision, false);
	const size_t step = (size_t)frames->stride << frames->is_complex;
	const double middle = ((double)frames->window_n - 1) / 2 - (double)begin;
	const bool narrow = frames->precision == FFT_F32;

	window += begin * part;
	if (trend) {
		for (unsigned i = 0; i <= frames->is_complex; i++)
			(narrow ? detrend_f32 : detrend_f64)(x + i * part, step, window, n, trend->mean[i],
							     trend->slope[i], middle, out + i * part,
							     1 + frames->is_complex);
	} else if (frames->is_complex) {
		(narrow ? multiply_pairs_f32 : multiply_pairs_f64)(x, step, window, n, out);
	} else {
		(narrow ? multiply_f32 : multiply_f64)(x, step, window, n, out);
	}
}

/* Loads elements that need padding, one by one. */
static void load_edge(const struct frames *frames, const char *x, int64_t start, const char *window, uint64_t begin,
		      uint64_t end, char *out)
{
	const size_t size = element_bytes(frames);

	for (uint64_t i = begin; i < end; i++, out += size) {
		const int64_t p = map_position(frames, start + (int64_t)(frames->window_at + i));

		if (p < 0)
			memset(out, 0, size);
		else
			load_run(frames, x + (size_t)p * frames->stride * size, window, NULL, i, i + 1, out);
	}
}

/* Limits x to [low, high]. */
static uint64_t clamp_index(int64_t x, uint64_t low, uint64_t high)
{
	return x < (int64_t)low ? low : x > (int64_t)high ? high : (uint64_t)x;
}

/* Splits [begin, end) into zeros outside the window, padded elements at both ends of the signal, and the run between.
 * Only Welch's segments are detrended, and these lie inside their signal, so padded elements have no trend. */
void frames_load(const struct frames *frames, const char *signals, const char *window, const struct trend *trend,
		 uint64_t row, uint64_t f, uint64_t begin, uint64_t end, char *out)
{
	const size_t size = element_bytes(frames);
	const int64_t start = frame_start(frames, f), at = (int64_t)frames->window_at, first = start + at;
	const char *x = signals + signal_row(row, frames->length, frames->stride) * size;
	/* As indices into the window: the elements asked for, and those of them that lie inside the signal. */
	const uint64_t low = clamp_index((int64_t)begin - at, 0, frames->window_n);
	const uint64_t high = clamp_index((int64_t)end - at, low, frames->window_n);
	const uint64_t in_low = clamp_index(-first, low, high);
	const uint64_t in_high = clamp_index((int64_t)frames->length - first, in_low, high);
	char *const to = out + ((int64_t)low + at - (int64_t)begin) * (int64_t)size;

	if (low == high) {
		memset(out, 0, (size_t)(end - begin) * size);
		return;
	}
	memset(out, 0, (size_t)(to - out));
	load_edge(frames, x, start, window, low, in_low, to);
	load_run(frames, x + (first + (int64_t)in_low) * (int64_t)(frames->stride * size), window, trend, in_low,
		 in_high, to + (in_low - low) * size);
	load_edge(frames, x, start, window, in_high, high, to + (in_high - low) * size);
	memset(to + (high - low) * size, 0, (size_t)(end - begin) * size - (size_t)(to - out) - (high - low) * size);
}

/* ---- as steps ---- */

static size_t sums_chunks(const void *call, const struct fft_plan *plan)
{
	const struct frames *frames = call;

	(void)plan;
	return (size_t)(frames->rows * frames->count) * signal_count_pieces(frames->window_n, SIGNAL_PIECE);
}

static int sums_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct frames *frames = call;
	const size_t pieces = signal_count_pieces(frames->window_n, SIGNAL_PIECE);
	const uint64_t begin = chunk % pieces * SIGNAL_PIECE, frame = chunk / pieces;
	const uint64_t end = begin + SIGNAL_PIECE < frames->window_n ? begin + SIGNAL_PIECE : frames->window_n;

	(void)scratch;
	sum_trend_piece(frames, io->in[0], frame / frames->count, frame % frames->count, begin, end,
			(struct trend_sums *)(void *)io->out + chunk);
	return 0;
}

const struct signal_kind frames_sums = {sums_chunks, NULL, sums_run, 0};

static size_t windowed_chunks(const void *call, const struct fft_plan *plan)
{
	const struct frames *frames = call;

	(void)plan;
	return (size_t)(frames->rows * frames->count) * signal_count_pieces(frames->n, SIGNAL_PIECE);
}

static int windowed_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct frames *frames = call;
	const size_t pieces = signal_count_pieces(frames->n, SIGNAL_PIECE);
	const size_t sums = signal_count_pieces(frames->window_n, SIGNAL_PIECE);
	const uint64_t begin = chunk % pieces * SIGNAL_PIECE, frame = chunk / pieces;
	const uint64_t end = begin + SIGNAL_PIECE < frames->n ? begin + SIGNAL_PIECE : frames->n;
	struct trend trend;

	(void)scratch;
	if (frames->detrend != DETREND_NONE)
		trend = combine_trend(frames, (const struct trend_sums *)(const void *)io->in[2] + frame * sums, sums);
	frames_load(frames, io->in[0], io->in[1], frames->detrend != DETREND_NONE ? &trend : NULL,
		    frame / frames->count, frame % frames->count, begin, end,
		    io->out + (frame * frames->n + begin) * element_bytes(frames));
	return 0;
}

const struct signal_kind frames_windowed = {windowed_chunks, NULL, windowed_run, 0};

/* ---- windows by name ---- */

enum { WINDOW_PIECE = 128 }; /* an element takes up to 2 us */

static size_t window_chunks(const void *call, const struct fft_plan *plan)
{
	(void)plan;
	return signal_count_pieces(((const struct frames_window *)call)->window.n, WINDOW_PIECE);
}

/* Computes in float64 and rounds once. */
static int window_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct frames_window *window = call;
	const uint64_t begin = (uint64_t)chunk * WINDOW_PIECE;
	const size_t n = size_min(WINDOW_PIECE, (size_t)(window->window.n - begin));
	double values[WINDOW_PIECE];

	(void)scratch;
	window_fill(&window->window, begin, n, values);
	for (size_t i = 0; i < n && window->precision == FFT_F32; i++)
		((float *)(void *)io->out)[begin + i] = (float)values[i];
	if (window->precision == FFT_F64)
		memcpy((double *)(void *)io->out + begin, values, n * sizeof *values);
	return 0;
}

const struct signal_kind frames_named_window = {window_chunks, NULL, window_run, 0};
