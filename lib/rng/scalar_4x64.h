/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar kernel of a generator whose evaluation returns four words of 64 bits, in plain C, the reference. The includer defines
 *   evaluate(counter, key, rounds, ret_words), with a key of which all words but two are 0. */
#include "rng/kernel.h"

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
	const uint64_t seed = span->key[0] | (uint64_t)span->key[1] << 32, stream = span->key[2] | (uint64_t)span->key[3] << 32;
	const uint64_t key[4] = {seed, stream};
	uint64_t x[4] = {group / 2 % STREAM_PARTITIONS, group / 2 / STREAM_PARTITIONS, span->draw};

	evaluate(x, key, rounds, x);
	for (unsigned w = 0; w < 4; w++) {
		ret_words[2 * w] = (uint32_t)x[w];
		ret_words[2 * w + 1] = (uint32_t)(x[w] >> 32);
	}
}

#include "rng/fill_scalar.h"
