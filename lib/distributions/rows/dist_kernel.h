/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that turn arrays of words or normals into arrays of samples, the same bytes in every variant.
 *
 *     inputs[0]   word  word  word  ...  (draw number attempt * n_inputs + 0 of each sample)
 *     inputs[1]   word  word  word  ...  (+ 1)
 *     inputs[6]   p     p     p     ...  (parameter 0 of each sample, kernels with _per_sample only)
 *          |                                        uniforms and elementary functions on whole vectors
 *          v
 *     out         x     x     x     ...             rejected: [1, 7]: samples 1 and 7 need another attempt
 *
 * A kernel makes one attempt for each of n samples, from inputs that its caller has filled (draw/draw_rejection.h), and
 * lists the samples that it rejects. The kernels of one family stand in one *_body.h. */
#ifndef TRNSCI_DISTRIBUTIONS_DIST_KERNEL_H
#define TRNSCI_DISTRIBUTIONS_DIST_KERNEL_H

#include <stdbool.h>

#include "base/dtype.h"
#include "distributions/rows/dist_constants.h"
#include "distributions/rows/dist_rows.h"

enum { DIST_KERNEL_DTYPES = DTYPE_BF16 + 1 };

struct dist_kernel {
	const char *name;
	uint32_t needs; /* CPU_ features */
	/* By dtype; NULL where the kernel has none. */
#define K(kernel, dtypes)                            dist_function *kernel[DIST_KERNEL_DTYPES];
#define ROW(id, name, shape, dtypes, fallback, help) id##_KERNELS(K)
	DISTRIBUTION_ROWS(ROW)
#undef ROW
#undef K
	/* Return whether all of n numbers, a multiple of DIST_PAD, lie between the bounds, or each of `low` is below
	 * that of `high` by a finite number. NaN never does. */
	bool (*all_between)(const double *x, size_t n, double above, double below);
	bool (*all_ordered)(const double *low, const double *high, size_t n);
};

extern const struct dist_kernel dist_scalar, dist_avx2, dist_avx512, dist_neon;

/* Returns all variants of this build, the fastest first, scalar last. */
const struct dist_kernel *const *dist_kernels(size_t *ret_count);

/* Returns the fastest variant that needs nothing beyond these CPU_ features. */
const struct dist_kernel *dist_select(uint32_t features);

#endif
