/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the distributions' kernels: attempt 0 for a block of samples, then further attempts for the few
 * rejected. */
#ifndef TRNSCI_DIST_SAMPLER_H
#define TRNSCI_DIST_SAMPLER_H

#include "dist/dist_plan.h"

/* Samples [begin, begin + n) by the plan: elements of the draw's dtype, or float64 for a plan with components. Attempts
 * end after SAMPLER_ATTEMPTS, with what the kernel has for a rejected sample; no distribution rejects more than half,
 * so that is less likely than 2^-64. */
enum { SAMPLER_ATTEMPTS = 64 };

void sampler_fill(const struct draw_kernels *kernels, const struct draw *draw, const struct dist_plan *plan,
		  uint64_t begin, size_t n, void *out);

#endif
