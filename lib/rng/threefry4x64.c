/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x64 in plain C, the reference, and the table of variants. */
#include "rng/threefry4x64.h"

#include "base/kernel_table.h"
#include "rng/threefry_rounds.h"

#define evaluate threefry_rounds_4x64
#include "rng/scalar_4x64.h"

SCALAR_KERNEL(threefry4x64, 20);

KERNEL_TABLE(struct rng_kernel, threefry4x64, KERNEL_ROWS(threefry4x64))
