/* SPDX-License-Identifier: Apache-2.0 */
/* Philox in plain C, the reference, and the tables of variants. */
#include "rng/philox.h"

#include "base/kernel_table.h"
#include "rng/philox_rounds.h"

void philox4x32(const uint32_t counter[4], const uint32_t key[2], unsigned rounds, uint32_t ret_words[4])
{
	philox_rounds_4x32(counter, key, rounds, ret_words);
}

void philox2x32(const uint32_t counter[2], uint32_t key, unsigned rounds, uint32_t ret_words[2])
{
	philox_rounds_2x32(counter, key, rounds, ret_words);
}

void philox4x64(const uint64_t counter[4], const uint64_t key[2], unsigned rounds, uint64_t ret_words[4])
{
	philox_rounds_4x64(counter, key, rounds, ret_words);
}

/* ---- for fill_scalar.h ---- */

static inline unsigned groups_of(unsigned rounds)
{
	(void)rounds;
	return 1;
}

static inline void choose_key(const struct rng_span *span, uint64_t i, unsigned rounds, uint32_t key[4])
{
	(void)span, (void)i, (void)rounds, (void)key;
}

static inline __attribute__((always_inline)) void group_words(const struct rng_span *span, uint64_t i, unsigned rounds,
							      uint32_t ret_words[4])
{
	const uint64_t group = span->group + i, batch = group / STREAM_PARTITIONS;
	const uint32_t partition = (uint32_t)(group % STREAM_PARTITIONS);
	const uint32_t counter[4] = {partition + STREAM_PARTITIONS * span->draw, (uint32_t)batch,
				     (uint32_t)(batch >> 32), span->key[2]};

	philox_rounds_4x32(counter, span->key, rounds, ret_words);
}

#include "rng/fill_scalar.h"

SCALAR_KERNEL(philox, 10);
SCALAR_KERNEL(philox7, 7);

KERNEL_TABLE(struct rng_kernel, philox, KERNEL_ROWS(philox))
KERNEL_TABLE(struct rng_kernel, philox7, KERNEL_ROWS(philox7))
