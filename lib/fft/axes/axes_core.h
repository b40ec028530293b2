/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of this room: how a problem is cut.
 *
 * A pass is all transforms along one axis: `calls` calls of `batch` transforms. The elements of a transform are `stride` apart, and its
 * neighbours in a call `distance`. In an array (a, n, b) without gaps:
 *
 *     the last axis, b = 1     t0 t0 t0 t0 t1 t1 t1 t1 ...       rows: stride 1, distance n; one call
 *     another axis, b = 4      t0 t1 t2 t3 t0 t1 t2 t3 ...       columns: stride b, distance 1; a calls
 *
 * A pass runs in one of these ways (cut.c):
 *
 *     short, in place      piece transforms in one fft_run         rows, columns that kernels take as vectors, other strides
 *     short, from a copy   pitch: the same from a compact copy     such columns whose elements lie far apart
 *     short, by panels     row_in: columns become rows of scratch  other columns
 *     long                 piece 0: phase by phase, with work; row_in: columns become rows of that
 *
 * and short passes one behind the other as a group, slab by slab: the elements of an array that share their places along some outer
 * axes are a slab. All passes of the group run on one slab after the other, while a near cache holds it:
 *
 *     shape (a, b, c), axes 2 and 1:  a slabs of b c elements, each transformed along its rows, then its columns */
#ifndef TRNSCI_FFT_AXES_CORE_H
#define TRNSCI_FFT_AXES_CORE_H

#include "base/checked.h"
#include "base/staged_work.h"
#include "fft/axes/problem.h"
#include "fft/plan/plan.h"

enum {
	UNIT_BYTES = 128 << 10, /* of a chunk of whole short transforms */
	VECTOR = 16,            /* kernels take as many short transforms at once */
	LINE_BYTES = 64,
};

/* Where a pass reads or writes. */
enum array {
	ARRAY_IN,
	ARRAY_OUT,
	ARRAY_WORK,    /* of passes before one that changes the elements, whose input must stay as it is */
	ARRAY_SCRATCH, /* a slab between two passes */
	ARRAYS
};

/* How transforms lie in one array, in elements. */
struct side {
	size_t size; /* bytes of an element */
	size_t n, stride, distance;
};

/* Places that repeat, the nearest first: axes without gaps are one. */
struct loops {
	unsigned n;
	struct fft_axis at[FFT_AXES_MAX];
};

struct fft_pass {
	unsigned transform;
	enum array from, to;
	struct side in, out;
	size_t batch, calls;
	struct loops outer; /* of the calls */
	size_t all;         /* transforms, of all slabs */
	bool inverse, apart; /* apart: from and to do not overlap */
	double scale;
	double cost_ns;       /* of all of them */
	enum fft_reuse reuse; /* whether phases may use the output as work memory */
	enum fft_kept kept;
	size_t row_in, row_out; /* bytes of a column made a row, in scratch or work; 0: transformed where it lies */
	/* Short ones: */
	size_t piece;   /* transforms of a call in one fft_run; 0: they are long */
	size_t pieces;  /* of a call */
	size_t at_once; /* whole calls of a chunk, where they are small; else 1 */
	size_t pitch;   /* bytes from row to row of a copy in scratch of columns that stay columns; 0: no copy */
	size_t copied;  /* such columns at once */
	bool copies_back; /* the copy holds their results, too */
	bool streams;   /* panels are written around the caches */
	bool as_lanes;  /* columns that kernels take as vectors */
	/* Long ones: */
	size_t most;   /* transforms of a call at once */
	size_t phases; /* with one before and one after for columns */
	/* The first of a group: */
	size_t stages;
	unsigned count;       /* passes that run slab by slab; 1: this one alone */
	struct loops slabs;
	size_t n_slabs, slabs_at_once; /* of a chunk */
	size_t between_bytes; /* of scratch that holds a slab between passes; 0: the arrays do */
};

struct fft_axes {
	struct staged_work work; /* first */
	unsigned rank;
	bool has_long;
	uint64_t array_bytes; /* of work that is ARRAY_WORK */
	struct fft_pass pass[];
};

/* A problem's axes, first those of its transforms: their elements and strides in each array. */
struct layout {
	const struct fft_problem *problem;
	const struct fft_machine *machine;
	unsigned n_axes, settled; /* from transform `settled` on, results lie in the output */
	size_t before[FFT_AXES_MAX], after[FFT_AXES_MAX]; /* their transform; of the batch, the same */
	size_t stride[ARRAYS][FFT_AXES_MAX];
	uint64_t array_bytes;
};

/* Finds the axes and the arrays of a problem. */
void layout_find(const struct fft_problem *problem, const struct fft_machine *machine, struct layout *ret_layout);

/* Returns from which array a transform reads, and to which it writes, unless scratch is between. */
enum array layout_from(const struct layout *layout, unsigned transform);
enum array layout_to(const struct layout *layout, unsigned transform);

/* Returns the elements of an axis before a transform. */
static inline size_t layout_length(const struct layout *layout, unsigned axis, unsigned transform)
{
	return axis < transform ? layout->after[axis] : layout->before[axis];
}

/* Sets how the transforms of a pass lie, between the arrays pass->from and pass->to, in all axes of the mask; nothing else. */
void layout_pass(const struct layout *layout, uint32_t axes, unsigned transform, struct fft_pass *pass);

/* Finds the places that the axes of the mask give. */
struct loops layout_loops(const struct layout *layout, uint32_t axes, unsigned transform, enum array from, enum array to);

/* Puts the axes of the mask into an array without gaps, in their order in `like`, as they are before a transform. With `spread`,
 * rows of two axes are a line of memory apart: else the elements of columns would share few sets of the caches. Returns its bytes. */
size_t layout_compact(struct layout *layout, uint32_t axes, unsigned transform, enum array like, bool spread, enum array array);

/* Returns whether transforms are rows of both arrays, or columns side by side in both. Else their strides are others. */
static inline bool pass_is_rows(const struct fft_pass *pass)
{
	return pass->in.stride == 1 && pass->out.stride == 1;
}

static inline bool pass_is_columns(const struct fft_pass *pass)
{
	return !pass_is_rows(pass) && pass->in.distance == 1 && pass->out.distance == 1;
}

/* Returns the bytes of a column made a row. A line more than it takes: rows a power of two apart would share few sets of the caches. */
static inline size_t row_bytes(const struct side *side)
{
	return fft_round_line(side->n * side->size) + LINE_BYTES;
}

/* Returns the bytes of one transform's rows: complex ones are transformed in place, others into one behind. */
static inline size_t both_rows_bytes(const struct fft_pass *pass)
{
	return row_bytes(&pass->in) + (pass->in.size == pass->out.size ? 0 : row_bytes(&pass->out));
}

/* Cuts a pass that runs alone, or slab by slab, for so much scratch. */
void cut_pass(const struct layout *layout, size_t scratch_bytes, struct fft_pass *pass);

/* Returns the bytes of memory that a pass needs between phases; 0 for a short one. */
size_t cut_work_bytes(const struct layout *layout, const struct fft_pass *pass);

/* Returns the bytes of scratch that a chunk of a pass needs. */
size_t cut_scratch_bytes(const struct layout *layout, const struct fft_pass *pass);

/* Makes the passes from `first` on, up to `end`, a group that goes slab by slab, or returns false where that is slower. */
bool slabs_cut(struct layout *layout, struct fft_axes *axes, unsigned first, unsigned end);

/* A pass with the memory of a run. */
struct pass_io {
	const struct fft_plan *plan;
	const char *in;
	char *out;
	char *work;
};

/* Describes transforms [first, first + batch) of a call where they lie. */
struct fft_call pass_call(const struct fft_pass *pass, const struct pass_io *io, size_t call, size_t first, size_t batch);

/* Returns how many elements behind the first a place begins, in the input or in the output. */
static inline size_t loops_in(const struct loops *loops, size_t place)
{
	size_t at = 0;

	for (unsigned i = 0; i < loops->n; place /= loops->at[i++].n)
		at += place % loops->at[i].n * loops->at[i].in_stride;
	return at;
}

static inline size_t loops_out(const struct loops *loops, size_t place)
{
	size_t at = 0;

	for (unsigned i = 0; i < loops->n; place /= loops->at[i++].n)
		at += place % loops->at[i].n * loops->at[i].out_stride;
	return at;
}

/* Run a chunk of a short pass, of a group, and of a long pass in a stage of its own. */
void short_run_chunk(const struct fft_pass *pass, const struct pass_io *io, size_t chunk, void *scratch);
void slabs_run_chunk(const struct fft_pass *pass, const struct staged_io *io, const char *in, char *out, size_t chunk, void *scratch);
void long_run_chunk(const struct fft_pass *pass, const struct pass_io *io, size_t stage, size_t chunk, void *scratch);

/* Run transforms [first, first + batch) of each of the calls [call, call + calls). Scratch has room for pass->piece transforms of
 * pass->at_once calls, or for any number of rows. */
void short_run(const struct fft_pass *pass, const struct pass_io *io, size_t call, size_t calls, size_t first, size_t batch,
	       void *scratch);

/* Return the chunks of a long pass' stage, and the transforms that run in it. */
size_t long_chunks(const struct fft_pass *pass, const struct fft_plan *plan, size_t stage);
size_t long_batch(const struct fft_pass *pass, size_t stage);

#endif
