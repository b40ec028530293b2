/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of every family, written over base/simd/simd.h, and the table of one variant. */
#include "base/simd/simd.h"

#include "distributions/rows/inversion_body.h"

#include "distributions/rows/gamma_body.h"

#include "distributions/rows/gamma_per_sample_body.h"

#include "distributions/rows/counts_body.h"

#include "distributions/rows/counts_per_sample_body.h"

#include "distributions/rows/integers_body.h"

#include "distributions/rows/per_sample_body.h"

#include "distributions/rows/shapes_body.h"

#include "distributions/rows/series_body.h"

#include "distributions/rows/dist_kernel.h"

const struct dist_kernel SIMD_SUFFIX(dist) = {SIMD_NAME, SIMD_NEEDS,
#define X(kernel) kernel,
					      DIST_KERNELS(X)
#undef X
						      all_between,
					      all_ordered,
};
