/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar kernel of a generator whose evaluation returns two words of 32 bits, in plain C, the reference. The includer defines
 *   evaluate(counter, key, rounds, ret_words), and has rng/threefry2x32.h for the keys. */
#include "rng/kernel.h"

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

		evaluate(counter, span->key, rounds, ret_words + 2 * half);
	}
}

#include "rng/fill_scalar.h"
