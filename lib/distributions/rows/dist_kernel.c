/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the distributions in plain C, the reference, and the table of their variants. */
#include "distributions/rows/dist_kernel_simd.c"

#include "base/kernel_table.h"

KERNEL_TABLE(struct dist_kernel, dist, KERNEL_ROWS(dist))
