/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of every family, written over base/simd/simd.h, and the table of one variant. */
#include "base/simd/simd.h"

#include "dist/distributions/inversion_body.h"

#include "dist/distributions/gamma_body.h"

#include "dist/distributions/gamma_each_body.h"

#include "dist/distributions/counts_body.h"

#include "dist/distributions/counts_each_body.h"

#include "dist/distributions/integers_body.h"

#include "dist/distributions/each_body.h"

#include "dist/distributions/shapes_body.h"

#include "dist/distributions/series_body.h"

#include "dist/distributions/dist_kernel.h"

const struct dist_kernel SIMD_SUFFIX(dist) = {SIMD_NAME, SIMD_NEEDS,
#define X(kernel) kernel,
					      DIST_KERNELS(X)
#undef X
						      all_between,
					      all_ordered,
};
