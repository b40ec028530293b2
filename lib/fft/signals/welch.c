/* SPDX-License-Identifier: Apache-2.0 */
/* Welch's method in steps: segments to squares, squares to sums, sums to a spectrum.
 *
 *     welch_segments   segments -> transforms in scratch -> |X|^2 added up, part by part      (segments that fit scratch)
 *     welch_squares    spectra, made by steps of their own, -> the same sums                  (longer segments)
 *     welch_sums       WELCH_FAN parts -> one, repeated until a row has one                   (not for the median)
 *     welch_result     sums, or the median over parts, times the scale -> the caller's bins
 *
 * Parts and the order of their sums follow from the sizes alone, so no byte depends on chunks or threads. */
#include "fft/signals/welch.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "fft/plan/plan.h"
#include "fft/signals/select.h"

#define BODY "fft/signals/welch_body.h"
#include "fft/signals/both_body.h"

enum {
	PART_ELEMENTS = 32768, /* the most in a part; a longer segment is a part alone */
	PART_MOST = 64,        /* segments */
	BINS = 1024, /* numbers that a chunk adds up */
};

uint64_t welch_spectrum(const struct welch *welch)
{
	return welch->frames.is_complex ? welch->frames.n : welch->frames.n / 2 + 1;
}

/* The median needs every segment, so each is a part. Else a part is some segments, at most PART_MOST. */
uint64_t welch_part(const struct welch *welch)
{
	const uint64_t fit = PART_ELEMENTS / welch->frames.n;

	return welch->median || fit < 1 ? 1 : fit < PART_MOST ? fit : PART_MOST;
}

/* Return the bytes of a segment and of its spectrum in scratch, aligned. The 64 makes it an odd number of lines, so
 * that neighbours do not share cache sets. */
static size_t segment_bytes(const struct welch *welch)
{
	return fft_round_line(welch->frames.n * signal_bytes(welch->frames.precision, welch->frames.is_complex)) | 64;
}

static size_t spectrum_bytes(const struct welch *welch)
{
	return fft_round_line(welch_spectrum(welch) * signal_bytes(welch->frames.precision, true)) | 64;
}

size_t welch_row_bytes(const struct welch *welch)
{
	return (segment_bytes(welch) + spectrum_bytes(welch)) << welch->crosses;
}

/* Returns the float64 numbers of a bin in a sum: 1, or 2 of a cross spectrum. */
static size_t doubles_per_bin(const struct welch *welch)
{
	return 1 + welch->crosses;
}

/* Adds |x|^2, or conj(x) y of a cross spectrum, bin by bin in float64. */
static void add_squares(const struct welch *welch, const char *x, const char *y, size_t bins, double *sums)
{
	const bool narrow = welch->frames.precision == FFT_F32;

	if (welch->crosses)
		(narrow ? add_crosses_f32 : add_crosses_f64)(x, y, bins, sums);
	else
		(narrow ? add_powers_f32 : add_powers_f64)(x, bins, sums);
}

/* ---- segments in scratch ---- */

/* Returns the segments of a chunk: whole parts, so that chunks do not change the order of sums. */
static size_t segments_per_chunk(const struct welch *welch, const struct fft_plan *plan)
{
	const size_t part = welch_part(welch);

	return part > 1 ? part : signal_rows_per_chunk(plan, 1 + welch->crosses, welch_row_bytes(welch));
}

/* Returns the segments that are transformed together. */
static size_t segments_at_once(const struct welch *welch, const struct fft_plan *plan)
{
	const size_t fit = SIGNAL_ROWS_BYTES / welch_row_bytes(welch);

	return size_min(segments_per_chunk(welch, plan), fit < 1 ? 1 : fit);
}

/* Chunks do not cross rows. */
static size_t segments_chunks(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;

	return (size_t)welch->frames.rows * signal_count_pieces(welch->frames.count, segments_per_chunk(welch, plan));
}

static size_t segments_scratch(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;

	return fft_round_line(fft_scratch_bytes(plan)) + segments_at_once(welch, plan) * welch_row_bytes(welch);
}

/* Loads and transforms segments [first, first + count) of a row. */
static void transform_segments(const struct welch *welch, const struct signal_io *io, const char *signals, uint64_t row,
			       uint64_t first, size_t count, char *in, char *out, void *scratch)
{
	const struct frames *frames = &welch->frames;
	const struct fft_call fft = {
		.in = in,
		.out = out,
		.in_stride = 1,
		.in_distance = segment_bytes(welch) / signal_bytes(frames->precision, frames->is_complex),
		.out_stride = 1,
		.out_distance = spectrum_bytes(welch) / signal_bytes(frames->precision, true),
		.batch = count,
		.scale = 1,
	};

	for (size_t i = 0; i < count; i++) {
		struct trend trend;

		if (frames->detrend != DETREND_NONE)
			trend = frames_find_trend(frames, signals, row, first + i);
		frames_load(frames, signals, io->in[1], frames->detrend != DETREND_NONE ? &trend : NULL, row, first + i,
			    0, frames->n, in + i * segment_bytes(welch));
	}
	fft_run(io->plan, &fft, scratch);
}

/* Loads, transforms and adds the segments of a chunk, segments_at_once at a time. */
static int segments_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const size_t per_chunk = segments_per_chunk(welch, io->plan), most = segments_at_once(welch, io->plan),
		     chunks = signal_count_pieces(welch->frames.count, per_chunk);
	const size_t bins = welch_spectrum(welch), part = welch_part(welch), step = spectrum_bytes(welch);
	const uint64_t row = chunk / chunks, begin = chunk % chunks * per_chunk;
	const uint64_t end = begin + per_chunk < welch->frames.count ? begin + per_chunk : welch->frames.count;
	char *in = (char *)scratch + fft_round_line(fft_scratch_bytes(io->plan)), *x = in + most * segment_bytes(welch);
	char *second = x + most * step, *y = second + most * segment_bytes(welch);
	double *sums = (double *)(void *)io->out + (row * welch->parts + begin / part) * bins * doubles_per_bin(welch);

	memset(sums, 0, ((end - begin + part - 1) / part) * bins * doubles_per_bin(welch) * sizeof *sums);
	for (uint64_t at = begin; at < end; at += most) {
		const size_t count = size_min(most, (size_t)(end - at));

		transform_segments(welch, io, io->in[0], row, at, count, in, x, scratch);
		if (welch->crosses)
			transform_segments(welch, io, io->in[2], row, at, count, second, y, scratch);
		for (size_t i = 0; i < count; i++)
			add_squares(welch, x + i * step, y + i * step, bins,
				    sums + (at + i - begin) / part * bins * doubles_per_bin(welch));
	}
	return 0;
}

const struct signal_kind welch_segments = {segments_chunks, segments_scratch, segments_run, 0};

/* ---- spectra from a step of transforms ---- */

static size_t squares_chunks(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;

	(void)plan;
	return (size_t)(welch->frames.rows * welch->parts) * signal_count_pieces(welch_spectrum(welch), SIGNAL_PIECE);
}

/* Adds one piece of the bins of a part, segment by segment in their order. */
static int squares_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const size_t bins = welch_spectrum(welch), pieces = signal_count_pieces(bins, SIGNAL_PIECE);
	const size_t begin = chunk % pieces * SIGNAL_PIECE, n = size_min(SIGNAL_PIECE, bins - begin);
	const size_t pair = signal_bytes(welch->frames.precision, true);
	const uint64_t item = chunk / pieces, row = item / welch->parts,
		       first = item % welch->parts * welch_part(welch);
	const uint64_t left = welch->frames.count - first, count = left < welch_part(welch) ? left : welch_part(welch);
	double *sums = (double *)(void *)io->out + (item * bins + begin) * doubles_per_bin(welch);

	(void)scratch;
	memset(sums, 0, n * doubles_per_bin(welch) * sizeof *sums);
	for (uint64_t i = 0; i < count; i++) {
		const size_t at = ((row * welch->frames.count + first + i) * bins + begin) * pair;

		add_squares(welch, io->in[0] + at, io->in[1] + (welch->crosses ? at : 0), n, sums);
	}
	return 0;
}

const struct signal_kind welch_squares = {squares_chunks, NULL, squares_run, 0};

static size_t sums_chunks(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;
	const size_t numbers = welch_spectrum(welch) * doubles_per_bin(welch);

	(void)plan;
	return (size_t)welch->frames.rows * signal_count_pieces(welch->parts, WELCH_FAN) *
	       signal_count_pieces(numbers, BINS);
}

/* Adds WELCH_FAN parts of one piece of the numbers, in their order. */
static int sums_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const size_t numbers = welch_spectrum(welch) * doubles_per_bin(welch),
		     pieces = signal_count_pieces(numbers, BINS);
	const size_t fans = signal_count_pieces(welch->parts, WELCH_FAN);
	const size_t begin = chunk % pieces * BINS, n = size_min(BINS, numbers - begin);
	const uint64_t row = chunk / pieces / fans, fan = chunk / pieces % fans, first = fan * WELCH_FAN;
	const size_t count = size_min(WELCH_FAN, (size_t)(welch->parts - first));
	const double *from = (const double *)(const void *)io->in[0] + (row * welch->parts + first) * numbers + begin;
	double *to = (double *)(void *)io->out + (row * fans + fan) * numbers + begin;

	(void)scratch;
	memcpy(to, from, n * sizeof *to);
	for (size_t p = 1; p < count; p++)
		for (size_t i = 0; i < n; i++)
			to[i] += from[p * numbers + i];
	return 0;
}

const struct signal_kind welch_sums = {sums_chunks, NULL, sums_run, 0};

/* ---- the window ---- */

static size_t window_chunks(const void *call, const struct fft_plan *plan)
{
	(void)plan;
	return signal_count_pieces(((const struct welch *)call)->frames.window_n, SIGNAL_PIECE);
}

/* Sums of each SIGNAL_PIECE apart: compute_scale adds them in their order. */
static int window_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct frames *frames = &((const struct welch *)call)->frames;
	const uint64_t begin = (uint64_t)chunk * SIGNAL_PIECE;
	const size_t n = size_min(SIGNAL_PIECE, (size_t)(frames->window_n - begin));
	struct welch_window *sums = (struct welch_window *)(void *)io->out + chunk;

	(void)scratch;
	(frames->precision == FFT_F32 ? sum_window_f32 : sum_window_f64)(
		io->in[0] + begin * signal_bytes(frames->precision, false), n, &sums->sum, &sums->squares);
	return 0;
}

const struct signal_kind welch_window_sums = {window_chunks, NULL, window_run, 0};

/* ---- the result ---- */

/* The alternating sum 1 - 1/2 + 1/3 - ... up to the last odd term. */
double welch_median_bias(uint64_t n)
{
	double bias = 1;

	for (uint64_t i = 1; i <= (n - 1) / 2; i++)
		bias += 1 / (2 * (double)i + 1) - 1 / (2 * (double)i);
	return bias;
}

/* Density divides by the power of the window and the rate, a spectrum by the square of its sum. */
static double compute_scale(const struct welch *welch, const struct welch_window *pieces)
{
	const size_t count = signal_count_pieces(welch->frames.window_n, SIGNAL_PIECE);
	double sum = 0, squares = 0, scale;

	for (size_t i = 0; i < count; i++) {
		sum += pieces[i].sum;
		squares += pieces[i].squares;
	}
	scale = welch->density ? 1 / (welch->fs * squares) : 1 / (sum * sum);
	return scale / welch->divisor;
}

/* Returns the median of one number over all parts of a row; NaN if one of them is NaN. */
static double select_median(const struct welch *welch, const double *from, size_t numbers, uint64_t *keys)
{
	const size_t n = welch->parts;
	double low, high;

	for (size_t p = 0; p < n; p++) {
		if (isnan(from[p * numbers]))
			return NAN;
		keys[p] = select_key(from[p * numbers]);
	}
	low = select_value(keys, keys + n, n, (n - 1) / 2);
	high = n % 2 ? low : select_value(keys, keys + n, n, n / 2);
	return n % 2 ? low : (low + high) / 2;
}

/* Returns the bins of a chunk. One median is enough work for a chunk. */
static size_t result_bins(const struct welch *welch)
{
	return welch->median ? 1 : BINS;
}

static size_t result_chunks(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;

	(void)plan;
	return (size_t)welch->frames.rows * signal_count_pieces(welch->out_bins, result_bins(welch));
}

/* Keys of all parts, and as much again for select_value. */
static size_t result_scratch(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;

	(void)plan;
	return welch->median ? 2 * (size_t)welch->parts * sizeof(uint64_t) : 0;
}

/* Rounds a number to the result's precision and stores it as number i. */
static void put_number(const struct welch *welch, char *out, size_t i, double x)
{
	if (welch->frames.precision == FFT_F32)
		((float *)(void *)out)[i] = (float)x;
	else
		((double *)(void *)out)[i] = x;
}

/* Stores bin k. A real signal's upper bins mirror the lower ones; a one-sided spectrum counts inner bins twice. */
static void put_bin(const struct welch *welch, const double *sums, double scale, uint64_t row, uint64_t k, char *out,
		    uint64_t *keys)
{
	const size_t bins = welch_spectrum(welch), parts = doubles_per_bin(welch), numbers = bins * parts;
	const uint64_t n = welch->frames.n, from = k < bins ? k : n - k;
	const bool twice = welch->onesided && k > 0 && 2 * k != n;
	const size_t at = signal_row(row, welch->out_bins, welch->out_stride) + k * welch->out_stride;

	for (size_t i = 0; i < parts; i++) {
		const double *number = sums + from * parts + i;
		const double x = welch->median ? select_median(welch, number, numbers, keys) : *number;

		put_number(welch, out, at * parts + i, x * scale * (twice ? 2 : 1) * (i && k != from ? -1 : 1));
	}
}

/* A chunk is some bins of one row. */
static int result_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const size_t most = result_bins(welch), pieces = signal_count_pieces(welch->out_bins, most);
	const uint64_t row = chunk / pieces, begin = chunk % pieces * most;
	const uint64_t end = begin + most < welch->out_bins ? begin + most : welch->out_bins;
	const double scale = compute_scale(welch, (const struct welch_window *)(const void *)io->in[1]);
	const double *sums = (const double *)(const void *)io->in[0] +
			     row * welch->parts * welch_spectrum(welch) * doubles_per_bin(welch);

	for (uint64_t k = begin; k < end; k++)
		put_bin(welch, sums, scale, row, k, io->out, scratch);
	return 0;
}

const struct signal_kind welch_result = {result_chunks, result_scratch, result_run, 0};
