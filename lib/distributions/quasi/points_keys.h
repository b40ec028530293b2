/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that scramble points, derived from the settings' stream. */
#ifndef TRNSCI_DISTRIBUTIONS_POINTS_KEYS_H
#define TRNSCI_DISTRIBUTIONS_POINTS_KEYS_H

#include "rng/stream.h"

/* Reads the key of dimension `dim`: the four words of group `dim`. */
static inline void points_key(const struct stream *stream, uint64_t dim, uint64_t ret_key[2])
{
	struct rng_span span = {.group = dim};
	uint32_t words[STREAM_GROUP_WORDS];

	stream_key(stream, span.key);
	generator_select(stream->generator, 0)->bits(&span, 1, words);
	ret_key[0] = words[0] | (uint64_t)words[1] << 32;
	ret_key[1] = words[2] | (uint64_t)words[3] << 32;
}

/* Maps a word to 0 .. n - 1 by the high half of word n. A value's probability differs from 1 / n by at most 2^-32. */
static inline uint32_t points_below(uint32_t word, uint32_t n)
{
	return (uint32_t)((uint64_t)word * n >> 32);
}

#endif
