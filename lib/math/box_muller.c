/* SPDX-License-Identifier: Apache-2.0 */
/* Box-Muller in plain C, the reference, and the table of its variants. */
#include "math/box_muller_simd.c"

#include "base/kernel_table.h"

KERNEL_TABLE(struct box_muller_kernel, box_muller, KERNEL_ROWS(box_muller))
