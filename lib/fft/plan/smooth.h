/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of lengths without a prime factor above 13. */
#ifndef TRNSCI_FFT_SMOOTH_H
#define TRNSCI_FFT_SMOOTH_H

#include "fft/plan/plan.h"
#include "fft/plan/tables.h"

struct fft_smooth_plan {
	struct fft_plan plan; /* first */
	struct fft_smooth smooth;
	struct tables tables; /* how far they are built */
	/* The same transform by narrower vectors, owned, for transforms that are too few to fill one. NULL: none is needed. */
	struct fft_plan *narrow;
	size_t per_vector; /* transforms that share a vector, a power of two, where there is a narrow plan */
};

/* Returns 0 with a plan that is the caller's, or -ERROR_NO_MEMORY. n may exceed FFT_MAX_LENGTH. */
int fft_plan_create_smooth(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);

#endif
