/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse: a chunk makes a stretch of a signal from all the frames that reach into it. */
#include "fft/signals/stft.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan/plan.h"
#include "fft/kernels/transpose.h"

#define BODY "fft/signals/istft_body.h"
#include "fft/signals/both_body.h"

enum {
	BLOCK = 512,      /* samples whose sums stay in the first cache */
	OVERLAP_MAX = 16, /* frames over a sample, for a chunk to transform those at its ends again */
	PANEL = 16,       /* frames transformed at once */
	PANEL_BINS = 1024,
	SUMS = 1 << 18, /* additions of a chunk */
};

/* ---- what covers what ---- */

/* Samples are counted from the first frame's beginning: those kept are [pad, pad + length). */
struct span {
	uint64_t begin, end;
};

uint64_t stft_reach(const struct stft *stft)
{
	const struct frames *frames = &stft->frames;
	const uint64_t all = frames->n + frames->hop * (frames->count - 1);

	return all > frames->pad ? all - frames->pad : 0;
}

/* Frames that reach into [begin, end). */
static struct span frames_over(const struct stft *stft, uint64_t begin, uint64_t end)
{
	const struct frames *frames = &stft->frames;
	const uint64_t first = begin < frames->n ? 0 : (begin - frames->n) / frames->hop + 1;
	const uint64_t last = (end - 1) / frames->hop + 1;

	return (struct span){first, last < frames->count ? last : frames->count};
}

static uint64_t overlap(const struct stft *stft)
{
	return (stft->frames.n + stft->frames.hop - 1) / stft->frames.hop;
}

/* The squared windows over the samples [begin, end), end - begin <= BLOCK, added in the order of frames. */
static void envelope(const struct stft *stft, const char *window, uint64_t begin, uint64_t end, double *sums)
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

/* Frames [first, first + count) of a row, transformed back, `step` bytes apart. */
struct backs {
	uint64_t first, count;
	const char *at;
	size_t step;
};

/* Adds what these frames give to the samples [begin, end); sums are REALs, or pairs. */
static void add(const struct stft *stft, const struct backs *backs, const char *window, uint64_t begin, uint64_t end,
		char *sums)
{
	const struct frames *frames = &stft->frames;
	const size_t size = signal_bytes(frames->precision, stft->is_complex);
	const size_t part = signal_bytes(frames->precision, false);

	for (uint64_t f = backs->first; f < backs->first + backs->count; f++) {
		const uint64_t first = f * frames->hop + frames->window_at, last = first + frames->window_n;
		const uint64_t from = first > begin ? first : begin, to = last < end ? last : end;
		const char *x = backs->at + (f - backs->first) * backs->step;

		if (from < to)
			(frames->precision == FFT_F32 ? add_windowed_f32 : add_windowed_f64)(
				x + (from - first + frames->window_at) * size, window + (from - first) * part,
				(size_t)(to - from), stft->is_complex, sums + (from - begin) * size);
	}
}

/* Sums to samples, in place. */
static void divide(const struct stft *stft, const char *window, struct span span, char *sums)
{
	const size_t size = signal_bytes(stft->frames.precision, stft->is_complex);
	double squares[BLOCK];

	for (uint64_t at = span.begin; at < span.end; at += BLOCK) {
		const size_t count = size_min(BLOCK, (size_t)(span.end - at));

		envelope(stft, window, at, at + count, squares);
		(stft->frames.precision == FFT_F32 ? divide_f32 : divide_f64)(squares, count, stft->is_complex,
									      sums + (at - span.begin) * size);
	}
}

/* Samples [begin, end) of a row that no frame reaches are zeros; the rest is cut off from *end. */
static void fill_rest(const struct stft *stft, uint64_t begin, uint64_t *end, char *out)
{
	const uint64_t reach = stft_reach(stft) + stft->frames.pad;
	const size_t size = signal_bytes(stft->frames.precision, stft->is_complex);

	if (*end <= reach)
		return;
	const uint64_t from = reach > begin ? reach : begin;

	memset(out + (from - begin) * size, 0, (size_t)(*end - from) * size);
	*end = from;
}

/* A chunk's samples of a row, counted from the first frame's beginning. */
static struct span chunk_span(const struct stft *stft, size_t chunk, uint64_t piece, uint64_t *ret_row)
{
	const size_t pieces = signal_pieces(stft->length, piece);
	const uint64_t begin = chunk % pieces * piece;
	const uint64_t end = begin + piece < stft->length ? begin + piece : stft->length;

	*ret_row = chunk / pieces;
	return (struct span){begin + stft->frames.pad, end + stft->frames.pad};
}

static char *samples(const struct stft *stft, char *out, uint64_t row, uint64_t begin)
{
	return out +
	       (row * stft->length + begin - stft->frames.pad) * signal_bytes(stft->frames.precision, stft->is_complex);
}

/* ---- the whole in scratch ---- */

bool stft_inverse_fits(const struct stft *stft)
{
	return overlap(stft) <= OVERLAP_MAX;
}

/* Samples of a chunk: some frames' worth beside those transformed again. */
static uint64_t inverse_piece(const struct stft *stft, const struct fft_plan *plan)
{
	const uint64_t group = signal_group(plan, 1, stft_row_bytes(stft)), least = 2 * overlap(stft);

	return (group > least ? group : least) * stft->frames.hop;
}

static size_t inverse_chunks(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	return (size_t)stft->frames.rows * signal_pieces(stft->length, inverse_piece(stft, plan));
}

static size_t panel(const struct stft *stft)
{
	const size_t fit = SIGNAL_ROWS_BYTES / stft_row_bytes(stft);

	return fit < 1 ? 1 : size_min(fit, PANEL);
}

static size_t inverse_scratch(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	return fft_round_line(fft_scratch_bytes(plan)) + panel(stft) * stft_row_bytes(stft);
}

/* The spectra of frames [first, first + count) of a row, for the plan: bins [begin, end). */
static void gather(const struct stft *stft, const char *spectra, uint64_t row, uint64_t first, size_t count,
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

/* Transforms frames [first, first + count) of a row back, into scratch. */
static struct backs transform_back(const struct stft *stft, const struct signal_io *io, uint64_t row, uint64_t first,
				   size_t count, char *scratch)
{
	const enum fft_precision precision = stft->frames.precision;
	const size_t in_bytes = stft_spectrum_bytes(stft), out_bytes = stft_frame_bytes(stft);
	char *in = scratch + fft_round_line(fft_scratch_bytes(io->plan)), *out = in + panel(stft) * in_bytes;
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

	gather(stft, io->in[0], row, first, count, 0, stft_spectrum(stft), in, in_bytes);
	fft_run(io->plan, &fft, scratch);
	return (struct backs){first, count, out, out_bytes};
}

/* Panel by panel into out, which stays in the cache. */
static int inverse_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct stft *stft = call;
	const size_t size = signal_bytes(stft->frames.precision, stft->is_complex);
	uint64_t row;
	struct span span = chunk_span(stft, chunk, inverse_piece(stft, io->plan), &row), over;
	char *out = samples(stft, io->out, row, span.begin);

	fill_rest(stft, span.begin, &span.end, out);
	if (span.begin == span.end)
		return 0;
	memset(out, 0, (size_t)(span.end - span.begin) * size);
	over = frames_over(stft, span.begin, span.end);
	for (uint64_t f = over.begin; f < over.end; f += panel(stft)) {
		const size_t count = size_min(panel(stft), (size_t)(over.end - f));
		const struct backs backs = transform_back(stft, io, row, f, count, scratch);

		add(stft, &backs, io->in[1], span.begin, span.end, out);
	}
	divide(stft, io->in[1], span, out);
	return 0;
}

const struct signal_kind stft_inverse = {inverse_chunks, inverse_scratch, inverse_run, 0};

/* ---- as steps ---- */

static size_t gather_chunks(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	(void)plan;
	return (size_t)stft->frames.rows * signal_pieces(stft->frames.count, PANEL) *
	       signal_pieces(stft_spectrum(stft), PANEL_BINS);
}

static int gather_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct stft *stft = call;
	const size_t pieces = signal_pieces(stft_spectrum(stft), PANEL_BINS);
	const size_t panels = signal_pieces(stft->frames.count, PANEL);
	const size_t begin = chunk % pieces * PANEL_BINS, end = size_min(begin + PANEL_BINS, stft_spectrum(stft));
	const uint64_t row = chunk / pieces / panels, first = chunk / pieces % panels * PANEL;
	const size_t step = stft_spectrum(stft) * signal_bytes(stft->frames.precision, true);

	(void)scratch;
	gather(stft, io->in[0], row, first, size_min(PANEL, (size_t)(stft->frames.count - first)), begin, end,
	       io->out + (row * stft->frames.count + first) * step, step);
	return 0;
}

const struct signal_kind stft_gather = {gather_chunks, NULL, gather_run, 0};

/* Samples of a chunk whose sums take as long as they should. */
static uint64_t add_piece(const struct stft *stft)
{
	const uint64_t fit = SUMS / size_min(overlap(stft), (size_t)stft->frames.count);

	return fit < 64 ? 64 : fit < SIGNAL_PIECE ? fit : SIGNAL_PIECE;
}

static size_t add_chunks(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	(void)plan;
	return (size_t)stft->frames.rows * signal_pieces(stft->length, add_piece(stft));
}

static int add_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct stft *stft = call;
	const size_t size = signal_bytes(stft->frames.precision, stft->is_complex), step = stft->frames.n * size;
	uint64_t row;
	struct span span = chunk_span(stft, chunk, add_piece(stft), &row), over;
	char *out = samples(stft, io->out, row, span.begin);

	(void)scratch;
	fill_rest(stft, span.begin, &span.end, out);
	if (span.begin == span.end)
		return 0;
	memset(out, 0, (size_t)(span.end - span.begin) * size);
	over = frames_over(stft, span.begin, span.end);
	add(stft,
	    &(struct backs){over.begin, over.end - over.begin,
			    io->in[0] + (row * stft->frames.count + over.begin) * step, step},
	    io->in[1], span.begin, span.end, out);
	divide(stft, io->in[1], span, out);
	return 0;
}

const struct signal_kind stft_add = {add_chunks, NULL, add_run, 0};

/* ---- the check ---- */

/* Inside a signal the sums repeat with every hop: its two ends and one hop between them tell all. */
struct ends {
	uint64_t begin, first, second, end; /* [begin, first) and [second, end) are looked at */
};

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

static size_t check_chunks(const void *call, const struct fft_plan *plan)
{
	const struct ends ends = find_ends(call);
	const uint64_t piece = add_piece(call);

	(void)plan;
	return signal_pieces(ends.first - ends.begin, piece) + signal_pieces(ends.end - ends.second, piece);
}

static int check_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct ends ends = find_ends(call);
	const uint64_t piece = add_piece(call);
	const size_t before = signal_pieces(ends.first - ends.begin, piece);
	const uint64_t from = chunk < before ? ends.begin + chunk * piece : ends.second + (chunk - before) * piece;
	const uint64_t limit = chunk < before ? ends.first : ends.end, to = from + piece < limit ? from + piece : limit;
	double sums[BLOCK];

	(void)scratch;
	for (uint64_t at = from; at < to; at += BLOCK) {
		const size_t count = size_min(BLOCK, (size_t)(to - at));

		envelope(call, io->in[1], at, at + count, sums);
		for (size_t i = 0; i < count; i++)
			if (!(sums[i] > STFT_LEAST))
				return -ERROR_OUT_OF_RANGE;
	}
	return 0;
}

const struct signal_kind stft_check = {check_chunks, NULL, check_run, 0};
