/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms along some axes of arrays: any rank, any strides, in place or not.
 *
 * A problem names the axes along which to transform, each with its plan, and the axes of the batch, which only repeat that. Each axis
 * has a stride in the input and one in the output, as fftw_iodim has. So rows, columns, parts of complex numbers and arrays with gaps
 * are one thing. A problem is cut once, as staged work (base/staged_work.h), before its plans are ready or its arrays known. Runs
 * name these: tables[i] is the plan of transform i, ready, of the same kind and length.
 *
 *     struct fft_along along[] = {{plan_of_rows, 1, 1, 1}, {plan_of_columns, n, n, 1}};    transformed in this order
 *     struct fft_axis batch[] = {{count, n * n, n * n}};
 *
 * No choice here changes the arithmetic: each transform has the bytes that fft_run gives it. */
#ifndef TRNSCI_FFT_AXES_H
#define TRNSCI_FFT_AXES_H

#include "base/staged_work.h"
#include "fft/axes/problem.h"

struct fft_axes;

/* Returns the bytes of a cut of so many transforms; it holds no other memory. */
size_t fft_axes_bytes(unsigned rank);

/* Cuts a problem whose axes all have elements. `axes` is fft_axes_bytes of memory, aligned as malloc's. */
void fft_axes_cut(const struct fft_problem *problem, const struct fft_machine *machine, struct fft_axes *axes);

/* Returns the cut as work: in[0] and out are the arrays. Where a plan needs more scratch than the machine has, so does the work. */
const struct staged_work *fft_axes_work(const struct fft_axes *axes);

/* The transform that goes by phases in a stage: each phase reads what the one before has written, so threads that share no cache lose
 * by sharing it. */
struct fft_long {
	unsigned transform;
	size_t batch;   /* of its transforms in all */
	uint64_t bytes; /* of both arrays and the work */
};

/* Returns whether there are any. */
bool fft_axes_has_long(const struct fft_axes *axes);

/* Returns whether a stage is the first of a transform along an axis that goes by phases. */
bool fft_axes_begins_long(const struct fft_axes *axes, size_t stage, struct fft_long *ret_long);

/* Returns whether a stage, or the end, is the first thing behind such a transform. */
bool fft_axes_ends_long(const struct fft_axes *axes, size_t stage);

#endif
