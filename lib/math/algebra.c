/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise arithmetic in plain C, the reference, and the table of its variants. */
#include "math/algebra_simd.c"

#include "base/kernel_table.h"

KERNEL_TABLE(struct algebra_kernel, algebra, KERNEL_ROWS(algebra))
