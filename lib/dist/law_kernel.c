/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the laws in plain C, the reference, and the table of their variants. */
#include "dist/law_kernel_body.h"

static const struct law_kernel *const kernels[] = {
#if defined(__x86_64__)
	&law_kernel_avx512,
	&law_kernel_avx2,
#elif defined(__aarch64__)
	&law_kernel_neon,
#endif
	&law_kernel_scalar,
};

const struct law_kernel *const *law_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct law_kernel *law_kernel_select(uint32_t features)
{
	const struct law_kernel *const *kernel = kernels;

	while ((*kernel)->needs & ~features)
		kernel++;
	return *kernel;
}
