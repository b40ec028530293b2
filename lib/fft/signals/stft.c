/* SPDX-License-Identifier: Apache-2.0 */
/* The forward STFT. A chunk reads frames in sequence, transforms them in scratch, and stores a run of frames for each
 * bin. */
#include "fft/signals/stft.h"

#include <string.h>

#include "base/checked.h"
#include "base/store_around.h"
#include "fft/plan/plan.h"
#include "fft/kernels/transpose.h"

/* What a chunk that only stores takes at once. */
enum { PANEL_FRAMES = 16, PANEL_BINS = 1024 };

/* Rounds up to an odd number of cache lines, so that rows do not fall into the same cache sets. */
static size_t odd_lines(size_t bytes)
{
	return fft_round_line(bytes) | 64;
}

size_t stft_frame_bytes(const struct stft *stft)
{
	return odd_lines(stft->frames.n * signal_bytes(stft->frames.precision, stft->is_complex));
}

size_t stft_spectrum_bytes(const struct stft *stft)
{
	return odd_lines(stft_spectrum(stft) * signal_bytes(stft->frames.precision, true));
}

/* ---- storing ---- */

/* Bins [begin, end) of the spectra of neighbouring frames. */
struct run {
	uint64_t first;     /* counted over all signals */
	size_t count, step; /* bytes from one spectrum to the next */
	const char *spectra;
	size_t begin, end;
	bool stream;
};

/* Returns whether the result is too large to stay in a cache: then stores go around it. */
static bool uses_stream(const struct stft *stft)
{
	const uint64_t pairs = stft->frames.rows * stft->frames.count * stft->bins;

	return pairs >= TRANSPOSE_STREAM_BYTES / signal_bytes(stft->frames.precision, true);
}

static void copy_bins(const char *from, char *to, size_t bytes, bool stream)
{
	if (stream)
		store_around_copy(to, from, bytes);
	else
		memcpy(to, from, bytes);
}

static void negate_imaginary(enum fft_precision precision, char *pair)
{
	if (precision == FFT_F32)
		((float *)(void *)pair)[1] = -((float *)(void *)pair)[1];
	else
		((double *)(void *)pair)[1] = -((double *)(void *)pair)[1];
}

/* Stores the bins above the middle of a real signal's spectrum, which mirror those below, of frame f of the run. */
static void mirror_bins(const struct stft *stft, const struct run *run, size_t f, char *to, size_t to_step)
{
	const size_t pair = signal_bytes(stft->frames.precision, true), n = stft->frames.n, have = stft_spectrum(stft);

	for (size_t k = run->begin > have ? run->begin : have; k < run->end; k++) {
		memcpy(to + k * to_step, run->spectra + f * run->step + (n - k) * pair, pair);
		negate_imaginary(stft->frames.precision, to + k * to_step);
	}
}

/* Stores a run inside one signal. */
static void store_row(const struct stft *stft, const struct run *run, char *out)
{
	const size_t pair = signal_bytes(stft->frames.precision, true), have = size_min(stft_spectrum(stft), run->end);
	const size_t count = stft->frames.count, bins = stft->bins, begin = size_min(run->begin, have);
	const size_t frame_step = stft->frames_first ? bins * pair : pair;
	const size_t bin_step = stft->frames_first ? pair : count * pair;
	char *to = out + run->first / count * bins * count * pair + run->first % count * frame_step;

	if (!stft->frames_first)
		transpose_pairs(stft->frames.precision, run->spectra + begin * pair, run->step, to + begin * bin_step,
				bin_step, run->count, have - begin, run->stream);
	for (size_t f = 0; f < run->count; f++) {
		if (stft->frames_first)
			copy_bins(run->spectra + f * run->step + begin * pair, to + f * frame_step + begin * pair,
				  (have - begin) * pair, run->stream);
		mirror_bins(stft, run, f, to + f * frame_step, bin_step);
	}
}

/* Splits a run at the ends of signals, whose spectra are not contiguous. */
static void store_frames(const struct stft *stft, const struct run *run, char *out)
{
	struct run part = *run;

	for (size_t at = 0; at < run->count; at += part.count) {
		part.first = run->first + at;
		part.spectra = run->spectra + at * run->step;
		part.count = size_min(run->count - at, (size_t)(stft->frames.count - part.first % stft->frames.count));
		store_row(stft, &part, out);
	}
	if (run->stream)
		store_around_end();
}

/* ---- in scratch ---- */

static size_t frames_per_chunk(const struct stft *stft, const struct fft_plan *plan)
{
	return signal_rows_per_chunk(plan, 1, stft_row_bytes(stft));
}

static size_t forward_chunks(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	return signal_count_pieces(stft->frames.rows * stft->frames.count, frames_per_chunk(stft, plan));
}

static size_t scratch_bytes(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	return fft_round_line(fft_scratch_bytes(plan)) + frames_per_chunk(stft, plan) * stft_row_bytes(stft);
}

static int forward_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct stft *stft = call;
	const struct frames *frames = &stft->frames;
	const size_t most = frames_per_chunk(stft, signal_io_plan(io)), in_bytes = stft_frame_bytes(stft),
		     out_bytes = stft_spectrum_bytes(stft);
	const uint64_t first = (uint64_t)chunk * most;
	const size_t count = size_min(most, (size_t)(frames->rows * frames->count - first));
	char *in = (char *)scratch + fft_round_line(fft_scratch_bytes(signal_io_plan(io))), *out = in + most * in_bytes;
	const struct fft_call fft = {
		.in = in,
		.out = out,
		.in_stride = 1,
		.in_distance = in_bytes / signal_bytes(frames->precision, stft->is_complex),
		.out_stride = 1,
		.out_distance = out_bytes / signal_bytes(frames->precision, true),
		.batch = count,
		.scale = stft->scale,
	};

	for (size_t i = 0; i < count; i++)
		frames_load(frames, io->in[0], io->in[1], NULL, (first + i) / frames->count,
			    (first + i) % frames->count, 0, frames->n, in + i * in_bytes);
	fft_run(signal_io_plan(io), &fft, scratch);
	store_frames(stft, &(struct run){first, count, out_bytes, out, 0, stft->bins, uses_stream(stft)}, io->out);
	return 0;
}

const struct signal_kind stft_forward = {forward_chunks, scratch_bytes, forward_run, 0};

/* ---- storing as a step ---- */

static size_t bin_pieces(const struct stft *stft)
{
	return signal_count_pieces(stft->bins, PANEL_BINS);
}

static size_t store_chunks(const void *call, const struct fft_plan *plan)
{
	const struct stft *stft = call;

	(void)plan;
	return signal_count_pieces(stft->frames.rows * stft->frames.count, PANEL_FRAMES) * bin_pieces(stft);
}

/* A chunk is a panel of frames, counted over all signals, by a panel of bins. */
static int store_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct stft *stft = call;
	const size_t step = stft_spectrum(stft) * signal_bytes(stft->frames.precision, true);
	const size_t begin = chunk % bin_pieces(stft) * PANEL_BINS;
	const uint64_t first = (uint64_t)(chunk / bin_pieces(stft)) * PANEL_FRAMES;
	const uint64_t left = stft->frames.rows * stft->frames.count - first;
	const struct run run = {first,
				size_min(PANEL_FRAMES, (size_t)left),
				step,
				io->in[0] + first * step,
				begin,
				size_min(begin + PANEL_BINS, (size_t)stft->bins),
				uses_stream(stft)};

	(void)scratch;
	store_frames(stft, &run, io->out);
	return 0;
}

const struct signal_kind stft_store = {store_chunks, NULL, store_run, 0};
