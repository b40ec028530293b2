/* SPDX-License-Identifier: Apache-2.0 */
/* Box-Muller in plain C, the reference, and the table of its variants. */
#include "dist/box_muller_body.h"

static const struct box_muller_kernel *const kernels[] = {
#if defined(__x86_64__)
	&box_muller_avx512,
	&box_muller_avx2,
#elif defined(__aarch64__)
	&box_muller_neon,
#endif
	&box_muller_scalar,
};

const struct box_muller_kernel *const *box_muller_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct box_muller_kernel *box_muller_select(uint32_t features)
{
	const struct box_muller_kernel *const *kernel = kernels;

	while ((*kernel)->needs & ~features)
		kernel++;
	return *kernel;
}
