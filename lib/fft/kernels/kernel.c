/* SPDX-License-Identifier: Apache-2.0 */
/* Transform kernels in plain C, the reference, and the table of all variants. */
#include "fft/kernels/kernel_simd.c"

#include "base/kernel_table.h"

KERNEL_TABLE(struct fft_kernel, fft, KERNEL_ROWS(fft))
