/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a plan in the making: what plan.c lists the axes for. */
#ifndef TRNSCI_FFTW_PLAN_STEPS_H
#define TRNSCI_FFTW_PLAN_STEPS_H

#include "fftw/plan_core.h"

/* An axis on both sides: elements and strides, these in elements too. `plan` is that of a transform along it. */
struct axis {
	size_t before, after;
	ptrdiff_t in, out;
	const struct fft_plan *plan;
	int kind;
};

/* A plan in the making. Its axes are those to transform, in the order of the problem, and those of the batch. */
struct builder {
	const struct problem *problem;
	struct plan *plan;
	unsigned rank, n_axes;
	struct axis *axes;
	struct axis *compact; /* the same with the strides of buffers */
	size_t in_unit, out_unit; /* reals of an element */
	bool is_same;             /* elements of both sides are the same */
	bool in_place;
	bool failed;
};

static inline ptrdiff_t axis_stride(const struct axis *axis, bool out)
{
	return out ? axis->out : axis->in;
}

static inline size_t axis_length(const struct axis *axis, bool out)
{
	return out ? axis->after : axis->before;
}

/* Returns the elements of a side, all axes together. */
static inline size_t builder_count_elements(const struct builder *b, bool out)
{
	size_t count = 1;

	for (unsigned i = 0; i < b->n_axes; i++)
		count *= out ? b->axes[i].after : b->axes[i].before;
	return count;
}

/* Returns whether complex numbers of a side are pairs, in this order. */
static inline bool builder_is_interleaved(const struct builder *b, const char *re, const char *im, bool exchanged)
{
	const size_t real = problem_real_bytes(b->problem);

	return exchanged ? re == im + real : im == re + real;
}

/* Adds the steps of a problem whose axes and tables are known. An error is b->failed. */
void plan_add_steps(struct builder *b);

#endif
