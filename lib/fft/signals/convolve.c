/* SPDX-License-Identifier: Apache-2.0 */
/* Overlap-save, and the choice of its block. */
#include "fft/signals/convolve.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan/factor.h"
#include "fft/plan/plan.h"

enum { BLOCK_LEAST = 8, BLOCK_MOST = 20 }; /* logarithms */

static size_t element(const struct convolve *c)
{
	return signal_bytes(c->precision, c->is_complex);
}

static size_t block_bytes(const struct convolve *c)
{
	return fft_round_line(c->block * element(c)) | 64;
}

static size_t spectrum_bytes(const struct convolve *c)
{
	return fft_round_line(convolve_bins(c) * signal_bytes(c->precision, true)) | 64;
}

size_t convolve_row_bytes(const struct convolve *c)
{
	return block_bytes(c) + spectrum_bytes(c);
}

/* ---- the cut ---- */

static double cost(uint64_t n)
{
	return (double)n * (log2((double)n) + 1);
}

/* The whole in one transform: long enough that what wraps around falls outside the results. */
static void cut_whole(struct convolve *c, uint32_t features)
{
	const size_t lanes = fft_select(features)->ops[c->precision]->lanes;
	const uint64_t full = c->signal.n + c->kernel.n - 1;
	uint64_t least = c->signal.n;

	if (least < full - c->start)
		least = full - c->start;
	if (least < c->start + c->n_out)
		least = c->start + c->n_out;
	c->block = c->is_complex ? factor_convolution(least, lanes) : 2 * factor_convolution((least + 1) / 2, lanes);
	c->step = c->n_out;
	c->whole = true;
	c->blocks = 1;
}

int convolve_cut(struct convolve *c, uint32_t features)
{
	double best;

	cut_whole(c, features);
	best = cost(c->block);
	for (unsigned k = BLOCK_LEAST; k <= BLOCK_MOST; k++) {
		const uint64_t block = UINT64_C(1) << k, step = block - c->kernel.n + 1;

		if (block < 2 * c->kernel.n)
			continue;
		const uint64_t blocks = (c->n_out + step - 1) / step;

		if ((double)blocks * cost(block) >= best)
			continue;
		best = (double)blocks * cost(block);
		c->block = block;
		c->step = step;
		c->whole = false;
		c->blocks = blocks;
	}
	return c->block > FFT_MAX_LENGTH ? -ERROR_OUT_OF_RANGE : 0;
}

/* ---- rows ---- */

/* The row of a side that row r of the result takes. */
static uint64_t row_of(const struct convolve *c, const struct convolve_side *side, uint64_t r)
{
	uint64_t row = 0;

	for (unsigned i = c->n_dims; i-- > 0; r /= c->dims[i])
		row += r % c->dims[i] * side->row_step[i];
	return row;
}

static void conjugate(enum fft_precision precision, char *pair)
{
	if (precision == FFT_F32)
		((float *)(void *)pair)[1] = -((float *)(void *)pair)[1];
	else
		((double *)(void *)pair)[1] = -((double *)(void *)pair)[1];
}

/* Elements [begin, begin + n) of a row, all of them inside it. */
static void copy(const struct convolve *c, const struct convolve_side *side, const char *row, uint64_t begin, size_t n,
		 char *to)
{
	const size_t size = element(c);

	if (side->stride == 1 && !side->turned) {
		memcpy(to, row + begin * size, n * size);
		return;
	}
	for (size_t i = 0; i < n; i++, to += size) {
		const uint64_t at = side->turned ? side->n - 1 - (begin + i) : begin + i;
		const char *from = row + at * side->stride * size;

		if (size == sizeof(float))
			memcpy(to, from, sizeof(float));
		else
			memcpy(to, from, size);
		if (side->turned && c->is_complex)
			conjugate(c->precision, to);
	}
}

/* n elements of a row from position `begin`, zeros outside. */
static void load(const struct convolve *c, const struct convolve_side *side, const char *all, uint64_t row,
		 int64_t begin, size_t n, char *to)
{
	const size_t size = element(c);
	const int64_t end = begin + (int64_t)n, length = (int64_t)side->n;
	const int64_t from = begin > 0 ? begin : 0, until = end < length ? end : length;

	if (from >= until) {
		memset(to, 0, n * size);
		return;
	}
	memset(to, 0, (size_t)(from - begin) * size);
	copy(c, side, all + signal_row(row, side->n, side->stride) * size, (uint64_t)from, (size_t)(until - from),
	     to + (from - begin) * (int64_t)size);
	memset(to + (until - begin) * (int64_t)size, 0, (size_t)(end - until) * size);
}

/* Where block b of a row begins in its signal: at the first result's place less what leads to it. */
static int64_t block_begin(const struct convolve *c, uint64_t b)
{
	return c->whole ? 0 : (int64_t)(c->start + b * c->step) - (int64_t)(c->kernel.n - 1);
}

/* Results [begin, end) of a block, from the block transformed back. */
static void paste(const struct convolve *c, const char *block, uint64_t row, uint64_t b, uint64_t begin, uint64_t end,
		  char *out)
{
	const size_t size = element(c), first = c->whole ? c->start : c->kernel.n - 1;
	const char *from = block + (first + begin) * size;
	char *to = out + (signal_row(row, c->n_out, c->out_stride) + (b * c->step + begin) * c->out_stride) * size;

	if (c->out_stride == 1) {
		memcpy(to, from, (size_t)(end - begin) * size);
		return;
	}
	for (uint64_t i = begin; i < end; i++, from += size, to += c->out_stride * size)
		memcpy(to, from, size);
}

/* Results that block b of a row gives. */
static uint64_t results_of(const struct convolve *c, uint64_t b)
{
	return c->n_out - b * c->step < c->step ? c->n_out - b * c->step : c->step;
}

static void multiply(const struct fft_plan *plan, const char *x, const char *kernel, char *y, size_t count)
{
	const struct fft_product product = {x, kernel, y, 1, 1, count, false, false, 1};

	plan->ops->multiply(&product);
}

/* ---- the whole in scratch ---- */

static size_t group(const struct convolve *c, const struct fft_plan *plan)
{
	return signal_group(plan, 2, convolve_row_bytes(c));
}

static size_t blocks_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	return signal_pieces(c->rows * c->blocks, group(c, plan));
}

static size_t blocks_scratch(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	return fft_round_line(fft_scratch_bytes(plan)) + group(c, plan) * convolve_row_bytes(c);
}

static int blocks_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const size_t most = group(c, io->plan), bytes = block_bytes(c), pairs = spectrum_bytes(c);
	const size_t pair = signal_bytes(c->precision, true), bins = convolve_bins(c);
	const uint64_t first = (uint64_t)chunk * most;
	const size_t count = size_min(most, (size_t)(c->rows * c->blocks - first));
	char *in = (char *)scratch + fft_round_line(fft_scratch_bytes(io->plan)), *spectra = in + most * bytes;
	struct fft_call fft = {
		in, spectra, 1, bytes / element(c), 1, pairs / pair, count, false, 1, NULL, FFT_REUSE_NONE,
	};

	for (size_t i = 0; i < count; i++)
		load(c, &c->signal, io->in[0], row_of(c, &c->signal, (first + i) / c->blocks),
		     block_begin(c, (first + i) % c->blocks), (size_t)c->block, in + i * bytes);
	fft_run(io->plan, &fft, scratch);
	for (size_t i = 0; i < count; i++)
		multiply(io->plan, spectra + i * pairs,
			 io->in[1] + row_of(c, &c->kernel, (first + i) / c->blocks) * bins * pair, spectra + i * pairs,
			 bins);
	fft = (struct fft_call){
		spectra,        in, 1, pairs / pair, 1, bytes / element(c), count, true, 1 / (double)c->block, NULL,
		FFT_REUSE_NONE,
	};
	fft_run(io->plan, &fft, scratch);
	for (size_t i = 0; i < count; i++)
		paste(c, in + i * bytes, (first + i) / c->blocks, (first + i) % c->blocks, 0,
		      results_of(c, (first + i) % c->blocks), io->out);
	return 0;
}

const struct signal_kind convolve_blocks = {blocks_chunks, blocks_scratch, blocks_run, 0};

/* ---- as steps ---- */

/* Piece [begin, end) of item `item` of `length` elements. */
struct piece {
	uint64_t item, begin, end;
};

static struct piece find_piece(size_t chunk, uint64_t length)
{
	const size_t pieces = signal_pieces(length, SIGNAL_PIECE);
	const uint64_t begin = chunk % pieces * SIGNAL_PIECE;

	return (struct piece){chunk / pieces, begin, begin + SIGNAL_PIECE < length ? begin + SIGNAL_PIECE : length};
}

static size_t kernels_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	(void)plan;
	return (size_t)c->kernels * signal_pieces(c->block, SIGNAL_PIECE);
}

static int kernels_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const struct piece at = find_piece(chunk, c->block);

	(void)scratch;
	load(c, &c->kernel, io->in[0], at.item, (int64_t)at.begin, (size_t)(at.end - at.begin),
	     io->out + (at.item * c->block + at.begin) * element(c));
	return 0;
}

const struct signal_kind convolve_kernels = {kernels_chunks, NULL, kernels_run, 0};

static size_t frames_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	(void)plan;
	return (size_t)(c->rows * c->blocks) * signal_pieces(c->block, SIGNAL_PIECE);
}

static int frames_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const struct piece at = find_piece(chunk, c->block);

	(void)scratch;
	load(c, &c->signal, io->in[0], row_of(c, &c->signal, at.item / c->blocks),
	     block_begin(c, at.item % c->blocks) + (int64_t)at.begin, (size_t)(at.end - at.begin),
	     io->out + (at.item * c->block + at.begin) * element(c));
	return 0;
}

const struct signal_kind convolve_frames = {frames_chunks, NULL, frames_run, 0};

static size_t products_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	(void)plan;
	return (size_t)(c->rows * c->blocks) * signal_pieces(convolve_bins(c), SIGNAL_PIECE);
}

static int products_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const uint64_t bins = convolve_bins(c);
	const struct piece at = find_piece(chunk, bins);
	const size_t pair = signal_bytes(c->precision, true), x = (size_t)(at.item * bins + at.begin) * pair;
	const uint64_t kernel = row_of(c, &c->kernel, at.item / c->blocks);

	(void)scratch;
	multiply(io->plan, io->in[0] + x, io->in[1] + (kernel * bins + at.begin) * pair, io->out + x,
		 (size_t)(at.end - at.begin));
	return 0;
}

const struct signal_kind convolve_products = {products_chunks, NULL, products_run, 0};

static size_t results_chunks(const void *call, const struct fft_plan *plan)
{
	const struct convolve *c = call;

	(void)plan;
	return (size_t)(c->rows * c->blocks) * signal_pieces(c->step, SIGNAL_PIECE);
}

static int results_run(const void *call, const struct signal_io *io, size_t chunk, void *scratch)
{
	const struct convolve *c = call;
	const struct piece at = find_piece(chunk, c->step);
	const uint64_t b = at.item % c->blocks, have = results_of(c, b);

	(void)scratch;
	if (at.begin < have)
		paste(c, io->in[0] + at.item * c->block * element(c), at.item / c->blocks, b, at.begin,
		      at.end < have ? at.end : have, io->out);
	return 0;
}

const struct signal_kind convolve_results = {results_chunks, NULL, results_run, 0};
