/* SPDX-License-Identifier: Apache-2.0 */
/* Welch's method in steps: segments to squares, squares to sums, sums to a spectrum.
 *
 *     welch_segments   segments -> transforms in scratch -> |X|^2 added up, part by part      (segments that fit scratch)
 *     welch_squares    spectra, made by steps of their own, -> the same sums                  (longer segments)
 *     welch_sums       WELCH_FAN parts -> one, repeated until a row has one                   (not for the median)
 *     welch_begun      sums of earlier calls -> the first part;  welch_kept    parts -> sums for a later call
 *     welch_result     sums, or the median over parts, times the scale -> the caller's bins
 *
 * Parts and the order of their sums follow from the number of segments alone, so no byte depends on chunks, on threads, or
 * on how a signal is cut into calls: parts are counted from its first segment. */
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

/* Returns the segments of a part of level 0. */
static uint64_t segments_per_part(const struct welch *welch)
{
	const uint64_t fit = PART_ELEMENTS / welch->frames.n;

	return welch->apart || fit < 1 ? 1 : fit < PART_MOST ? fit : PART_MOST;
}

/* Returns the number of the first part, counted from the signal's first segment. */
static uint64_t first_part(const struct welch *welch)
{
	return welch->before / welch->part;
}

static void set_level(struct welch *welch, unsigned level, uint64_t part)
{
	welch->level = level;
	welch->part = part;
	welch->parts = (welch->before + welch->frames.count - 1) / part - first_part(welch) + 1;
}

void welch_first_level(struct welch *welch)
{
	set_level(welch, 0, segments_per_part(welch));
}

void welch_next_level(struct welch *welch)
{
	set_level(welch, welch->level + 1, welch->part * WELCH_FAN);
}

/* Returns the segments of the first part that earlier calls had. */
static uint64_t begun_segments(const struct welch *welch)
{
	return welch->before % welch->part;
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
	const size_t part = welch->part;

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

	return (size_t)welch->frames.rows *
	       signal_count_pieces(begun_segments(welch) + welch->frames.count, segments_per_chunk(welch, plan));
}

static size_t segments_scratch(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;

	return fft_round_line(fft_scratch_bytes(plan)) + segments_at_once(welch, plan) * welch_row_bytes(welch);
}

/* Loads and transforms segments [first, first + count) of a row. */
static void transform_segments(const struct welch *welch, const struct staged_io *io, const char *signals, uint64_t row,
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
	fft_run(signal_io_plan(io), &fft, scratch);
}

/* Loads, transforms and adds the segments of a chunk, segments_at_once at a time. Segments count from the begin of the
 * first part, so the first `begun` ones are in its sums already. */
static int segments_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const uint64_t begun = begun_segments(welch), all = begun + welch->frames.count;
	const size_t per_chunk = segments_per_chunk(welch, signal_io_plan(io)), most = segments_at_once(welch, signal_io_plan(io)),
		     chunks = signal_count_pieces(all, per_chunk);
	const size_t bins = welch_spectrum(welch), part = welch->part, step = spectrum_bytes(welch);
	const uint64_t row = chunk / chunks, first = chunk % chunks * per_chunk, begin = first < begun ? begun : first;
	const uint64_t end = first + per_chunk < all ? first + per_chunk : all;
	char *in = (char *)scratch + fft_round_line(fft_scratch_bytes(signal_io_plan(io))), *x = in + most * segment_bytes(welch);
	char *second = x + most * step, *y = second + most * segment_bytes(welch);
	double *sums = (double *)(void *)io->out + (row * welch->parts + first / part) * bins * doubles_per_bin(welch);

	if (begin == first)
		memset(sums, 0, ((end - first + part - 1) / part) * bins * doubles_per_bin(welch) * sizeof *sums);
	for (uint64_t at = begin; at < end; at += most) {
		const size_t count = size_min(most, (size_t)(end - at));

		transform_segments(welch, io, io->in[0], row, at - begun, count, in, x, scratch);
		if (welch->crosses)
			transform_segments(welch, io, io->in[2], row, at - begun, count, second, y, scratch);
		for (size_t i = 0; i < count; i++)
			add_squares(welch, x + i * step, y + i * step, bins,
				    sums + (at + i - first) / part * bins * doubles_per_bin(welch));
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
static int squares_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const size_t bins = welch_spectrum(welch), pieces = signal_count_pieces(bins, SIGNAL_PIECE);
	const size_t begin = chunk % pieces * SIGNAL_PIECE, n = size_min(SIGNAL_PIECE, bins - begin);
	const size_t pair = signal_bytes(welch->frames.precision, true);
	const uint64_t item = chunk / pieces, row = item / welch->parts, part = item % welch->parts;
	const uint64_t begun = begun_segments(welch), first = part ? part * welch->part - begun : 0;
	const uint64_t end = (part + 1) * welch->part - begun, count = welch->frames.count;
	double *sums = (double *)(void *)io->out + (item * bins + begin) * doubles_per_bin(welch);

	(void)scratch;
	if (part > 0 || begun == 0)
		memset(sums, 0, n * doubles_per_bin(welch) * sizeof *sums);
	for (uint64_t i = first; i < end && i < count; i++) {
		const size_t at = ((row * count + i) * bins + begin) * pair;

		add_squares(welch, io->in[0] + at, io->in[1] + (welch->crosses ? at : 0), n, sums);
	}
	return 0;
}

const struct signal_kind welch_squares = {squares_chunks, NULL, squares_run, 0};

/* ---- sums of sums ---- */

/* Returns the float64 numbers of a part. */
static size_t numbers_per_part(const struct welch *welch)
{
	return welch_spectrum(welch) * doubles_per_bin(welch);
}

/* Returns what earlier calls stored of a level of a row. */
static const double *find_kept(const struct welch *welch, const char *kept, uint64_t row, unsigned level)
{
	return (const double *)(const void *)kept + (row * WELCH_LEVELS + level) * numbers_per_part(welch);
}

/* Some neighbouring parts, counted from the first one of this call. */
struct parts {
	uint64_t begin, end;
	bool begun; /* earlier calls had parts before them that belong to the same sum */
};

/* Returns the parts that sum number `sum` of this call adds. Sums count from the signal's first segment. */
static struct parts find_parts(const struct welch *welch, uint64_t sum)
{
	const uint64_t first = first_part(welch), from = (first / WELCH_FAN + sum) * WELCH_FAN, to = from + WELCH_FAN;

	return (struct parts){from > first ? from - first : 0, to - first < welch->parts ? to - first : welch->parts,
			      from < first};
}

/* Returns how many sums of WELCH_FAN parts there are, of which the first and the last may have fewer. */
static size_t count_sums(const struct welch *welch)
{
	const uint64_t first = first_part(welch);

	return (size_t)((first + welch->parts - 1) / WELCH_FAN - first / WELCH_FAN + 1);
}

/* Adds numbers [begin, begin + n) of some parts of a row in their order, to those of earlier calls. */
static void add_parts(const struct welch *welch, const struct staged_io *io, uint64_t row, struct parts parts,
		      size_t begin, size_t n, double *to)
{
	const size_t numbers = numbers_per_part(welch);
	const double *from = (const double *)(const void *)io->in[0] + row * welch->parts * numbers + begin;

	if (parts.begun)
		memcpy(to, find_kept(welch, io->in[1], row, welch->level + 1) + begin, n * sizeof *to);
	else if (parts.begin < parts.end)
		memcpy(to, from + parts.begin * numbers, n * sizeof *to);
	else
		memset(to, 0, n * sizeof *to);
	for (uint64_t p = parts.begin + !parts.begun; p < parts.end; p++)
		for (size_t i = 0; i < n; i++)
			to[i] += from[p * numbers + i];
}

static size_t sums_chunks(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;

	(void)plan;
	return (size_t)welch->frames.rows * count_sums(welch) * signal_count_pieces(numbers_per_part(welch), BINS);
}

/* Makes one piece of the numbers of a sum. */
static int sums_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const size_t numbers = numbers_per_part(welch), pieces = signal_count_pieces(numbers, BINS);
	const size_t begin = chunk % pieces * BINS, sum = chunk / pieces;

	(void)scratch;
	add_parts(welch, io, sum / count_sums(welch), find_parts(welch, sum % count_sums(welch)), begin,
		  size_min(BINS, numbers - begin), (double *)(void *)io->out + sum * numbers + begin);
	return 0;
}

const struct signal_kind welch_sums = {sums_chunks, NULL, sums_run, 0};

/* ---- from call to call ---- */

static size_t kept_chunks(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;

	(void)plan;
	return (size_t)welch->frames.rows * signal_count_pieces(numbers_per_part(welch), BINS);
}

/* Copies one piece of the begun part's numbers. */
static int begun_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const size_t numbers = numbers_per_part(welch), pieces = signal_count_pieces(numbers, BINS);
	const size_t row = chunk / pieces, begin = chunk % pieces * BINS;

	(void)scratch;
	memcpy((double *)(void *)io->out + row * welch->parts * numbers + begin,
	       find_kept(welch, io->in[0], row, 0) + begin, size_min(BINS, numbers - begin) * sizeof(double));
	return 0;
}

const struct signal_kind welch_begun = {kept_chunks, NULL, begun_run, 0};

/* Stores one piece of the numbers. A last part that lacks segments is no part of the next level's sum yet. */
static int kept_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const size_t numbers = numbers_per_part(welch), pieces = signal_count_pieces(numbers, BINS);
	const size_t row = chunk / pieces, begin = chunk % pieces * BINS, n = size_min(BINS, numbers - begin);
	const bool lacks = (welch->before + welch->frames.count) % welch->part != 0;
	double *kept = (double *)(void *)io->out + row * WELCH_LEVELS * numbers + begin;
	struct parts last = find_parts(welch, count_sums(welch) - 1);

	(void)scratch;
	last.end -= lacks;
	add_parts(welch, io, row, last, begin, n, kept + (welch->level + 1) * numbers);
	if (welch->level == 0)
		memcpy(kept,
		       (const double *)(const void *)io->in[0] + (row * welch->parts + welch->parts - 1) * numbers + begin,
		       n * sizeof *kept);
	return 0;
}

const struct signal_kind welch_kept = {kept_chunks, NULL, kept_run, 0};

/* ---- the window ---- */

static size_t window_chunks(const void *call, const struct fft_plan *plan)
{
	(void)plan;
	return signal_count_pieces(((const struct welch *)call)->frames.window_n, SIGNAL_PIECE);
}

/* Sums of each SIGNAL_PIECE apart: compute_scale adds them in their order. */
static int window_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
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

/* Returns the spectra of a row. */
static size_t spectra_per_row(const struct welch *welch)
{
	return welch->apart && !welch->median ? (size_t)welch->parts : 1;
}

static size_t count_spectra(const struct welch *welch)
{
	return (size_t)welch->frames.rows * spectra_per_row(welch);
}

/* Returns the bins of a chunk. One median is enough work for a chunk. */
static size_t result_bins(const struct welch *welch)
{
	return welch->median ? 1 : BINS;
}

/* Returns the spectra of a chunk: some short ones, or some bins of one. */
static size_t result_spectra(const struct welch *welch)
{
	return welch->out_bins < result_bins(welch) ? result_bins(welch) / (size_t)welch->out_bins : 1;
}

static size_t result_chunks(const void *call, const struct fft_plan *plan)
{
	const struct welch *welch = call;

	(void)plan;
	return signal_count_pieces(count_spectra(welch), result_spectra(welch)) *
	       signal_count_pieces(welch->out_bins, result_bins(welch));
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

/* Stores bin k of the spectrum that begins at element `at`. A real signal's upper bins mirror the lower ones; a one-sided spectrum
 * counts inner bins twice. */
static void put_bin(const struct welch *welch, const double *sums, double scale, size_t at, uint64_t k, char *out, uint64_t *keys)
{
	const size_t bins = welch_spectrum(welch), parts = doubles_per_bin(welch), numbers = bins * parts;
	const uint64_t n = welch->frames.n, from = k < bins ? k : n - k;
	const bool twice = welch->onesided && k > 0 && 2 * k != n;

	for (size_t i = 0; i < parts; i++) {
		const double *number = sums + from * parts + i;
		const double x = welch->median ? select_median(welch, number, numbers, keys) : *number;

		put_number(welch, out, (at + k * welch->out_stride) * parts + i,
			   x * scale * (twice ? 2 : 1) * (i && k != from ? -1 : 1));
	}
}

/* Stores bins [begin, end). Most lie inside a one-sided spectrum, beside each other: these are a loop of their own. */
static void put_bins(const struct welch *welch, const double *sums, double scale, size_t at, uint64_t begin, uint64_t end, char *out,
		     uint64_t *keys)
{
	const bool plain = welch->onesided && !welch->median && !welch->crosses && welch->out_stride == 1;
	const uint64_t first = begin > 0 ? begin : 1, middle = (welch->frames.n + 1) / 2, stop = end < middle ? end : middle;

	for (uint64_t k = begin; k < end; k++)
		if (plain && k == first && first < stop) {
			(welch->frames.precision == FFT_F32 ? double_powers_f32 : double_powers_f64)(sums, scale, first, stop, at, out);
			k = stop - 1;
		} else {
			put_bin(welch, sums, scale, at, k, out, keys);
		}
}

/* Returns the element of the result at which a spectrum begins: those of a row stand in the order of its segments. */
static size_t spectrum_at(const struct welch *welch, size_t spectrum)
{
	const size_t each = spectra_per_row(welch), stride = welch->out_stride, row = spectrum / each;

	return signal_row((row / stride * each + spectrum % each) * stride + row % stride, welch->out_bins, stride);
}

static int result_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct welch *welch = call;
	const size_t most = result_bins(welch), pieces = signal_count_pieces(welch->out_bins, most), begin = chunk % pieces * most;
	const size_t first = chunk / pieces * result_spectra(welch), step = welch->parts / spectra_per_row(welch);
	const size_t last = size_min(first + result_spectra(welch), count_spectra(welch));
	const double scale = compute_scale(welch, (const struct welch_window *)(const void *)io->in[1]);
	const double *sums = (const double *)(const void *)io->in[0];

	for (size_t i = first; i < last; i++)
		put_bins(welch, sums + i * step * numbers_per_part(welch), scale, spectrum_at(welch, i), begin,
			 size_min(begin + most, welch->out_bins), io->out, scratch);
	return 0;
}

const struct signal_kind welch_result = {result_chunks, result_scratch, result_run, 0};
