/* SPDX-License-Identifier: Apache-2.0 */
/* The affine maps in plain C, the reference, and the table of their variants. */
#include "dist/uniform_body.h"

#include "base/cpu.h"

#define ROW(isa, features)                                                                                             \
	{                                                                                                              \
		.name = #isa, .needs = features, .range_f32 = uniform_range_f32_##isa,                                 \
		.range_f64 = uniform_range_f64_##isa, .affine_f32 = uniform_affine_f32_##isa,                          \
		.affine_f64 = uniform_affine_f64_##isa                                                                 \
	}

static const struct uniform_kernel kernels[] = {
#if defined(__x86_64__)
	ROW(avx512, CPU_AVX2 | CPU_AVX512),
	ROW(avx2, CPU_AVX2),
#endif
	ROW(scalar, 0),
};

const struct uniform_kernel *uniform_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct uniform_kernel *uniform_select(uint32_t features)
{
	const struct uniform_kernel *kernel = kernels;

	while (kernel->needs & ~features)
		kernel++;
	return kernel;
}
