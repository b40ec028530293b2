/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, means, maxima and norms along an axis: (outer, length, inner) to (outer, inner).
 *
 * The order of addition is a function of the shape alone. A block of rows is summed column by column in order; where
 * inner is 1, elements are dealt to 32 columns, which are then added in order; then the blocks in order. Sums are
 * compensated (TwoSum of Knuth and Moeller): error at most an ulp of the result and 2^-100 of the sum of magnitudes per
 * element. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "engine/steps/reduce.h"
#include "engine/steps/step.h"
#include "math/algebra.h"

enum {
	COLUMNS = 256,       /* doubles of one chunk's sums */
	DEALT = 32,          /* columns of a sum without inner elements */
	ELEMENTS = 32 << 10, /* of a chunk, about */
};

/* A compensated sum, of complex elements two; of maxima only `sum` is used. */
struct partial {
	double sum, rest;
};

struct reduce_work {
	struct staged_work work; /* first; the sums of the blocks, and their sums */
	struct reduce_step reduce;
	const struct algebra_kernel *kernel;
	bool in_wide, out_wide;
	uint64_t columns, blocks, rows; /* of a chunk; chunks in a length; rows of a block */
	uint64_t column_chunks, parts;  /* chunks across; doubles of an element */
	uint64_t results;               /* elements of the output */
};

/* Finds the rows of a block, and the blocks in a length. */
static void find_blocks(struct reduce_work *r)
{
	const struct reduce_step *reduce = &r->reduce;

	r->columns = reduce->inner < COLUMNS / 2 ? reduce->inner : COLUMNS / 2;
	r->column_chunks = r->columns ? (reduce->inner + r->columns - 1) / r->columns : 0;
	r->rows = r->columns ? ELEMENTS / r->columns : 1;
	r->rows = r->rows < reduce->length ? r->rows : reduce->length;
	r->blocks = r->rows ? (reduce->length + r->rows - 1) / r->rows : 1;
}

static inline void add(struct partial *to, double x)
{
	const double sum = to->sum + x, back = sum - to->sum;

	to->rest += (to->sum - (sum - back)) + (x - back);
	to->sum = sum;
}

static struct partial nothing(unsigned kind)
{
	return (struct partial){kind == REDUCE_MAX ? -(double)INFINITY : 0, 0};
}

/* Joins two partial results in order. */
static void join(unsigned kind, struct partial *to, const struct partial *from)
{
	if (kind == REDUCE_MAX) {
		to->sum = from->sum > to->sum || from->sum != from->sum ? from->sum : to->sum;
		return;
	}
	add(to, from->sum);
	to->rest += from->rest;
}

/* Takes rows into sums by the kernel. */
static void take_rows(const struct reduce_work *r, const struct staged_io *io, uint64_t first, uint64_t rows, uint64_t stride, size_t numbers,
		      double *sums, double *rests)
{
	static const unsigned kinds[] = {[REDUCE_SUM] = ALGEBRA_TAKE_SUM,
					 [REDUCE_MEAN] = ALGEBRA_TAKE_SUM,
					 [REDUCE_MAX] = ALGEBRA_TAKE_MAX,
					 [REDUCE_NORM] = ALGEBRA_TAKE_SQUARES};
	const char *from = io->in[0] + first * (r->in_wide ? sizeof(double) : sizeof(float));

	if (rows > 0 && numbers > 0)
		r->kernel->reductions[kinds[r->reduce.kind]][r->in_wide](from, (size_t)rows, (size_t)stride,
											    numbers, sums, rests);
}

/* A single column: elements are dealt to DEALT sums, so that these do not wait for each other. */
static void take_dealt(const struct reduce_work *r, const struct staged_io *io, uint64_t first, uint64_t rows, size_t parts, struct partial *ret)
{
	const unsigned kind = r->reduce.kind;
	double sums[2 * DEALT], rests[2 * DEALT] = {0};

	for (size_t c = 0; c < DEALT * parts; c++)
		sums[c] = nothing(kind).sum;
	take_rows(r, io, first, rows / DEALT, DEALT * parts, DEALT * parts, sums, rests);
	take_rows(r, io, first + rows / DEALT * DEALT * parts, 1, 0, rows % DEALT * parts, sums, rests);
	for (size_t c = 0; c < DEALT * parts; c++)
		join(kind, &ret[c % parts], &(struct partial){sums[c], rests[c]});
}

/* Columns side by side. */
static void take_columns(const struct reduce_work *r, const struct staged_io *io, uint64_t first, uint64_t rows, uint64_t stride, size_t numbers,
			 struct partial *ret)
{
	double sums[COLUMNS], rests[COLUMNS] = {0};

	for (size_t c = 0; c < numbers; c++)
		sums[c] = nothing(r->reduce.kind).sum;
	take_rows(r, io, first, rows, stride, numbers, sums, rests);
	for (size_t c = 0; c < numbers; c++)
		ret[c] = (struct partial){sums[c], rests[c]};
}

static void take_chunk(const struct reduce_work *r, const struct staged_io *io, size_t chunk)
{
	const struct reduce_step *reduce = &r->reduce;
	const size_t reals = (size_t)r->parts;
	const uint64_t across = chunk % r->column_chunks, block = chunk / r->column_chunks % r->blocks;
	const uint64_t outer = chunk / r->column_chunks / r->blocks, column = across * r->columns;
	const uint64_t columns = reduce->inner - column < r->columns ? reduce->inner - column : r->columns;
	const uint64_t row = block * r->rows, left = reduce->length - row, rows = left < r->rows ? left : r->rows;
	const uint64_t first = ((outer * reduce->length + row) * reduce->inner + column) * reals;
	struct partial sums[COLUMNS];

	for (size_t c = 0; c < columns * r->parts; c++)
		sums[c] = nothing(reduce->kind);
	if (reduce->inner == 1)
		take_dealt(r, io, first, rows, reals, sums);
	else
		take_columns(r, io, first, rows, reduce->inner * reals, (size_t)columns * reals, sums);
	memcpy((struct partial *)(void *)io->work + ((outer * r->blocks + block) * reduce->inner + column) * r->parts,
	       sums, columns * r->parts * sizeof *sums);
}

/* Adds the blocks of elements [begin, end) of out, and stores them. */
static void combine(const struct reduce_work *r, const struct staged_io *io, size_t chunk)
{
	const struct reduce_step *reduce = &r->reduce;
	const struct partial *partials = (const struct partial *)(const void *)io->work;
	const uint64_t begin = chunk * (uint64_t)(ELEMENTS / 16), last = begin + ELEMENTS / 16;
	const uint64_t end = last < r->results ? last : r->results;
	void *out = io->out;
	const uint64_t row = reduce->inner * r->parts, results = reduce->kind == REDUCE_NORM ? 1 : r->parts;

	for (uint64_t at = begin * results; at < end * results; at++) {
		const uint64_t first = at * r->parts / results, outer = first / row;
		struct partial sum = nothing(reduce->kind);
		double x;

		/* Of a norm, both parts of a complex element go to one sum. */
		for (uint64_t block = 0; block < r->blocks; block++)
			for (uint64_t part = 0; part < r->parts / results; part++)
				join(reduce->kind, &sum, &partials[(outer * r->blocks + block) * row + first % row + part]);
		x = reduce->kind == REDUCE_MAX || sum.rest != sum.rest ? sum.sum : sum.sum + sum.rest;
		if (reduce->kind == REDUCE_NORM)
			x = sqrt(x);
		else if (reduce->kind == REDUCE_MEAN)
			x /= (double)reduce->length;
		if (r->out_wide)
			((double *)out)[at] = x;
		else
			((float *)out)[at] = (float)x;
	}
}

/* The first stage takes the blocks, if there is anything to take; the last combines them. */
static void find_stage(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage)
{
	const struct reduce_work *r = (const struct reduce_work *)work;

	(void)io;
	*ret_stage = (struct staged_stage){0};
	if (stage + 1 == work->stages)
		ret_stage->chunks = (size_t)((r->results + ELEMENTS / 16 - 1) / (ELEMENTS / 16));
	else
		ret_stage->chunks = (size_t)(r->reduce.outer * r->blocks * r->column_chunks);
}

static int run_chunk(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t chunk, void *scratch)
{
	const struct reduce_work *r = (const struct reduce_work *)work;

	(void)scratch;
	if (stage + 1 == work->stages)
		combine(r, io, chunk);
	else
		take_chunk(r, io, chunk);
	return 0;
}

static const struct staged_work *cut_reduction(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	static const struct staged_work_ops ops = {find_stage, run_chunk};
	const struct shape *in = &step->in[0]->shape, *out = &step->out->shape;
	struct reduce_work *r = bump_alloc(bump, sizeof *r);

	if (!r)
		return NULL;
	*r = (struct reduce_work){.reduce = step->reduce,
				  .kernel = bound->engine->kernels.algebra,
				  .in_wide = dtype_is_wide(in->dtype),
				  .out_wide = dtype_is_wide(out->dtype),
				  .parts = dtype_is_complex(in->dtype) ? 2 : 1,
				  .results = out->n};
	find_blocks(r);
	r->work.ops = &ops;
	r->work.stages = r->reduce.outer * r->blocks * r->column_chunks > 0 ? 2 : 1;
	r->work.work_bytes = r->reduce.outer * r->blocks * r->reduce.inner * r->parts * sizeof(struct partial);
	r->work.cost_ns = (double)(in->n * r->parts + out->n * 10);
	return &r->work;
}

const struct step_ops step_reduce = {.cost_row = COST_ARITHMETIC, .cut = cut_reduction};
