/* SPDX-License-Identifier: Apache-2.0 */
/* The families of laws, joined into one table for the vectors that the including file has chosen. */
#include "base/simd.h"

#include "dist/inversion_body.h"

#include "dist/gamma_body.h"

#include "dist/counts_body.h"

#include "dist/integers_body.h"

const struct law_kernel SIMD_SUFFIX(law_kernel) = {SIMD_NAME, SIMD_NEEDS,
#define X(kernel) kernel,
						   LAW_KERNELS(X)
#undef X
};
