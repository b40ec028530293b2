/* SPDX-License-Identifier: Apache-2.0 */
/* The networks in plain C, and the table of their variants. */
#include "dist/feistel_body.h"

static const struct feistel_kernel *const kernels[] = {
#if defined(__x86_64__)
	&feistel_avx512,
	&feistel_avx2,
#elif defined(__aarch64__)
	&feistel_neon,
#endif
	&feistel_scalar,
};

const struct feistel_kernel *const *feistel_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct feistel_kernel *feistel_select(uint32_t features)
{
	const struct feistel_kernel *const *kernel = kernels;

	while ((*kernel)->needs & ~features)
		kernel++;
	return *kernel;
}
