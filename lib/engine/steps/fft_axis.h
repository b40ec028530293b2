/* SPDX-License-Identifier: Apache-2.0 */
/* How the transforms along one axis lie in memory, and how they are cut into chunks.
 *
 * An array of shape (a, n, b), transformed along its middle axis, is a calls of b transforms. The elements of a
 * transform are b apart (stride), and its neighbours one apart (distance). Along the last axis, b = 1, all transforms
 * are one call:
 *
 *     stride 1          t0 t0 t0 t0 t1 t1 t1 t1 ...          rows: distance n
 *     stride b = 4      t0 t1 t2 t3 t0 t1 t2 t3 ...          columns: distance 1; the next call begins n b further
 *
 * Four ways to run follow from size and stride (fft_axis_cut):
 *
 *     short, in place     piece transforms in one fft_run           rows, and columns that kernels take as vectors
 *     short, in a copy    pitch: the same in a compact copy         such columns whose elements lie far apart
 *     short, by panels    row_in: columns become rows of scratch    other columns
 *     long                piece 0: phase by phase, with work memory; row_in: columns become rows of that memory */
#ifndef TRNSCI_ENGINE_STEPS_FFT_AXIS_H
#define TRNSCI_ENGINE_STEPS_FFT_AXIS_H

#include "engine/steps/step.h"

enum {
	UNIT_BYTES = 128 << 10, /* of a chunk of whole short transforms */
	VECTOR = 16,            /* kernels take as many short transforms at once */
	LINE_BYTES = 64,
};

/* How one axis lies in the memory of one side, in elements. */
struct side {
	size_t size; /* bytes of an element, or of one of its parts */
	size_t n;    /* elements of the axis */
	size_t stride;        /* from one element of a transform to the next */
	size_t call_distance; /* from one call to the next */
	size_t distance;      /* from one transform of a call to the next */
};

/* `calls` calls of `batch` transforms. in and out have the same shape but for the axis itself (reals and half a
 * spectrum). */
struct axis {
	size_t calls, batch;
	size_t stride; /* of both sides in their arrays; 1: rows */
	struct side in, out;
};

/* The state of one run of the step. advance writes it, one thread at a time; chunks only read it. */
struct transform {
	struct step_run run; /* must be the first member: the scheduler's callbacks cast back to us */
	const struct fft_plan *plan; /* held by the run */
	struct axis axis;
	const char *in; /* where the sides begin */
	char *out;
	enum fft_reuse reuse; /* whether phases may use the output as work memory */
	size_t all;      /* transforms of which those of a call are a part, while the caches are to hold them */
	size_t n_chunks; /* of the current stage */
	double cost_ns; /* of the whole step, by its first value */
	bool is_ready;  /* the plan */
	size_t row_in, row_out; /* bytes of a column made a row, in scratch or work; 0: transformed where it lies */
	/* Short transforms: */
	const struct buffer *source; /* whose memory a chunk reads: the first one's, of several axes slab by slab */
	bool streams; /* panels are written around the caches */
	size_t piece; /* transforms of a chunk in one call; 0: the transforms are long */
	size_t pitch; /* bytes from row to row of a copy in scratch of columns that stay columns; 0: no copy */
	size_t calls; /* whole calls of a chunk, where they are small; else 1 */
	/* Short ones along several axes (fft_slabs.h), one state for each axis, the first of which has these: */
	size_t slabs;         /* of the array; 0: one axis, by pieces */
	size_t at_once;       /* slabs of a chunk */
	size_t between_bytes; /* of scratch that holds one between the axes; 0: the arrays do */
	bool stays;           /* of each state: its output is in scratch */
	/* Long ones: */
	size_t most; /* transforms of a call at once */
	size_t call, first, phase; /* what runs now: transforms [first, first + most) of a call, in that phase */
	uint64_t began_ns;         /* of one that learns whether it is best left to one thread; else 0 */
};

static inline size_t round_line(size_t bytes)
{
	return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* Of a column made a row. A line more than it takes: rows a power of two apart would share few sets of the caches. */
static inline size_t row_bytes(const struct side *side)
{
	return round_line(side->n * side->size) + LINE_BYTES;
}

/* Of one transform's rows: complex ones are transformed in place, others into one behind. */
static inline size_t both_rows_bytes(const struct axis *axis)
{
	return row_bytes(&axis->in) + (axis->in.size == axis->out.size ? 0 : row_bytes(&axis->out));
}

/* Returns whether a step's transforms are short, if chunks have so much scratch. Its plan need not be ready. */
bool fft_axis_is_short(const struct bindings *bound, const struct step *step, size_t scratch_bytes);

/* Returns whether transforms from scratch to the output are fast: rows, or columns of whole lines of memory. */
bool fft_axis_writes_lines(const struct bindings *bound, const struct step *step);

/* Sets how the transforms lie and are cut, by run.step and run.engine, for so much scratch. The plan need not be ready. */
void fft_axis_cut(struct transform *t, size_t scratch_bytes);

/* Sets where the sides of a run begin. */
void fft_axis_place(struct transform *t);

/* Describes transforms [first, first + batch) of a call where they lie. */
struct fft_call fft_axis_call(const struct transform *t, size_t call, size_t first, size_t batch);

/* Returns the bytes of memory that a run needs between phases; 0 for short transforms. */
uint64_t fft_axis_work_bytes(const struct bindings *bound, const struct step *step);

/* Returns about what the step takes on one core, by the operations of its transforms. */
uint64_t fft_axis_cost_ns(const struct engine *engine, const struct step *step);

#endif
