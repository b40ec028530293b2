/* SPDX-License-Identifier: Apache-2.0 */
/* Panels in plain C, the reference, and the table of all variants. */
#define PANEL_VECTORS 1
#define PANEL_FMA_NS  2.5
#include "gemm/panel_body.h"

static const struct panel_kernel *const kernels[] = {
#if defined(__x86_64__)
	&panel_avx512,
	&panel_avx2,
#elif defined(__aarch64__)
	&panel_neon,
#endif
	&panel_scalar,
};

const struct panel_kernel *const *panel_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct panel_kernel *panel_select(uint32_t features)
{
	const struct panel_kernel *const *kernel = kernels;

	while ((*kernel)->needs & ~features)
		kernel++;
	return *kernel;
}
