/* SPDX-License-Identifier: Apache-2.0 */
/* Overlap-save of normals, block by block in scratch, or, where blocks are too long for that, stage by stage. */
#include "colored/colored.h"

#include <string.h>

#include "base/chunk.h"
#include "base/error.h"
#include "distributions/draw/draw_fill.h"
#include "fft/plan/plan.h"
#include "fft/signals/signal.h"

enum {
	SAMPLE_NS = 2,           /* about, of a short block */
	PIECE = SIGNAL_PIECE,    /* elements of a chunk of a long one */
	GROUP_BYTES = 32 << 20,  /* of the blocks that are worked on at once, at least one */
	CONVERTED = 512,
};

static size_t real_bytes(const struct colored_work *c)
{
	return c->filter->is_wide ? sizeof(double) : sizeof(float);
}

static uint64_t bins(const struct colored_work *c)
{
	return c->filter->block / 2 + 1;
}

static size_t block_bytes(const struct colored_work *c)
{
	return c->filter->block * real_bytes(c);
}

static size_t spectrum_bytes(const struct colored_work *c)
{
	return fft_round_line(2 * bins(c) * real_bytes(c));
}

/* Returns the normals that a block shares with the one before it. */
static uint64_t kept_normals(const struct colored_filter *filter)
{
	return filter->block - filter->step;
}

/* ---- what blocks are made of ---- */

static uint64_t first_block(const struct colored_work *c, const struct colored_draws *draws)
{
	return draws->begin / c->filter->step;
}

static uint64_t last_block(const struct colored_work *c, const struct colored_draws *draws)
{
	return (draws->begin + draws->n - 1) / c->filter->step;
}

/* Draws normals of the dtype of samples, and converts them to float64 where the filter is computed in that. */
static void draw_wide(const struct colored_draws *draws, uint64_t begin, size_t n, double *to)
{
	float few[CONVERTED];

	for (size_t at = 0, count; at < n; at += count) {
		count = n - at < CONVERTED ? n - at : CONVERTED;
		draw_fill(draws->kernels, draws->draw, begin + at, count, few);
		for (size_t i = 0; i < count; i++)
			to[at + i] = (double)few[i];
	}
}

/* Draws normals [block * step + from, block * step + from + n), zeros behind the end of the stream. */
static void draw_normals(const struct colored_work *c, const struct colored_draws *draws, uint64_t block, uint64_t from, size_t n,
			 void *to)
{
	const unsigned __int128 all = ((unsigned __int128)1 << 64) / draw_words_per_sample(c->dtype);
	const unsigned __int128 begin = (unsigned __int128)block * c->filter->step + from;
	const size_t there = begin >= all ? 0 : all - begin < n ? (size_t)(all - begin) : n;

	if (there && c->filter->is_wide && c->dtype == DTYPE_F32)
		draw_wide(draws, (uint64_t)begin, there, to);
	else if (there)
		draw_fill(draws->kernels, draws->draw, (uint64_t)begin, there, to);
	memset((char *)to + there * real_bytes(c), 0, (n - there) * real_bytes(c));
}

static void multiply(const struct colored_work *c, const struct fft_plan *plan, char *x, uint64_t begin, uint64_t count)
{
	const size_t at = 2 * begin * real_bytes(c);
	const struct fft_product product = {
		x + at, (const char *)c->filter->spectrum + at, x + at, 1, 1, (size_t)count, false, false, 1};

	plan->ops->multiply(&product);
}

/* Copies those of samples [from, until) of a block that the run asks for. */
static void store_samples(const struct colored_work *c, const struct colored_draws *draws, uint64_t block, uint64_t from,
			  uint64_t until, const char *samples, char *out)
{
	const uint64_t origin = block * c->filter->step, left = draws->begin + draws->n - origin; /* modulo 2^64 */
	const uint64_t skipped = draws->begin > origin ? draws->begin - origin : 0;
	const uint64_t begin = skipped > from ? skipped : from, stop = left < until ? left : until;

	if (begin >= stop)
		return;
	out += (origin + begin - draws->begin) * dtype_size(c->dtype);
	if (!c->filter->is_wide || c->dtype == DTYPE_F64) {
		memcpy(out, samples + begin * real_bytes(c), (size_t)(stop - begin) * real_bytes(c));
		return;
	}
	for (uint64_t i = begin; i < stop; i++)
		((float *)(void *)out)[i - begin] = (float)((const double *)(const void *)samples)[i];
}

/* ---- blocks in scratch ---- */

/* Transforms a block, multiplies it, and transforms it back into its place. */
static void filter_block(const struct colored_work *c, const struct fft_plan *plan, char *x, char *spectrum, void *scratch)
{
	const size_t block = (size_t)c->filter->block;
	struct fft_call fft = {.in = x,
			       .out = spectrum,
			       .in_stride = 1,
			       .in_distance = block,
			       .out_stride = 1,
			       .out_distance = bins(c),
			       .batch = 1,
			       .scale = 1,
			       .kept = FFT_KEPT_NEAR};

	fft_run(plan, &fft, scratch);
	multiply(c, plan, spectrum, 0, bins(c));
	fft = (struct fft_call){.in = spectrum,
				.out = x,
				.in_stride = 1,
				.in_distance = bins(c),
				.out_stride = 1,
				.out_distance = block,
				.batch = 1,
				.inverse = true,
				.scale = 1 / (double)block,
				.kept = FFT_KEPT_NEAR};
	fft_run(plan, &fft, scratch);
}

/* The normals that a block shares with the next are drawn once. */
static int run_short(const struct colored_work *c, const struct staged_io *io, size_t chunk, char *scratch)
{
	const struct colored_draws *draws = io->draws;
	const struct fft_plan *plan = signal_io_plan(io);
	const struct colored_filter *filter = c->filter;
	const size_t kept = (size_t)kept_normals(filter), kept_bytes = kept * real_bytes(c);
	const uint64_t first = first_block(c, draws) + chunk * c->group, last = last_block(c, draws);
	char *x = scratch + fft_round_line(fft_scratch_bytes(plan)), *shared = x + block_bytes(c);
	char *spectrum = shared + fft_round_line(kept_bytes);

	for (uint64_t block = first; block <= last && block < first + c->group; block++) {
		if (block == first)
			draw_normals(c, draws, block, 0, (size_t)filter->block, x);
		else
			draw_normals(c, draws, block, kept, (size_t)filter->step, x + kept_bytes);
		memcpy(shared, x + filter->step * real_bytes(c), kept_bytes);
		filter_block(c, plan, x, spectrum, scratch);
		store_samples(c, draws, block, 0, filter->step, x, io->out);
		memcpy(x, shared, kept_bytes);
	}
	return 0;
}

/* ---- blocks stage by stage ---- */

/* The stages of a group: normals, phases of the transform, products, phases back, samples. */
enum part { PART_NORMALS, PART_FORWARD, PART_PRODUCTS, PART_BACK, PART_SAMPLES };

struct long_stage {
	enum part part;
	size_t phase;       /* of a transform */
	uint64_t group, n_blocks; /* the first of the run's blocks, and how many */
};

static size_t stages_each(const struct colored_work *c)
{
	return 3 + 2 * c->phases;
}

static struct long_stage find_part(const struct colored_work *c, size_t stage)
{
	const size_t at = stage % stages_each(c), p = c->phases;
	const uint64_t group = stage / stages_each(c) * c->group;
	struct long_stage s = {.group = group, .n_blocks = c->blocks - group < c->group ? c->blocks - group : c->group};

	s.part = at == 0           ? PART_NORMALS
		 : at <= p         ? PART_FORWARD
		 : at == p + 1     ? PART_PRODUCTS
		 : at <= 2 * p + 1 ? PART_BACK
				   : PART_SAMPLES;
	s.phase = s.part == PART_FORWARD ? at - 1 : at - p - 2;
	return s;
}

static size_t count_chunks(const struct colored_work *c, const struct fft_plan *plan, const struct long_stage *s)
{
	switch (s->part) {
	case PART_NORMALS:
		return signal_count_pieces((s->n_blocks - 1) * c->filter->step + c->filter->block, PIECE);
	case PART_PRODUCTS:
		return (size_t)s->n_blocks * signal_count_pieces(bins(c), PIECE);
	case PART_SAMPLES:
		return (size_t)s->n_blocks * signal_count_pieces(c->filter->step, PIECE);
	default:
		return fft_chunks(plan, s->phase, (size_t)s->n_blocks);
	}
}

/* Blocks overlap where they are read, and lie one behind the other where they are written. */
static void transform_part(const struct colored_work *c, const struct fft_plan *plan, const struct long_stage *s, char *x,
			   char *spectra, char *work, size_t chunk, void *scratch)
{
	const bool back = s->part == PART_BACK;
	const size_t pairs = spectrum_bytes(c) / (2 * real_bytes(c));
	const struct fft_call fft = {.in = back ? spectra : x,
				     .out = back ? x : spectra,
				     .in_stride = 1,
				     .in_distance = back ? pairs : (size_t)c->filter->step,
				     .out_stride = 1,
				     .out_distance = back ? (size_t)c->filter->block : pairs,
				     .batch = (size_t)s->n_blocks,
				     .inverse = back,
				     .scale = back ? 1 / (double)c->filter->block : 1,
				     .work = work};

	fft_run_chunk(plan, &fft, s->phase, chunk, scratch);
}

/* Returns piece `chunk` of rows of `length` elements: its row, and where it begins and ends. */
static uint64_t find_piece(size_t chunk, uint64_t length, uint64_t *ret_begin, uint64_t *ret_end)
{
	const size_t pieces = signal_count_pieces(length, PIECE);

	*ret_begin = chunk % pieces * PIECE;
	*ret_end = *ret_begin + PIECE < length ? *ret_begin + PIECE : length;
	return chunk / pieces;
}

/* A group behind the last block has nothing to do: where a run begins inside a block, its samples lie in one more. */
static int run_long(const struct colored_work *c, const struct staged_io *io, size_t stage, size_t chunk, void *scratch)
{
	const struct colored_draws *draws = io->draws;
	const struct fft_plan *plan = signal_io_plan(io);
	const struct long_stage s = find_part(c, stage);
	const uint64_t first = first_block(c, draws) + s.group, last = last_block(c, draws);
	char *x = io->work, *spectra = x + c->group * block_bytes(c), *work = spectra + c->group * spectrum_bytes(c);
	uint64_t begin, end, row;

	if (first > last)
		return 0;
	switch (s.part) {
	case PART_NORMALS:
		find_piece(chunk, (s.n_blocks - 1) * c->filter->step + c->filter->block, &begin, &end);
		draw_normals(c, draws, first, begin, (size_t)(end - begin), x + begin * real_bytes(c));
		break;
	case PART_PRODUCTS:
		row = find_piece(chunk, bins(c), &begin, &end);
		multiply(c, plan, spectra + row * spectrum_bytes(c), begin, end - begin);
		break;
	case PART_SAMPLES:
		row = find_piece(chunk, c->filter->step, &begin, &end);
		if (first + row <= last)
			store_samples(c, draws, first + row, begin, end, x + row * block_bytes(c), io->out);
		break;
	default:
		transform_part(c, plan, &s, x, spectra, work, chunk, scratch);
	}
	return 0;
}

/* ---- as staged work ---- */

static void find_stage(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage)
{
	const struct colored_work *c = (const struct colored_work *)work;
	struct long_stage s;

	if (!c->is_long) {
		const uint64_t blocks = c->blocks < c->group ? c->blocks : c->group;

		*ret_stage = (struct staged_stage){signal_count_pieces(c->blocks, c->group),
						   (double)(blocks * c->filter->step * SAMPLE_NS)};
		return;
	}
	s = find_part(c, stage);
	*ret_stage = (struct staged_stage){.chunks = count_chunks(c, signal_io_plan(io), &s)};
}

static int run_chunk(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t chunk, void *scratch)
{
	const struct colored_work *c = (const struct colored_work *)work;

	return c->is_long ? run_long(c, io, stage, chunk, scratch) : run_short(c, io, chunk, scratch);
}

/* Bytes of scratch beside the plan's. */
static size_t short_bytes(const struct colored_work *c)
{
	return block_bytes(c) + fft_round_line(kept_normals(c->filter) * real_bytes(c)) + spectrum_bytes(c);
}

static void cut_long(struct colored_work *c, const struct fft_plan *plan)
{
	const size_t each = block_bytes(c) + spectrum_bytes(c);

	c->is_long = true;
	c->phases = fft_phases(plan);
	c->group = GROUP_BYTES / each ? GROUP_BYTES / each : 1;
	c->group = c->group < c->blocks ? c->group : c->blocks;
	c->work.stages = (size_t)((c->blocks + c->group - 1) / c->group) * stages_each(c);
	c->work.scratch_bytes = fft_scratch_bytes(plan);
	c->work.work_bytes = c->group * each + fft_work_bytes(plan, (size_t)c->group);
}

void colored_cut(const struct colored_filter *filter, enum dtype dtype, uint64_t n, const struct fft_plan *plan,
		 size_t scratch_bytes, struct colored_work *ret_work)
{
	static const struct staged_work_ops ops = {find_stage, run_chunk};
	struct colored_work *c = ret_work;

	*c = (struct colored_work){
		.work = {.ops = &ops}, .filter = filter, .dtype = dtype, .blocks = (n - 1 + filter->step - 1) / filter->step + 1};
	c->work.cost_ns = (double)c->blocks * (double)filter->step * SAMPLE_NS;
	if (!signal_fits(plan, short_bytes(c), scratch_bytes)) {
		cut_long(c, plan);
		return;
	}
	c->group = CHUNK_ESTIMATE_NS / (filter->step * SAMPLE_NS);
	c->group = c->group ? c->group : 1;
	c->work.stages = 1;
	c->work.scratch_bytes = fft_round_line(fft_scratch_bytes(plan)) + short_bytes(c);
}
