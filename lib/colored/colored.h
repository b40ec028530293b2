/* SPDX-License-Identifier: Apache-2.0 */
/* Coloured noise: y[k] = sum over j < L of h[j] w[k + L - 1 - j], w the standard normals of a stream.
 *
 * Sample k is a function of the stream, k and h. Blocks begin at multiples of filter->step, counted from sample 0 of the stream:
 * each takes its normals, transforms them, multiplies by the filter's spectrum and transforms back (overlap-save: A. Oppenheim,
 * R. Schafer, "Discrete-Time Signal Processing", section 8.7.3). A part of a signal is cut from whole blocks, so it has the bytes
 * of the whole. */
#ifndef TRNSCI_COLORED_H
#define TRNSCI_COLORED_H

#include "base/staged_work.h"
#include "colored/colored_design.h"
#include "distributions/draw/draw.h"
#include "fft/fft.h"

/* What a run draws: staged_io.draws. */
struct colored_draws {
	const struct draw_kernels *kernels;
	const struct draw *draw; /* the normals, of their stream */
	uint64_t begin, n;       /* samples of the signal, which is infinite but for the end of the stream */
};

/* The work of a filter. Its table is the plan of transforms of filter->block reals. */
struct colored_work {
	struct staged_work work; /* must be the first member */
	const struct colored_filter *filter;
	enum dtype dtype; /* of samples: F32 or F64 */
	bool is_long;     /* blocks do not fit a thread's scratch */
	uint64_t blocks;  /* that n samples lie in, at most */
	uint64_t group;   /* blocks of a chunk, or of the stages that follow one another */
	size_t phases;    /* of a long transform */
};

/* Cuts the work for runs of n samples, 1 or more. The plan and the filter need not be ready, only the filter's lengths. */
void colored_cut(const struct colored_filter *filter, enum dtype dtype, uint64_t n, const struct fft_plan *plan,
		 size_t scratch_bytes, struct colored_work *ret_work);

#endif
