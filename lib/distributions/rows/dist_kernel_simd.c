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

/* clang-format off */
const struct dist_kernel SIMD_SUFFIX(dist) = {
	.name = SIMD_NAME,
	.needs = SIMD_NEEDS,
#define F(function, dtype) [DTYPE_##dtype] = function,
#define K(kernel, dtypes) .kernel = {dtypes(F, kernel)},
#define ROW(id, name, shape, dtypes, fallback, help) id##_KERNELS(K)
	DISTRIBUTION_ROWS(ROW)
#undef ROW
#undef K
#undef F
	.all_between = all_between,
	.all_ordered = all_ordered,
};
/* clang-format on */
