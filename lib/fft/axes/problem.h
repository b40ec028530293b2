/* SPDX-License-Identifier: Apache-2.0 */
/* Problems: transforms along some axes of arrays. axes.h has what is done with one. */
#ifndef TRNSCI_FFT_PROBLEM_H
#define TRNSCI_FFT_PROBLEM_H

#include "fft/fft.h"

enum { FFT_AXES_MAX = 16 }; /* axes of a problem, those of its batch included */

/* Strides count elements of their side: complex numbers, or reals where a plan takes or gives these. */
struct fft_axis {
	size_t n, in_stride, out_stride;
};

/* A transform along an axis of plan->n elements; sides of half a spectrum have n / 2 + 1. Only one plan of a problem may have sides
 * of different elements. */
struct fft_along {
	const struct fft_plan *plan;
	size_t in_stride, out_stride;
	double scale;
};

struct fft_problem {
	const struct fft_along *along;
	const struct fft_axis *batch;
	unsigned rank, n_batch; /* at least one transform; FFT_AXES_MAX in all */
	bool inverse;
	/* Input and output do not overlap; else they are the same memory, and each transform writes where its own input lies: equal
	 * elements at equal strides, or rows of reals and of half spectra that begin together and have room for the longer one. */
	bool apart;
	bool overwrites_in; /* the input's content may be lost */
};

/* What runs the chunks. */
struct fft_machine {
	unsigned threads;
	size_t scratch_bytes; /* of each thread */
	size_t near_bytes;    /* of the cache that a core has for itself */
	bool has_victim_l3;   /* what leaves that one is soon back */
};

#endif
