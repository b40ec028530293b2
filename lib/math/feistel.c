/* SPDX-License-Identifier: Apache-2.0 */
/* The networks in plain C, and the table of their variants. */
#include "math/feistel_simd.c"

#include "base/kernel_table.h"

KERNEL_TABLE(struct feistel_kernel, feistel, KERNEL_ROWS(feistel))
