/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32 in plain C, the reference, and the tables of variants. */
#include "rng/philox.h"

#include "base/kernel_table.h"
#include "rng/philox_constants.h"

/* Inlined with a constant number of rounds, so that the compiler unrolls the loop. */
static inline __attribute__((always_inline)) void evaluate_philox(const uint32_t counter[4], const uint32_t key[2],
								  unsigned rounds, uint32_t ret_words[4])
{
	uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
	uint32_t k0 = key[0], k1 = key[1];

	for (unsigned round = 0; round < rounds; round++, k0 += PHILOX_W0, k1 += PHILOX_W1) {
		const uint64_t product0 = (uint64_t)PHILOX_M0 * x0, product1 = (uint64_t)PHILOX_M1 * x2;

		x0 = (uint32_t)(product1 >> 32) ^ x1 ^ k0;
		x1 = (uint32_t)product1;
		x2 = (uint32_t)(product0 >> 32) ^ x3 ^ k1;
		x3 = (uint32_t)product0;
	}
	ret_words[0] = x0;
	ret_words[1] = x1;
	ret_words[2] = x2;
	ret_words[3] = x3;
}

void philox4x32(const uint32_t counter[4], const uint32_t key[2], unsigned rounds, uint32_t ret_words[4])
{
	evaluate_philox(counter, key, rounds, ret_words);
}

static inline __attribute__((always_inline)) void group_words(const struct rng_span *span, uint64_t i, unsigned rounds,
							      uint32_t ret_words[4])
{
	const uint64_t group = span->group + i, batch = group / STREAM_PARTITIONS;
	const uint32_t partition = (uint32_t)(group % STREAM_PARTITIONS);
	const uint32_t counter[4] = {partition + STREAM_PARTITIONS * span->draw, (uint32_t)batch,
				     (uint32_t)(batch >> 32), span->key[2]};

	evaluate_philox(counter, span->key, rounds, ret_words);
}

#include "rng/fill_scalar.h"

SCALAR_KERNEL(philox, 10);
SCALAR_KERNEL(philox7, 7);

KERNEL_TABLE(struct rng_kernel, philox, KERNEL_ROWS(philox))
KERNEL_TABLE(struct rng_kernel, philox7, KERNEL_ROWS(philox7))
