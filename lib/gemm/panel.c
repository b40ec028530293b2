/* SPDX-License-Identifier: Apache-2.0 */
/* Panels in plain C, the reference, and the table of all variants. */
#include "gemm/panel_simd.c"

#include "base/kernel_table.h"

KERNEL_TABLE(struct panel_kernel, panel, KERNEL_ROWS(panel))
