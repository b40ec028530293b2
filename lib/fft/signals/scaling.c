/* SPDX-License-Identifier: Apache-2.0 */
/* How items lie in memory. If the last axis is transformed, runs of elements of one item follow one another. Else a run
 * holds one element of each of many items, so an item is a column. A chunk is a block of items, or a piece of each if
 * they are long. */
#include "fft/signals/scaling.h"

#include <string.h>

#include "base/checked.h"
#include "gemm/mode.h"

/* The most columns of a chunk. */
enum { COLUMNS = 512 };

/* How an array is cut into chunks. */
struct cut {
	bool columns;
	uint64_t items, elements; /* elements: of an item */
	uint64_t run;             /* elements along the last axis */
	uint64_t block, blocks;   /* items of a chunk */
	uint64_t piece, pieces;   /* elements of an item in a chunk */
};

struct chunk {
	uint64_t item, items, begin, end; /* elements [begin, end) of each of `items` items from `item` on */
	uint64_t piece;
};

/* Returns whether the mask has the axis. */
static bool is_transformed(const struct scaling *s, unsigned axis)
{
	return s->axes >> axis & 1;
}

static uint64_t count_elements(const struct scaling *s, bool transformed)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < s->ndim; i++)
		n *= is_transformed(s, i) == transformed ? s->to[i] : 1;
	return n;
}

uint64_t scaling_items(const struct scaling *s)
{
	return count_elements(s, false);
}

/* Cuts an array into chunks. A block of columns does not cross the end of its run. */
static struct cut cut_array(const struct scaling *s)
{
	struct cut cut = {
		.items = count_elements(s, false), .elements = count_elements(s, true), .run = s->to[s->ndim - 1]};
	const uint64_t elements = cut.elements ? cut.elements : 1, run = cut.run ? cut.run : 1;

	cut.columns = !is_transformed(s, s->ndim - 1);
	if (cut.columns) {
		cut.block = run < COLUMNS ? run : COLUMNS;
		cut.blocks = cut.items / run * signal_count_pieces(run, cut.block);
		cut.piece = SIGNAL_PIECE / cut.block;
	} else {
		cut.block = elements < SIGNAL_PIECE ? SIGNAL_PIECE / elements : 1;
		cut.blocks = signal_count_pieces(cut.items, cut.block);
		cut.piece = SIGNAL_PIECE;
	}
	cut.pieces = signal_count_pieces(elements, cut.piece);
	return cut;
}

uint64_t scaling_parts(const struct scaling *s)
{
	return cut_array(s).pieces;
}

static struct chunk find_chunk(const struct cut *cut, size_t index)
{
	const uint64_t block = index / cut->pieces;
	struct chunk c = {.piece = index % cut->pieces};

	c.item = block * cut->block;
	c.items = cut->block < cut->items - c.item ? cut->block : cut->items - c.item;
	if (cut->columns) {
		const uint64_t each = signal_count_pieces(cut->run, cut->block), column = block % each * cut->block;

		c.item = block / each * cut->run + column;
		c.items = cut->block < cut->run - column ? cut->block : cut->run - column;
	}
	c.begin = c.piece * cut->piece;
	c.end = c.begin + cut->piece < cut->elements ? c.begin + cut->piece : cut->elements;
	return c;
}

/* Computes the offset of an item's element in an array of that shape. Returns false if the shape lacks it. */
static bool locate_element(const struct scaling *s, const uint64_t *dims, uint64_t item, uint64_t element,
			   size_t *ret_offset)
{
	uint64_t stride = 1;
	bool inside = true;

	*ret_offset = 0;
	for (unsigned i = s->ndim; i-- > 0; stride *= dims[i]) {
		uint64_t *rest = is_transformed(s, i) ? &element : &item;
		const uint64_t index = *rest % s->to[i];

		*rest /= s->to[i];
		inside &= index < dims[i];
		*ret_offset += (size_t)(index * stride);
	}
	return inside;
}

/* Returns how many elements of an item are contiguous in memory from `element` on. */
static uint64_t count_contiguous(const struct cut *cut, const struct chunk *c, uint64_t element)
{
	const uint64_t left = cut->run - element % cut->run;

	return left < c->end - element ? left : c->end - element;
}

/* ---- the largest magnitudes ---- */

/* Finds the largest magnitude of each item, run by run. NaN and infinity do not count (gemm/vectors.h). */
static void find_row_maxima(const struct scaling *s, const struct cut *cut, const struct chunk *c, const double *in,
			    double *out)
{
	for (uint64_t i = c->item; i < c->item + c->items; i++) {
		double top = 0;
		size_t at;

		for (uint64_t e = c->begin; e < c->end; e += count_contiguous(cut, c, e)) {
			locate_element(s, s->from, i, e, &at);
			const double one =
				s->vectors->max_abs_f64(in + at * s->reals, (size_t)count_contiguous(cut, c, e) * s->reals);

			top = one > top ? one : top;
		}
		out[i * cut->pieces + c->piece] = top;
	}
}

/* Raises a maximum for each column and part while it goes down the rows; the parts of a complex element share one. */
static void find_column_maxima(const struct scaling *s, const struct cut *cut, const struct chunk *c, const double *in,
			       double *out)
{
	double max_abs[2 * COLUMNS] = {0};
	size_t at;

	for (uint64_t e = c->begin; e < c->end; e++) {
		locate_element(s, s->from, c->item, e, &at);
		s->vectors->update_max_abs_f64(in + at * s->reals, (size_t)c->items * s->reals, max_abs);
	}
	for (size_t i = 0; i < c->items; i++) {
		const double first = max_abs[i * s->reals], second = max_abs[i * s->reals + s->reals - 1];

		out[(c->item + i) * cut->pieces + c->piece] = first > second ? first : second;
	}
}

static size_t count_chunks(const void *call, const struct fft_plan *plan)
{
	const struct cut cut = cut_array(call);

	(void)plan;
	return (size_t)(cut.blocks * cut.pieces);
}

static int run_find(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	const struct cut cut = cut_array(call);
	const struct chunk c = find_chunk(&cut, chunk);

	(void)scratch;
	(cut.columns ? find_column_maxima : find_row_maxima)(call, &cut, &c, (const double *)(const void *)io->in[0],
							     (double *)(void *)io->out);
	return 0;
}

const struct signal_kind scaling_find = {count_chunks, NULL, run_find, 100};

/* ---- scaling down and up ---- */

/* What each part of a run of columns is multiplied by: a power of two as two factors. */
struct factors {
	double first[2 * COLUMNS], second[2 * COLUMNS];
};

/* Returns the power of two of each column, for each of its parts; sign -1 scales down, 1 back up. */
static void find_factors(const struct scaling *s, const struct chunk *c, const double *max_abs, int sign,
			 struct factors *ret)
{
	double power[2];

	for (size_t i = 0; i < c->items * s->reals; i++) {
		gemm_power_f64(sign * gemm_exponent(max_abs[c->item + i / s->reals]), power);
		ret->first[i] = power[0];
		ret->second[i] = power[1];
	}
}

/* How a run of parts is multiplied: each by its own factors, or all by the same. */
struct run {
	const struct scaling *s;
	const struct factors *factors; /* NULL: power for all */
	double power[2];
};

/* Multiplies parts [at, at + n) of a run and rounds them to float32. */
static void narrow_run(const struct run *run, const double *in, size_t at, size_t n, float *out)
{
	const struct gemm_vectors *vectors = run->s->vectors;
	static const double one[2] = {1, 1};
	double multiplied[2 * COLUMNS];

	if (!run->factors) {
		vectors->narrow(in + at, n, run->power, out);
		return;
	}
	vectors->multiply_f64(in + at, n, run->factors->first + at, run->factors->second + at, multiplied);
	vectors->narrow(multiplied, n, one, out);
}

/* Complex output of real input is filled in by pieces, with zeros as imaginary parts. */
static void scale_run_down(const struct run *run, const double *in, size_t n, float *out)
{
	if (!run->s->to_complex) {
		narrow_run(run, in, 0, n, out);
		return;
	}
	for (size_t at = 0, piece; at < n; at += piece) {
		float reals[2 * COLUMNS];

		piece = size_min(2 * COLUMNS, n - at);
		narrow_run(run, in, at, piece, reals);
		for (size_t i = 0; i < piece; i++) {
			out[2 * (at + i)] = reals[i];
			out[2 * (at + i) + 1] = 0;
		}
	}
}

/* Goes through float64 even for a float32 result, which is then rounded once if it is denormal. */
static void scale_run_up(const struct run *run, const float *in, size_t n, void *out)
{
	const struct gemm_vectors *vectors = run->s->vectors;
	static const double one[2] = {1, 1};
	double scaled[2 * COLUMNS], multiplied[2 * COLUMNS];

	if (run->s->wide && !run->factors) {
		vectors->widen(in, n, run->power, out);
		return;
	}
	for (size_t at = 0, piece; at < n; at += piece) {
		double *const last = run->factors ? multiplied : scaled;

		piece = size_min(2 * COLUMNS, n - at);
		vectors->widen(in + at, piece, run->factors ? one : run->power, scaled);
		if (run->factors)
			vectors->multiply_f64(scaled, piece, run->factors->first + at, run->factors->second + at,
					   run->s->wide ? (double *)out + at : multiplied);
		if (!run->s->wide)
			vectors->narrow(last, piece, one, (float *)out + at);
	}
}

/* Scales n elements of an item from `element` on, or one element of each of n items. What in[0] lacks becomes zero. */
static void scale_run(const struct run *run, bool up, const struct staged_io *io, uint64_t item, uint64_t element,
		      uint64_t n)
{
	const struct scaling *s = run->s;
	const unsigned last = s->ndim - 1, parts = s->to_complex ? 2 : s->reals;
	const size_t size = parts * (up && s->wide ? sizeof(double) : sizeof(float));
	const bool along = is_transformed(s, last);
	size_t from, to, have;
	char *out;

	locate_element(s, s->to, item, element, &to);
	out = io->out + to * size;
	have = locate_element(s, s->from, item, element, &from) ? (size_t)n : 0;
	if (along && have)
		have = size_min(have, (size_t)(s->from[last] - element % s->to[last]));
	if (up)
		scale_run_up(run, (const float *)(const void *)io->in[0] + from * s->reals, have * s->reals, out);
	else
		scale_run_down(run, (const double *)(const void *)io->in[0] + from * s->reals, have * s->reals,
			       (float *)(void *)out);
	memset(out + have * size, 0, ((size_t)n - have) * size);
}

static void scale_chunk(const struct scaling *s, bool up, const struct staged_io *io, size_t chunk)
{
	const struct cut cut = cut_array(s);
	const struct chunk c = find_chunk(&cut, chunk);
	const double *max_abs = (const double *)(const void *)io->in[1];
	struct run run = {.s = s};
	struct factors factors;

	if (cut.columns) {
		find_factors(s, &c, max_abs, up ? 1 : -1, &factors);
		run.factors = &factors;
		for (uint64_t e = c.begin; e < c.end; e++)
			scale_run(&run, up, io, c.item, e, c.items);
		return;
	}
	for (uint64_t i = c.item; i < c.item + c.items; i++) {
		gemm_power_f64((up ? 1 : -1) * gemm_exponent(max_abs[i]), run.power);
		for (uint64_t e = c.begin; e < c.end; e += count_contiguous(&cut, &c, e))
			scale_run(&run, up, io, i, e, count_contiguous(&cut, &c, e));
	}
}

static int run_down(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	(void)scratch;
	scale_chunk(call, false, io, chunk);
	return 0;
}

static int run_up(const void *call, const struct staged_io *io, size_t chunk, void *scratch)
{
	(void)scratch;
	scale_chunk(call, true, io, chunk);
	return 0;
}

const struct signal_kind scaling_down = {count_chunks, NULL, run_down, 200};
const struct signal_kind scaling_up = {count_chunks, NULL, run_up, 200};
