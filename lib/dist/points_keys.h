/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of points share: keys from a stream, and a hash that spends them. */
#ifndef TRNSCI_DIST_POINTS_KEYS_H
#define TRNSCI_DIST_POINTS_KEYS_H

#include "rng/stream.h"

/* Dimension j's key: the four words of group j. */
static inline void points_key(const struct stream *stream, uint64_t dim, uint64_t ret_key[2])
{
	struct rng_span span = {.group = dim};
	uint32_t words[STREAM_GROUP_WORDS];

	stream_key(stream, span.key);
	generator_select(stream->generator, 0)->bits(&span, 1, words);
	ret_key[0] = words[0] | (uint64_t)words[1] << 32;
	ret_key[1] = words[2] | (uint64_t)words[3] << 32;
}

/* SplitMix64's step from one number to the next: 2^64 over the golden ratio. */
#define POINTS_STEP UINT64_C(0x9E3779B97F4A7C15)

/* SplitMix64's finaliser (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
static inline uint64_t points_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return x ^ x >> 31;
}

/* The high half of a 32-bit word times n: one of 0 .. n - 1, the least likely short by at most n / 2^32. */
static inline uint32_t points_below(uint32_t word, uint32_t n)
{
	return (uint32_t)((uint64_t)word * n >> 32);
}

#endif
