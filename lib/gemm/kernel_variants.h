/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of the product kernels, as kernel.c lists them: each defined by its own file from the bodies. */
#ifndef TRNSCI_GEMM_KERNEL_VARIANTS_H
#define TRNSCI_GEMM_KERNEL_VARIANTS_H

#include "base/cpu.h"
#include "gemm/kernel.h"

extern const struct gemm_kernel gemm_kernel_scalar, gemm_kernel_avx2, gemm_kernel_avx512, gemm_kernel_avx512bf16,
	gemm_kernel_amx;

#endif
