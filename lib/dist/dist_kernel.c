/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the distributions in plain C, the reference, and the table of their variants. */
#include "dist/dist_kernel_body.h"

static const struct dist_kernel *const kernels[] = {
#if defined(__x86_64__)
	&dist_kernel_avx512,
	&dist_kernel_avx2,
#elif defined(__aarch64__)
	&dist_kernel_neon,
#endif
	&dist_kernel_scalar,
};

const struct dist_kernel *const *dist_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct dist_kernel *dist_kernel_select(uint32_t features)
{
	const struct dist_kernel *const *kernel = kernels;

	while ((*kernel)->needs & ~features)
		kernel++;
	return *kernel;
}
