/* SPDX-License-Identifier: Apache-2.0 */
/* Philox2x32 in plain C, the reference, and the table of variants. */
#include "rng/philox2x32.h"

#include "base/kernel_table.h"
#include "rng/philox_rounds.h"
#include "rng/threefry2x32.h"

#define evaluate(counter, key, rounds, ret_words) philox_rounds_2x32(counter, (key)[0], rounds, ret_words)
#include "rng/scalar_2x32.h"

SCALAR_KERNEL(philox2x32, 10);

KERNEL_TABLE(struct rng_kernel, philox2x32, KERNEL_ROWS(philox2x32))
