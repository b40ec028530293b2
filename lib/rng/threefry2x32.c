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

/* ---- for fill_scalar.h ---- */

static inline unsigned groups_of(unsigned rounds)
{
	(void)rounds;
	return 1;
}

static inline void choose_key(const struct rng_span *span, uint64_t i, unsigned rounds, uint32_t key[4])
{
	(void)rounds;
	threefry2x32_key(span->key, span->group + i, key);
}

static inline __attribute__((always_inline)) void group_words(const struct rng_span *span, uint64_t i, unsigned rounds,
							      uint32_t ret_words[4])
{
	const uint64_t group = span->group + i;
	const uint32_t partition = (uint32_t)(2 * group % STREAM_PARTITIONS);
	const uint32_t batch = (uint32_t)(2 * group / STREAM_PARTITIONS);

	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t counter[2] = {partition + half + STREAM_PARTITIONS * span->draw, batch};

		threefry_rounds_2x32(counter, span->key, rounds, ret_words + 2 * half);
	}
}

#include "rng/fill_scalar.h"

SCALAR_KERNEL(threefry2x32, 20);

KERNEL_TABLE(struct rng_kernel, threefry2x32, KERNEL_ROWS(threefry2x32))
