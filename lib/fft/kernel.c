/* SPDX-License-Identifier: Apache-2.0 */
/* Transform kernels in plain C, the reference, and the table of all variants. */
#include "fft/kernel_bodies.h"

#include "base/cpu.h"

#define ROW(suffix, needs)                                                                                             \
	{                                                                                                              \
#suffix, needs,                                                                                        \
		{                                                                                                      \
			&fft_ops_f32_##suffix, &fft_ops_f64_##suffix                                                   \
		}                                                                                                      \
	}
static const struct fft_kernel kernels[] = {
#if defined(__x86_64__)
	ROW(avx512, CPU_AVX2 | CPU_AVX512),
	ROW(avx2, CPU_AVX2),
#endif
	ROW(scalar, 0),
};
#undef ROW

const struct fft_kernel *fft_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct fft_kernel *fft_select(uint32_t features)
{
	const struct fft_kernel *kernel = kernels;

	while (kernel->needs & ~features)
		kernel++;
	return kernel;
}
