/* SPDX-License-Identifier: Apache-2.0 */
/* The families of distributions, joined into one table for the vectors that the including file has chosen. */
#include "base/simd.h"

#include "dist/inversion_body.h"

#include "dist/gamma_body.h"

#include "dist/counts_body.h"

#include "dist/integers_body.h"

const struct dist_kernel SIMD_SUFFIX(dist_kernel) = {SIMD_NAME, SIMD_NEEDS,
#define X(kernel) kernel,
						     DIST_KERNELS(X)
#undef X
};
