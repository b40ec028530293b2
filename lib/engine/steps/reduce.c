/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, means, maxima and norms along an axis: (outer, length, inner) to (outer, inner).
 *
 * The order of addition is a function of the shape alone. A block of rows is summed column by column in order; where inner
 * is 1, elements are dealt to eight columns, which are then added in order; then the blocks in order. Sums are compensated
 * (TwoSum of Knuth and Moeller): error at most an ulp of the result and 2^-100 of the sum of magnitudes per element. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "engine/steps/reduce.h"
#include "engine/steps/step.h"

enum {
	COLUMNS = 256,       /* doubles of one chunk's sums */
	DEALT = 8,           /* columns of a sum without inner elements */
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

static bool is_wide(enum dtype dtype)
{
	return dtype == DTYPE_F64 || dtype == DTYPE_C128;
}

/* Of a norm's complex elements both parts go to one sum. */
static uint64_t parts_of(const struct step *step)
{
	return dtype_is_complex(step->in[0]->shape.dtype) && step->reduce.kind != REDUCE_NORM ? 2 : 1;
}

static uint64_t reals_of(const struct step *step)
{
	return dtype_is_complex(step->in[0]->shape.dtype) ? 2 : 1;
}

/* Rows of a block, and blocks in a length. */
static void find_blocks(const struct step *step, struct reduce_run *r)
{
	const struct reduce_step *reduce = &step->reduce;

	r->parts = parts_of(step);
	r->columns = reduce->inner < COLUMNS / 2 ? reduce->inner : COLUMNS / 2;
	r->column_chunks = r->columns ? (reduce->inner + r->columns - 1) / r->columns : 0;
	r->rows = r->columns ? ELEMENTS / r->columns : 1;
	r->rows = r->rows < reduce->length ? r->rows : reduce->length;
	r->blocks = r->rows ? (reduce->length + r->rows - 1) / r->rows : 1;
}

static uint64_t work_bytes(const struct engine *engine, const struct step *step)
{
	struct reduce_run r;

	(void)engine;
	find_blocks(step, &r);
	return step->reduce.outer * r.blocks * step->reduce.inner * r.parts * sizeof(struct partial);
}

static uint64_t cost_ns(const struct engine *engine, const struct step *step)
{
	(void)engine;
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

	if (r->combines || run->step->out->shape.n == 0)
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

/* Adds one real number of an element to a sum, a norm or a maximum. NaN stays. */
static inline void take(unsigned kind, struct partial *to, double x)
{
	if (kind == REDUCE_MAX) {
		to->sum = x > to->sum || x != x ? x : to->sum;
	} else if (kind == REDUCE_NORM) {
		const double square = x * x;

		add(to, square);
		to->rest += fma(x, x, -square);
	} else {
		add(to, x);
	}
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

static inline double real_at(const char *base, bool wide, uint64_t i)
{
	return wide ? ((const double *)(const void *)base)[i] : (double)((const float *)(const void *)base)[i];
}

/* Takes `rows` rows of `reals` numbers each, `stride` apart, into as many sums; of a norm, pairs into one. */
static inline __attribute__((always_inline)) void take_rows(unsigned kind, const char *base, bool wide, uint64_t first,
							    uint64_t rows, uint64_t stride, size_t reals, size_t share,
							    struct partial *ret)
{
	for (uint64_t r = 0; r < rows; r++)
		for (size_t c = 0; c < reals; c++)
			take(kind, &ret[c / share], real_at(base, wide, first + r * stride + c));
}

/* The compiler makes a loop of each kind and width. */
static void take_block(unsigned kind, const char *base, bool wide, uint64_t first, uint64_t rows, uint64_t stride,
		       size_t reals, size_t share, struct partial *ret)
{
	if (kind == REDUCE_MAX && wide)
		take_rows(REDUCE_MAX, base, true, first, rows, stride, reals, share, ret);
	else if (kind == REDUCE_MAX)
		take_rows(REDUCE_MAX, base, false, first, rows, stride, reals, share, ret);
	else if (kind == REDUCE_NORM && wide)
		take_rows(REDUCE_NORM, base, true, first, rows, stride, reals, share, ret);
	else if (kind == REDUCE_NORM)
		take_rows(REDUCE_NORM, base, false, first, rows, stride, reals, share, ret);
	else if (wide)
		take_rows(REDUCE_SUM, base, true, first, rows, stride, reals, share, ret);
	else
		take_rows(REDUCE_SUM, base, false, first, rows, stride, reals, share, ret);
}

/* A single column: elements are dealt to DEALT sums, so that these do not wait for each other. */
static void take_dealt(unsigned kind, const char *base, bool wide, uint64_t first, uint64_t rows, size_t reals,
		       size_t share, struct partial *ret)
{
	struct partial dealt[2 * DEALT];
	const size_t sums = reals / share;

	for (size_t c = 0; c < DEALT * sums; c++)
		dealt[c] = nothing(kind);
	take_block(kind, base, wide, first, rows / DEALT, DEALT * reals, DEALT * reals, share, dealt);
	take_block(kind, base, wide, first + rows / DEALT * DEALT * reals, 1, 0, rows % DEALT * reals, share, dealt);
	for (size_t c = 0; c < DEALT * sums; c++)
		join(kind, &ret[c % sums], &dealt[c]);
}

static uint64_t take_chunk(struct reduce_run *r, size_t chunk)
{
	const struct step *step = r->run.step;
	const struct reduce_step *reduce = &step->reduce;
	const bool wide = is_wide(step->in[0]->shape.dtype);
	const size_t reals = (size_t)reals_of(step), share = reals / r->parts;
	const uint64_t across = chunk % r->column_chunks, block = chunk / r->column_chunks % r->blocks;
	const uint64_t outer = chunk / r->column_chunks / r->blocks, column = across * r->columns;
	const uint64_t columns = reduce->inner - column < r->columns ? reduce->inner - column : r->columns;
	const uint64_t row = block * r->rows, left = reduce->length - row, rows = left < r->rows ? left : r->rows;
	const uint64_t first = ((outer * reduce->length + row) * reduce->inner + column) * reals;
	struct partial sums[COLUMNS];

	for (size_t c = 0; c < columns * r->parts; c++)
		sums[c] = nothing(reduce->kind);
	if (reduce->inner == 1)
		take_dealt(reduce->kind, step->in[0]->base, wide, first, rows, reals, share, sums);
	else
		take_block(reduce->kind, step->in[0]->base, wide, first, rows, reduce->inner * reals,
			   (size_t)columns * reals, share, sums);
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

	for (uint64_t at = begin * r->parts; at < end * r->parts; at++) {
		const uint64_t row = reduce->inner * r->parts, outer = at / row;
		struct partial sum = nothing(reduce->kind);
		double x;

		for (uint64_t block = 0; block < r->blocks; block++)
			join(reduce->kind, &sum, &partials[(outer * r->blocks + block) * row + at % row]);
		x = reduce->kind == REDUCE_MAX || sum.rest != sum.rest ? sum.sum : sum.sum + sum.rest;
		if (reduce->kind == REDUCE_NORM)
			x = sqrt(x);
		else if (reduce->kind == REDUCE_MEAN)
			x /= (double)reduce->length;
		if (is_wide(step->out->shape.dtype))
			((double *)(void *)step->out->base)[at] = x;
		else
			((float *)(void *)step->out->base)[at] = (float)x;
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
