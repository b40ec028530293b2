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

struct reduce_run {
	struct step_run run; /* first */
	uint64_t columns, blocks, rows; /* of a chunk; chunks in a length; rows of a block */
	uint64_t column_chunks, parts;  /* chunks across; doubles of an element */
	size_t n_chunks;
	bool combines; /* the second stage runs */
};

static uint64_t reals_of(const struct step *step)
{
	return dtype_is_complex(step->in[0]->shape.dtype) ? 2 : 1;
}

/* Rows of a block, and blocks in a length. */
static void find_blocks(const struct step *step, struct reduce_run *r)
{
	const struct reduce_step *reduce = &step->reduce;

	r->parts = reals_of(step);
	r->columns = reduce->inner < COLUMNS / 2 ? reduce->inner : COLUMNS / 2;
	r->column_chunks = r->columns ? (reduce->inner + r->columns - 1) / r->columns : 0;
	r->rows = r->columns ? ELEMENTS / r->columns : 1;
	r->rows = r->rows < reduce->length ? r->rows : reduce->length;
	r->blocks = r->rows ? (reduce->length + r->rows - 1) / r->rows : 1;
}

static uint64_t work_bytes(const struct bindings *bound, const struct step *step)
{
	struct reduce_run r;

	(void)bound;
	find_blocks(step, &r);
	return step->reduce.outer * r.blocks * step->reduce.inner * r.parts * sizeof(struct partial);
}

static uint64_t cost_ns(const struct bindings *bound, const struct step *step)
{
	(void)bound;
	return step->in[0]->shape.n * reals_of(step) + step->out->shape.n * 10;
}

static int begin(struct step_run *run)
{
	struct reduce_run *r = (struct reduce_run *)run;

	find_blocks(run->step, r);
	r->n_chunks = (size_t)(run->step->reduce.outer * r->blocks * r->column_chunks);
	return 0;
}

static int advance(struct step_run *run, size_t *ret_chunks)
{
	struct reduce_run *r = (struct reduce_run *)run;

	if (r->combines)
		return JOB_END;
	if (run->started || r->n_chunks == 0) {
		r->combines = true;
		*ret_chunks = (size_t)((run->step->out->shape.n + ELEMENTS / 16 - 1) / (ELEMENTS / 16));
		return JOB_STAGE;
	}
	run->started = true;
	*ret_chunks = r->n_chunks;
	return JOB_STAGE;
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
static void take_rows(const struct reduce_run *r, uint64_t first, uint64_t rows, uint64_t stride, size_t numbers,
		      double *sums, double *rests)
{
	static const unsigned kinds[] = {[REDUCE_SUM] = ALGEBRA_TAKE_SUM,
					 [REDUCE_MEAN] = ALGEBRA_TAKE_SUM,
					 [REDUCE_MAX] = ALGEBRA_TAKE_MAX,
					 [REDUCE_NORM] = ALGEBRA_TAKE_SQUARES};
	const struct step *step = r->run.step;
	const bool wide = dtype_is_wide(step->in[0]->shape.dtype);
	const char *from = bound_base(r->run.bound, step->in[0]) + first * (wide ? sizeof(double) : sizeof(float));

	if (rows > 0 && numbers > 0)
		r->run.engine->kernels.algebra->reductions[kinds[step->reduce.kind]][wide](from, (size_t)rows, (size_t)stride,
											    numbers, sums, rests);
}

/* A single column: elements are dealt to DEALT sums, so that these do not wait for each other. */
static void take_dealt(const struct reduce_run *r, uint64_t first, uint64_t rows, size_t parts, struct partial *ret)
{
	const unsigned kind = r->run.step->reduce.kind;
	double sums[2 * DEALT], rests[2 * DEALT] = {0};

	for (size_t c = 0; c < DEALT * parts; c++)
		sums[c] = nothing(kind).sum;
	take_rows(r, first, rows / DEALT, DEALT * parts, DEALT * parts, sums, rests);
	take_rows(r, first + rows / DEALT * DEALT * parts, 1, 0, rows % DEALT * parts, sums, rests);
	for (size_t c = 0; c < DEALT * parts; c++)
		join(kind, &ret[c % parts], &(struct partial){sums[c], rests[c]});
}

/* Columns side by side. */
static void take_columns(const struct reduce_run *r, uint64_t first, uint64_t rows, uint64_t stride, size_t numbers,
			 struct partial *ret)
{
	double sums[COLUMNS], rests[COLUMNS] = {0};

	for (size_t c = 0; c < numbers; c++)
		sums[c] = nothing(r->run.step->reduce.kind).sum;
	take_rows(r, first, rows, stride, numbers, sums, rests);
	for (size_t c = 0; c < numbers; c++)
		ret[c] = (struct partial){sums[c], rests[c]};
}

static uint64_t take_chunk(struct reduce_run *r, size_t chunk)
{
	const struct step *step = r->run.step;
	const struct reduce_step *reduce = &step->reduce;
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
		take_dealt(r, first, rows, reals, sums);
	else
		take_columns(r, first, rows, reduce->inner * reals, (size_t)columns * reals, sums);
	memcpy((struct partial *)(void *)r->run.work + ((outer * r->blocks + block) * reduce->inner + column) * r->parts,
	       sums, columns * r->parts * sizeof *sums);
	return rows * columns * reals;
}

/* Adds the blocks of elements [begin, end) of out, and stores them. */
static uint64_t combine(struct reduce_run *r, size_t chunk)
{
	const struct step *step = r->run.step;
	const struct reduce_step *reduce = &step->reduce;
	const struct partial *partials = (const struct partial *)(const void *)r->run.work;
	const uint64_t begin = chunk * (uint64_t)(ELEMENTS / 16), last = begin + ELEMENTS / 16;
	const uint64_t end = last < step->out->shape.n ? last : step->out->shape.n;
	void *out = bound_base(r->run.bound, step->out);
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
		if (dtype_is_wide(step->out->shape.dtype))
			((double *)out)[at] = x;
		else
			((float *)out)[at] = (float)x;
	}
	return end - begin;
}

static uint64_t run_chunk(struct step_run *run, size_t chunk, void *scratch)
{
	struct reduce_run *r = (struct reduce_run *)run;

	(void)scratch;
	return r->combines ? combine(r, chunk) : take_chunk(r, chunk);
}

const struct step_ops step_reduce = {
	.cost_row = COST_ARITHMETIC,
	.cost_ns = cost_ns,
	.work_bytes = work_bytes,
	.run_bytes = sizeof(struct reduce_run),
	.begin = begin,
	.advance = advance,
	.run_chunk = run_chunk,
};
