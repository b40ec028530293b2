/* SPDX-License-Identifier: Apache-2.0 */
/* The affine maps in plain C, the reference, and the table of their variants. */
#include "dist/uniform_body.h"

static const struct uniform_kernel *const kernels[] = {
#if defined(__x86_64__)
	&uniform_avx512,
	&uniform_avx2,
#elif defined(__aarch64__)
	&uniform_neon,
#endif
	&uniform_scalar,
};

const struct uniform_kernel *const *uniform_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct uniform_kernel *uniform_select(uint32_t features)
{
	const struct uniform_kernel *const *kernel = kernels;

	while ((*kernel)->needs & ~features)
		kernel++;
	return *kernel;
}
