/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry2x32 in plain C, the reference, and the table of variants. */
#include "rng/threefry2x32.h"

#include "base/kernel_table.h"
#include "rng/threefry_rounds.h"

void threefry2x32_key(const uint32_t key[4], uint64_t group, uint32_t ret_key[2])
{
	const uint32_t counter[2] = {key[2], (uint32_t)(group / RNG_KEY_GROUPS)};

	threefry_rounds_2x32(counter, key, 20, ret_key);
}

#define evaluate threefry_rounds_2x32
#include "rng/scalar_2x32.h"

SCALAR_KERNEL(threefry2x32, 20);

KERNEL_TABLE(struct rng_kernel, threefry2x32, KERNEL_ROWS(threefry2x32))
