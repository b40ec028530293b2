/* SPDX-License-Identifier: Apache-2.0 */
/* Philox's rounds in plain C, of every width: inlined with a constant number of rounds, so that the compiler unrolls them. */
#ifndef TRNSCI_RNG_PHILOX_ROUNDS_H
#define TRNSCI_RNG_PHILOX_ROUNDS_H

#include "rng/philox_constants.h"

static inline __attribute__((always_inline)) void philox_rounds_4x32(const uint32_t counter[4], const uint32_t key[2],
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

static inline __attribute__((always_inline)) void philox_rounds_2x32(const uint32_t counter[2], uint32_t key, unsigned rounds,
								uint32_t ret_words[2])
{
	uint32_t x0 = counter[0], x1 = counter[1];

#pragma GCC unroll 10
	for (unsigned round = 0; round < rounds; round++, key += PHILOX_W0) {
		const uint64_t product = (uint64_t)PHILOX2_M * x0;

		x0 = (uint32_t)(product >> 32) ^ key ^ x1;
		x1 = (uint32_t)product;
	}
	ret_words[0] = x0;
	ret_words[1] = x1;
}

static inline __attribute__((always_inline)) void philox_rounds_4x64(const uint64_t counter[4], const uint64_t key[2], unsigned rounds,
								uint64_t ret_words[4])
{
	uint64_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
	uint64_t k0 = key[0], k1 = key[1];

#pragma GCC unroll 10
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

#endif
