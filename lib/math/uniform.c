/* SPDX-License-Identifier: Apache-2.0 */
/* The affine maps in plain C, the reference, and the table of their variants. */
#include "math/uniform_simd.c"

#include "base/kernel_table.h"

KERNEL_TABLE(struct uniform_kernel, uniform, KERNEL_ROWS(uniform))
