/* SPDX-License-Identifier: Apache-2.0 */
/* Philox in plain C, the reference, and the tables of variants. */
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

void philox2x32(const uint32_t counter[2], uint32_t key, unsigned rounds, uint32_t ret_words[2])
{
	uint32_t x0 = counter[0], x1 = counter[1];

	for (unsigned round = 0; round < rounds; round++, key += PHILOX_W0) {
		const uint64_t product = (uint64_t)PHILOX2_M * x0;

		x0 = (uint32_t)(product >> 32) ^ key ^ x1;
		x1 = (uint32_t)product;
	}
	ret_words[0] = x0;
	ret_words[1] = x1;
}

void philox4x64(const uint64_t counter[4], const uint64_t key[2], unsigned rounds, uint64_t ret_words[4])
{
	uint64_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
	uint64_t k0 = key[0], k1 = key[1];

	for (unsigned round = 0; round < rounds; round++, k0 += PHILOX64_W0, k1 += PHILOX64_W1) {
		const unsigned __int128 product0 = (unsigned __int128)PHILOX64_M0 * x0;
		const unsigned __int128 product1 = (unsigned __int128)PHILOX64_M1 * x2;

		x0 = (uint64_t)(product1 >> 64) ^ x1 ^ k0;
		x1 = (uint64_t)product1;
		x2 = (uint64_t)(product0 >> 64) ^ x3 ^ k1;
		x3 = (uint64_t)product0;
	}
	ret_words[0] = x0;
	ret_words[1] = x1;
	ret_words[2] = x2;
	ret_words[3] = x3;
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
