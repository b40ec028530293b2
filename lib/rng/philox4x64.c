/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x64 in plain C, the reference, and the table of variants. */
#include "rng/philox4x64.h"

#include "base/kernel_table.h"
#include "rng/philox_rounds.h"

/* ---- for fill_scalar.h ---- */

static inline unsigned groups_of(unsigned rounds)
{
	(void)rounds;
	return 2;
}

static inline void choose_key(const struct rng_span *span, uint64_t i, unsigned rounds, uint32_t key[4])
{
	(void)span, (void)i, (void)rounds, (void)key;
}

static inline __attribute__((always_inline)) void group_words(const struct rng_span *span, uint64_t i, unsigned rounds,
							      uint32_t ret_words[8])
{
	const uint64_t group = span->group + i;
	const uint64_t key[2] = {span->key[0] | (uint64_t)span->key[1] << 32, span->key[2] | (uint64_t)span->key[3] << 32};
	uint64_t x[4] = {group / 2 % STREAM_PARTITIONS, group / 2 / STREAM_PARTITIONS, span->draw};

	philox_rounds_4x64(x, key, rounds, x);
	for (unsigned w = 0; w < 4; w++) {
		ret_words[2 * w] = (uint32_t)x[w];
		ret_words[2 * w + 1] = (uint32_t)(x[w] >> 32);
	}
}

#include "rng/fill_scalar.h"

SCALAR_KERNEL(philox4x64, 10);

KERNEL_TABLE(struct rng_kernel, philox4x64, KERNEL_ROWS(philox4x64))
