/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution by overlap-save, and the choice of its block. */
#include "fft/signals/convolve.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan/factor.h"
#include "fft/plan/plan.h"

enum { BLOCK_LEAST = 8, BLOCK_MOST = 20 }; /* binary logarithms of the blocks that are tried */

static size_t element_bytes(const struct convolve *c)
{
	return signal_bytes(c->precision, c->is_complex);
}

/*  64: an odd number of cache lines, so that the rows of a chunk do not fall into the same cache sets. */
static size_t block_bytes(const struct convolve *c)
{
	return fft_round_line(c->block * element_bytes(c)) | 64;
}

static size_t spectrum_bytes(const struct convolve *c)
{
	return fft_round_line(convolve_bins(c) * signal_bytes(c->precision, true)) | 64;
}

size_t convolve_row_bytes(const struct convolve *c)
{
	return block_bytes(c) + spectrum_bytes(c);
}

/* ---- the choice of blocks ---- */

/* Returns the relative cost of a transform of n elements. */
static double block_cost(uint64_t n)
{
	return (double)n * (log2((double)n) + 1);
}

/* Takes one transform, so long that what wraps around falls outside the results. */
static void cut_one_block(struct convolve *c)
{
	const size_t width = fft_width(c->precision);
	const uint64_t full = c->signal.n + c->kernel.n - 1;
	uint64_t least = c->signal.n;

	if (least < full - c->start)
		least = full - c->start;
	if (least < c->start + c->n_out)
		least = c->start + c->n_out;
	c->block = c->is_complex ? factor_convolution(least, width) : 2 * factor_convolution((least + 1) / 2, width);
	c->step = c->n_out;
	c->one_block = true;
	c->blocks = 1;
}

/* Compares one block with all blocks of 2^8 to 2^20 elements that are at least twice as long as the kernel, and takes
 * the one whose transforms cost least in all. */
int convolve_cut(struct convolve *c)
{
	double best;

	cut_one_block(c);
	best = block_cost(c->block);
	for (unsigned k = BLOCK_LEAST; k <= BLOCK_MOST; k++) {
		const uint64_t block = UINT64_C(1) << k, step = block - c->kernel.n + 1;

		if (block < 2 * c->kernel.n)
			continue;
		const uint64_t blocks = (c->n_out + step - 1) / step;

		if ((double)blocks * block_cost(block) >= best)
			continue;
		best = (double)blocks * block_cost(block);
		c->block = block;
		c->step = step;
		c->one_block = false;
		c->blocks = blocks;
	}
	return c->block > FFT_MAX_LENGTH ? -ERROR_OUT_OF_RANGE : 0;
}

/* ---- rows ---- */

/* Returns the row of a side that row r of the result needs. */
static uint64_t find_row(const struct convolve *c, const struct convolve_side *side, uint64_t r)
{
	uint64_t row = 0;

	for (unsigned i = c->n_dims; i-- > 0; r /= c->dims[i])
		row += r % c->dims[i] * side->row_step[i];
	return row;
}

/* Negates the imaginary part of a complex element. */
static void conjugate_pair(enum fft_precision precision, char *pair)
{
	if (precision == FFT_F32)
		((float *)(void *)pair)[1] = -((float *)(void *)pair)[1];
	else
		((double *)(void *)pair)[1] = -((double *)(void *)pair)[1];
}

/* Copies elements [begin, begin + n) of a row; all of them exist. */
static void copy_row(const struct convolve *c, const struct convolve_side *side, const char *row, uint64_t begin,
		     size_t n, char *to)
{
	const size_t size = element_bytes(c);

	if (side->stride == 1 && !side->reversed) {
		memcpy(to, row + begin * size, n * size);
		return;
	}
	for (size_t i = 0; i < n; i++, to += size) {
		const uint64_t at = side->reversed ? side->n - 1 - (begin + i) : begin + i;
		const char *from = row + at * side->stride * size;

		if (size == sizeof(float))
			memcpy(to, from, sizeof(float));
		else
			memcpy(to, from, size);
		if (side->reversed && c->is_complex)
			conjugate_pair(c->precision, to);
	}
}

/* Copies n elements of a row from position `begin` on, with zeros outside the row. */
static void load_padded(const struct convolve *c, const struct convolve_side *side, const char *all, uint64_t row,
			int64_t begin, size_t n, char *to)
{
	const size_t size = element_bytes(c);
	const int64_t end = begin + (int64_t)n, length = (int64_t)side->n;
	const int64_t from = begin > 0 ? begin : 0, until = end < length ? end : length;

	if (from >= until) {
		memset(to, 0, n * size);
		return;
	}
	memset(to, 0, (size_t)(from - begin) * size);
	copy_row(c, side, all + signal_row(row, side->n, side->stride) * size, (uint64_t)from, (size_t)(until - from),
		 to + (from - begin) * (int64_t)size);
	memset(to + (until - begin) * (int64_t)size, 0, (size_t)(end - until) * size);
}

/* Returns where block b begins in its signal: kernel - 1 elements before its first result. */
static int64_t block_begin(const struct convolve *c, uint64_t b)
{
	return c->one_block ? 0 : (int64_t)(c->start + b * c->step) - (int64_t)(c->kernel.n - 1);
}

/* Stores results [begin, end) of block b, which has been transformed back. */
static void store_results(const struct convolve *c, const char *block, uint64_t row, uint64_t b, uint64_t begin,
			  uint64_t end, char *out)
{
	const size_t size = element_bytes(c), first = c->one_block ? c->start : c->kernel.n - 1;
	const char *from = block + (first + begin) * size;
	char *to = out + (signal_row(row, c->n_out, c->out_stride) + (b * c->step + begin) * c->out_stride) * size;

	if (c->out_stride == 1) {
		memcpy(to, from, (size_t)(end - begin) * size);
		return;
	}
	for (uint64_t i = begin; i < end; i++, from += size, to += c->out_stride * size)
		memcpy(to, from, size);
}

/* Returns the number of results of block b: the last one may give fewer. */
static uint64_t count_results(const struct convolve *c, uint64_t b)
{
	return c->n_out - b * c->step < c->step ? c->n_out - b * c->step : c->step;
}

static void multiply_spectra(const struct fft_plan *plan, const char *x, const char *kernel, char *y, size_t count)
{
	const struct fft_product product = {x, kernel, y, 1, 1, count, false, false, 1};

	plan->ops->multiply(&product);
}

/* ---- blocks in scratch ---- */

static size_t blocks_per_chunk(const struct convolve *c, const struct fft_plan *plan)
{
	return signal_rows_per_chunk(plan, 2, convolve_row_bytes(c));
}

static size_t blocks_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	return signal_count_pieces(c->rows * c->blocks, blocks_per_chunk(c, plan));
}

static size_t blocks_scratch(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	return fft_round_line(fft_scratch_bytes(plan)) + blocks_per_chunk(c, plan) * convolve_row_bytes(c);
}

/* Loads, transforms, multiplies, transforms back and stores the blocks of a chunk, all in scratch. */
static int blocks_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const size_t most = blocks_per_chunk(c, signal_io_plan(io)), bytes = block_bytes(c), pairs = spectrum_bytes(c);
	const size_t pair = signal_bytes(c->precision, true), bins = convolve_bins(c);
	const uint64_t first = (uint64_t)chunk * most;
	const size_t count = size_min(most, (size_t)(c->rows * c->blocks - first));
	char *in = (char *)scratch + fft_round_line(fft_scratch_bytes(signal_io_plan(io))), *spectra = in + most * bytes;
	struct fft_call fft = {
		in, spectra, 1, bytes / element_bytes(c), 1, pairs / pair, count, false, 1, NULL, FFT_REUSE_NONE, 0, true, false,
	};

	for (size_t i = 0; i < count; i++)
		load_padded(c, &c->signal, io->in[0], find_row(c, &c->signal, (first + i) / c->blocks),
			    block_begin(c, (first + i) % c->blocks), (size_t)c->block, in + i * bytes);
	fft_run(signal_io_plan(io), &fft, scratch);
	for (size_t i = 0; i < count; i++)
		multiply_spectra(signal_io_plan(io), spectra + i * pairs,
				 io->in[1] + find_row(c, &c->kernel, (first + i) / c->blocks) * bins * pair,
				 spectra + i * pairs, bins);
	fft = (struct fft_call){
		spectra,
		in,
		1,
		pairs / pair,
		1,
		bytes / element_bytes(c),
		count,
		true,
		1 / (double)c->block,
		NULL,
		FFT_REUSE_NONE,
		0,
		true,
		false,
	};
	fft_run(signal_io_plan(io), &fft, scratch);
	for (size_t i = 0; i < count; i++)
		store_results(c, in + i * bytes, (first + i) / c->blocks, (first + i) % c->blocks, 0,
			      count_results(c, (first + i) % c->blocks), io->out);
	return 0;
}

const struct signal_kind convolve_blocks = {blocks_chunks, blocks_scratch, blocks_run, 0};

/* ---- as steps ---- */

/* Elements [begin, end) of an item. */
struct piece {
	uint64_t item, begin, end;
};

/* Returns the piece of SIGNAL_PIECE elements that a chunk handles, of items of `length` elements. */
static struct piece find_piece(size_t chunk, uint64_t length)
{
	const size_t pieces = signal_count_pieces(length, SIGNAL_PIECE);
	const uint64_t begin = chunk % pieces * SIGNAL_PIECE;

	return (struct piece){chunk / pieces, begin, begin + SIGNAL_PIECE < length ? begin + SIGNAL_PIECE : length};
}

static size_t kernels_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	(void)plan;
	return (size_t)c->kernels * signal_count_pieces(c->block, SIGNAL_PIECE);
}

/* Copies one piece of a kernel; beyond its end are zeros. */
static int kernels_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const struct piece at = find_piece(chunk, c->block);

	(void)scratch;
	load_padded(c, &c->kernel, io->in[0], at.item, (int64_t)at.begin, (size_t)(at.end - at.begin),
		    io->out + (at.item * c->block + at.begin) * element_bytes(c));
	return 0;
}

const struct signal_kind convolve_kernels = {kernels_chunks, NULL, kernels_run, 0};

static size_t frames_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	(void)plan;
	return (size_t)(c->rows * c->blocks) * signal_count_pieces(c->block, SIGNAL_PIECE);
}

static int frames_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const struct piece at = find_piece(chunk, c->block);

	(void)scratch;
	load_padded(c, &c->signal, io->in[0], find_row(c, &c->signal, at.item / c->blocks),
		    block_begin(c, at.item % c->blocks) + (int64_t)at.begin, (size_t)(at.end - at.begin),
		    io->out + (at.item * c->block + at.begin) * element_bytes(c));
	return 0;
}

const struct signal_kind convolve_frames = {frames_chunks, NULL, frames_run, 0};

static size_t products_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	(void)plan;
	return (size_t)(c->rows * c->blocks) * signal_count_pieces(convolve_bins(c), SIGNAL_PIECE);
}

/* Multiplies one piece of a block's spectrum by that of its kernel. */
static int products_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const uint64_t bins = convolve_bins(c);
	const struct piece at = find_piece(chunk, bins);
	const size_t pair = signal_bytes(c->precision, true), x = (size_t)(at.item * bins + at.begin) * pair;
	const uint64_t kernel = find_row(c, &c->kernel, at.item / c->blocks);

	(void)scratch;
	multiply_spectra(signal_io_plan(io), io->in[0] + x, io->in[1] + (kernel * bins + at.begin) * pair, io->out + x,
			 (size_t)(at.end - at.begin));
	return 0;
}

const struct signal_kind convolve_products = {products_chunks, NULL, products_run, 0};

static size_t results_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	(void)plan;
	return (size_t)(c->rows * c->blocks) * signal_count_pieces(c->step, SIGNAL_PIECE);
}

/* Pieces count up to `step` for every block; those beyond the results of a short last one do nothing. */
static int results_run(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const struct piece at = find_piece(chunk, c->step);
	const uint64_t b = at.item % c->blocks, have = count_results(c, b);

	(void)scratch;
	if (at.begin < have)
		store_results(c, io->in[0] + at.item * c->block * element_bytes(c), at.item / c->blocks, b, at.begin,
			      at.end < have ? at.end : have, io->out);
	return 0;
}

const struct signal_kind convolve_results = {results_chunks, NULL, results_run, 0};
