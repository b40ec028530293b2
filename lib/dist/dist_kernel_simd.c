/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of every family, written over base/simd.h, and the table of one variant. */
#include "base/simd.h"

#include "dist/inversion_body.h"

#include "dist/gamma_body.h"

#include "dist/counts_body.h"

#include "dist/integers_body.h"

const struct dist_kernel SIMD_SUFFIX(dist) = {SIMD_NAME, SIMD_NEEDS,
#define X(kernel) kernel,
						     DIST_KERNELS(X)
#undef X
};
