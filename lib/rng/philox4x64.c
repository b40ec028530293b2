/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x64 in plain C, the reference, and the table of variants. */
#include "rng/philox4x64.h"

#include "base/kernel_table.h"
#include "rng/philox_rounds.h"

#define evaluate philox_rounds_4x64
#include "rng/scalar_4x64.h"

SCALAR_KERNEL(philox4x64, 10);

KERNEL_TABLE(struct rng_kernel, philox4x64, KERNEL_ROWS(philox4x64))
