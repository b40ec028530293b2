/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse STFT. A chunk computes a stretch of a signal from all frames that overlap it. */
#include "fft/signals/stft.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan/plan.h"
#include "fft/kernels/transpose.h"

#define BODY "fft/signals/istft_body.h"
#include "fft/signals/both_body.h"

enum {
	BLOCK = 512, /* samples whose sums stay in the first-level cache */
	OVERLAP_MAX =
		16, /* frames over a sample: with more, transforming those at a chunk's ends twice costs too much */
	PANEL = 16, /* frames transformed at once */
	PANEL_BINS = 1024,
	SUMS = 1 << 18, /* additions of a chunk */
};

/* ---- samples and frames ---- */

/* A range of samples, or of frames. Samples count from the first frame's begin; the result keeps [pad, pad +
 * length). */
struct span {
	uint64_t begin, end;
};

uint64_t stft_reach(const struct stft *stft)
{
	const struct frames *frames = &stft->frames;
	const uint64_t all = frames->n + frames->hop * (frames->count - 1);

	return all > frames->pad ? all - frames->pad : 0;
}

/* Returns the frames that overlap samples [begin, end). */
static struct span frames_over(const struct stft *stft, uint64_t begin, uint64_t end)
{
	const struct frames *frames = &stft->frames;
	const uint64_t first = begin < frames->n ? 0 : (begin - frames->n) / frames->hop + 1;
	const uint64_t last = (end - 1) / frames->hop + 1;

	return (struct span){first, last < frames->count ? last : frames->count};
}

/* Returns the most frames over one sample: n / hop, rounded up. */
static uint64_t count_overlap(const struct stft *stft)
{
	return (stft->frames.n + stft->frames.hop - 1) / stft->frames.hop;
}

/* Adds the squared windows over samples [begin, end), at most BLOCK of them, in the order of frames. */
static void sum_envelope(const struct stft *stft, const char *window, uint64_t begin, uint64_t end, double *sums)
{
	const struct frames *frames = &stft->frames;
	const struct span over = frames_over(stft, begin, end);

	memset(sums, 0, (size_t)(end - begin) * sizeof *sums);
	for (uint64_t f = over.begin; f < over.end; f++) {
		const uint64_t first = f * frames->hop + frames->window_at, last = first + frames->window_n;
		const uint64_t from = first > begin ? first : begin, to = last < end ? last : end;

		if (from < to)
			(frames->precision == FFT_F32 ? add_squares_f32 : add_squares_f64)(
				window, (size_t)(from - first), (size_t)(to - from), sums + (from - begin));
	}
}

/* ---- adding ---- */

/* Frames [first, first + count) of a row after their inverse transform, `step` bytes apart. */
struct frames_back {
	uint64_t first, count;
	const char *at;
	size_t step;
};

/* Adds the windowed frames to samples [begin, end); sums are reals or pairs. */
static void add_frames(const struct stft *stft, const struct frames_back *frames_back, const char *window,
		       uint64_t begin, uint64_t end, char *sums)
{
	const struct frames *frames = &stft->frames;
	const size_t size = signal_bytes(frames->precision, stft->is_complex);
	const size_t part = signal_bytes(frames->precision, false);

	for (uint64_t f = frames_back->first; f < frames_back->first + frames_back->count; f++) {
		const uint64_t first = f * frames->hop + frames->window_at, last = first + frames->window_n;
		const uint64_t from = first > begin ? first : begin, to = last < end ? last : end;
		const char *x = frames_back->at + (f - frames_back->first) * frames_back->step;

		if (from < to)
			(frames->precision == FFT_F32 ? add_windowed_f32 : add_windowed_f64)(
				x + (from - first + frames->window_at) * size, window + (from - first) * part,
				(size_t)(to - from), stft->is_complex, sums + (from - begin) * size);
	}
}

/* Divides sums by the squared windows, in place: they become samples. */
static void divide_by_envelope(const struct stft *stft, const char *window, struct span span, char *sums)
{
	const size_t size = signal_bytes(stft->frames.precision, stft->is_complex);
	double squares[BLOCK];

	for (uint64_t at = span.begin; at < span.end; at += BLOCK) {
		const size_t count = size_min(BLOCK, (size_t)(span.end - at));

		sum_envelope(stft, window, at, at + count, squares);
		(stft->frames.precision == FFT_F32 ? divide_f32 : divide_f64)(squares, count, stft->is_complex,
									      sums + (at - span.begin) * size);
	}
}

/* Stores zeros for those samples of [begin, *end) that no frame reaches, and moves *end before them. */
static void zero_beyond_reach(const struct stft *stft, uint64_t begin, uint64_t *end, char *out)
{
	const uint64_t reach = stft_reach(stft) + stft->frames.pad;
	const size_t size = signal_bytes(stft->frames.precision, stft->is_complex);

	if (*end <= reach)
		return;
	const uint64_t from = reach > begin ? reach : begin;

	memset(out + (from - begin) * size, 0, (size_t)(*end - from) * size);
	*end = from;
}

/* Returns a chunk's samples, and their row. */
static struct span chunk_span(const struct stft *stft, size_t chunk, uint64_t piece, uint64_t *ret_row)
{
	const size_t pieces = signal_count_pieces(stft->length, piece);
	const uint64_t begin = chunk % pieces * piece;
	const uint64_t end = begin + piece < stft->length ? begin + piece : stft->length;

	*ret_row = chunk / pieces;
	return (struct span){begin + stft->frames.pad, end + stft->frames.pad};
}

/* Returns where a row's sample is stored; `begin` counts from the first frame. */
static char *find_samples(const struct stft *stft, char *out, uint64_t row, uint64_t begin)
{
	return out +
	       (row * stft->length + begin - stft->frames.pad) * signal_bytes(stft->frames.precision, stft->is_complex);
}

/* ---- in scratch ---- */

bool stft_inverse_fits(const struct stft *stft)
{
	return count_overlap(stft) <= OVERLAP_MAX;
}

/* Returns the samples of a chunk: enough that the frames at its ends, which a neighbour transforms again, are a
 * minority. */
static uint64_t inverse_piece(const struct stft *stft, const struct fft_plan *plan)
{
	const uint64_t group = signal_rows_per_chunk(plan, 1, stft_row_bytes(stft)), least = 2 * count_overlap(stft);

	return (group > least ? group : least) * stft->frames.hop;
}

static size_t inverse_chunks(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	return (size_t)stft->frames.rows * signal_count_pieces(stft->length, inverse_piece(stft, plan));
}

/* Returns how many frames are transformed together: their rows must fit scratch. */
static size_t frames_at_once(const struct stft *stft)
{
	const size_t fit = SIGNAL_ROWS_BYTES / stft_row_bytes(stft);

	return fit < 1 ? 1 : size_min(fit, PANEL);
}

static size_t inverse_scratch(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	return fft_round_line(fft_scratch_bytes(plan)) + frames_at_once(stft) * stft_row_bytes(stft);
}

/* Copies bins [begin, end) of frames [first, first + count) of a row to contiguous spectra, for the plan. */
static void gather_spectra(const struct stft *stft, const char *spectra, uint64_t row, uint64_t first, size_t count,
			   size_t begin, size_t end, char *to, size_t to_step)
{
	const size_t pair = signal_bytes(stft->frames.precision, true);
	const size_t frames = stft->frames.count, bins = stft->bins;
	const char *from = spectra + row * frames * bins * pair;

	if (!stft->frames_first) {
		transpose_pairs(stft->frames.precision, from + (begin * frames + first) * pair, frames * pair,
				to + begin * pair, to_step, end - begin, count, false);
		return;
	}
	for (size_t f = 0; f < count; f++)
		memcpy(to + f * to_step + begin * pair, from + ((first + f) * bins + begin) * pair,
		       (end - begin) * pair);
}

/* Transforms frames [first, first + count) of a row back into scratch. */
static struct frames_back transform_back(const struct stft *stft, const struct staged_io *io, uint64_t row,
					 uint64_t first, size_t count, char *scratch)
{
	const enum fft_precision precision = stft->frames.precision;
	const size_t in_bytes = stft_spectrum_bytes(stft), out_bytes = stft_frame_bytes(stft);
	char *in = scratch + fft_round_line(fft_scratch_bytes(signal_io_plan(io))), *out = in + frames_at_once(stft) * in_bytes;
	const struct fft_call fft = {
		.in = in,
		.out = out,
		.in_stride = 1,
		.in_distance = in_bytes / signal_bytes(precision, true),
		.out_stride = 1,
		.out_distance = out_bytes / signal_bytes(precision, stft->is_complex),
		.batch = count,
		.inverse = true,
		.scale = stft->scale,
	};

	gather_spectra(stft, io->in[0], row, first, count, 0, stft_spectrum(stft), in, in_bytes);
	fft_run(signal_io_plan(io), &fft, scratch);
	return (struct frames_back){first, count, out, out_bytes};
}

/* Adds some frames at a time to out, which stays in the cache. */
static int inverse_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct stft *stft = call;
	const size_t size = signal_bytes(stft->frames.precision, stft->is_complex);
	uint64_t row;
	struct span span = chunk_span(stft, chunk, inverse_piece(stft, signal_io_plan(io)), &row), over;
	char *out = find_samples(stft, io->out, row, span.begin);

	zero_beyond_reach(stft, span.begin, &span.end, out);
	if (span.begin == span.end)
		return 0;
	memset(out, 0, (size_t)(span.end - span.begin) * size);
	over = frames_over(stft, span.begin, span.end);
	for (uint64_t f = over.begin; f < over.end; f += frames_at_once(stft)) {
		const size_t count = size_min(frames_at_once(stft), (size_t)(over.end - f));
		const struct frames_back frames_back = transform_back(stft, io, row, f, count, scratch);

		add_frames(stft, &frames_back, io->in[1], span.begin, span.end, out);
	}
	divide_by_envelope(stft, io->in[1], span, out);
	return 0;
}

const struct signal_kind stft_inverse = {inverse_chunks, inverse_scratch, inverse_run, 0};

/* ---- as steps ---- */

static size_t gather_chunks(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	(void)plan;
	return (size_t)stft->frames.rows * signal_count_pieces(stft->frames.count, PANEL) *
	       signal_count_pieces(stft_spectrum(stft), PANEL_BINS);
}

/* A chunk is a panel of frames by a panel of bins. */
static int gather_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct stft *stft = call;
	const size_t pieces = signal_count_pieces(stft_spectrum(stft), PANEL_BINS);
	const size_t panels = signal_count_pieces(stft->frames.count, PANEL);
	const size_t begin = chunk % pieces * PANEL_BINS, end = size_min(begin + PANEL_BINS, stft_spectrum(stft));
	const uint64_t row = chunk / pieces / panels, first = chunk / pieces % panels * PANEL;
	const size_t step = stft_spectrum(stft) * signal_bytes(stft->frames.precision, true);

	(void)scratch;
	gather_spectra(stft, io->in[0], row, first, size_min(PANEL, (size_t)(stft->frames.count - first)), begin, end,
		       io->out + (row * stft->frames.count + first) * step, step);
	return 0;
}

const struct signal_kind stft_gather = {gather_chunks, NULL, gather_run, 0};

/* Returns the samples of a chunk that adds: about SUMS additions. */
static uint64_t add_piece(const struct stft *stft)
{
	const uint64_t fit = SUMS / size_min(count_overlap(stft), (size_t)stft->frames.count);

	return fit < 64 ? 64 : fit < SIGNAL_PIECE ? fit : SIGNAL_PIECE;
}

static size_t add_chunks(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	(void)plan;
	return (size_t)stft->frames.rows * signal_count_pieces(stft->length, add_piece(stft));
}

/* Like inverse_run, but the frames are already transformed back. */
static int add_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct stft *stft = call;
	const size_t size = signal_bytes(stft->frames.precision, stft->is_complex), step = stft->frames.n * size;
	uint64_t row;
	struct span span = chunk_span(stft, chunk, add_piece(stft), &row), over;
	char *out = find_samples(stft, io->out, row, span.begin);

	(void)scratch;
	zero_beyond_reach(stft, span.begin, &span.end, out);
	if (span.begin == span.end)
		return 0;
	memset(out, 0, (size_t)(span.end - span.begin) * size);
	over = frames_over(stft, span.begin, span.end);
	add_frames(stft,
		   &(struct frames_back){over.begin, over.end - over.begin,
					 io->in[0] + (row * stft->frames.count + over.begin) * step, step},
		   io->in[1], span.begin, span.end, out);
	divide_by_envelope(stft, io->in[1], span, out);
	return 0;
}

const struct signal_kind stft_add = {add_chunks, NULL, add_run, 0};

/* ---- the check ---- */

/* Samples whose sums of squared windows are checked. Inside a signal the sums repeat with every hop, so both ends and
 * one hop between them suffice. */
struct ends {
	uint64_t begin, first, second, end; /* [begin, first) and [second, end) */
};

/* A short signal is all ends. */
static struct ends find_ends(const struct stft *stft)
{
	const struct frames *frames = &stft->frames;
	const uint64_t begin = frames->pad, reach = stft_reach(stft);
	const uint64_t end = begin + (stft->length < reach ? stft->length : reach);
	const uint64_t first = frames->n + frames->hop, last = frames->hop * frames->count;

	if (first >= last || first <= begin || last >= end)
		return (struct ends){begin, end, end, end};
	return (struct ends){begin, first, last, end};
}

/* Both ends count their chunks apart, as the stretch between them is not checked. */
static size_t check_chunks(const void *call, const struct fft_plan *plan)
{
	const struct ends ends = find_ends(call);
	const uint64_t piece = add_piece(call);

	(void)plan;
	return signal_count_pieces(ends.first - ends.begin, piece) + signal_count_pieces(ends.end - ends.second, piece);
}

/* `!(sum > least)` also refuses NaN, which a window may hold. */
static int check_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct ends ends = find_ends(call);
	const uint64_t piece = add_piece(call);
	const size_t before = signal_count_pieces(ends.first - ends.begin, piece);
	const uint64_t from = chunk < before ? ends.begin + chunk * piece : ends.second + (chunk - before) * piece;
	const uint64_t limit = chunk < before ? ends.first : ends.end, to = from + piece < limit ? from + piece : limit;
	double sums[BLOCK];

	(void)scratch;
	for (uint64_t at = from; at < to; at += BLOCK) {
		const size_t count = size_min(BLOCK, (size_t)(to - at));

		sum_envelope(call, io->in[1], at, at + count, sums);
		for (size_t i = 0; i < count; i++)
			if (!(sums[i] > STFT_LEAST))
				return -ERROR_OUT_OF_RANGE;
	}
	return 0;
}

const struct signal_kind stft_check = {check_chunks, NULL, check_run, 0};
