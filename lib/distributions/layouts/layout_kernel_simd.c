/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of all layouts, and the table of one variant. */
#include "distributions/layouts/layout_kernel.h"

#include "distributions/layouts/convert_body.h"

#include "distributions/layouts/curand_body.h"

#include "distributions/layouts/torch_cuda_body.h"

#include "distributions/layouts/tensorflow_body.h"

#include "distributions/layouts/jax_body.h"

#include "distributions/layouts/numpy_body.h"

const struct layout_kernel SIMD_SUFFIX(layout_kernel) = {
	.name = SIMD_NAME,
	.needs = SIMD_NEEDS,
	.ways = {[LAYOUT_TORCH_CUDA] = torch_cuda_ways,
		 [LAYOUT_TENSORFLOW] = tensorflow_ways,
		 [LAYOUT_TENSORFLOW_XLA] = tensorflow_xla_ways,
		 [LAYOUT_JAX] = jax_ways,
		 [LAYOUT_JAX_ORIGINAL] = jax_ways,
		 [LAYOUT_NUMPY] = numpy_ways,
		 [LAYOUT_NUMPY_KEY] = numpy_ways,
		 [LAYOUT_CURAND] = curand_ways},
};
