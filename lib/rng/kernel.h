/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a generator: words and uniforms of whole groups, in one pass without a buffer.
 *
 * A *group* is four words: group g holds the words 4 g to 4 g + 3 of a stream. One evaluation of a generator of 4x32 bits
 * returns a group: partition g mod 128 of batch g / 128. One of 2x32 bits returns half a group, one of 4x64 bits two
 * groups; evaluation e is partition e mod 128 of batch e / 128 for all of them. */
#ifndef TRNSCI_RNG_KERNEL_H
#define TRNSCI_RNG_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum {
	STREAM_PARTITIONS = 128,
	STREAM_GROUP_WORDS = 4,
	STREAM_BATCH_WORDS = STREAM_PARTITIONS * STREAM_GROUP_WORDS, /* of 4x32 */
};

/* A position from which groups are drawn: group `group` of the stream with this key (stream_key), draw number `draw`. A
 * caller that draws n_groups ensures that they exist: group + n_groups <= 2^62. */
struct rng_span {
	uint32_t key[4];
	uint64_t group;
	uint32_t draw;
};

/* The counter of group span->group + i: its partition, the batch's index with the low half first, the draw's number. That of
 * Threefry and ARS; Philox puts the draw beside the partition, since its counter has the stream, too. */
static inline void rng_counter(const struct rng_span *span, uint64_t i, uint32_t ret_counter[4])
{
	const uint64_t group = span->group + i, batch = group / STREAM_PARTITIONS;

	ret_counter[0] = (uint32_t)(group % STREAM_PARTITIONS);
	ret_counter[1] = (uint32_t)batch;
	ret_counter[2] = (uint32_t)(batch >> 32);
	ret_counter[3] = span->draw;
}

/* A generator of 2x32 bits has no room for the stream and the high half of the batch's index in its counter: they choose
 * the key, by threefry2x32_key (rng/threefry2x32.h). Its groups have one key up to the next multiple of this. */
#define RNG_KEY_GROUPS ((uint64_t)1 << 38)

/* One group of a stream: its number, and the draw's. */
struct rng_place {
	uint64_t group;
	uint32_t draw;
};

/* One variant; all variants give the same bytes. `needs` is a set of CPU_ features. Outputs need no alignment beyond
 * that of their elements.
 *   bits         writes 4 n_groups words
 *   uniform_f32  writes 4 n_groups floats: the low 24 bits of each word x 2^-24
 *   uniform_f64  writes 2 n_groups doubles: the high 53 bits of each pair of words, low word first, x 2^-53
 *   scatter      writes the 4 words of each of n places, in the order given and repeated where they are */
struct rng_kernel {
	const char *name;
	uint32_t needs;
	void (*bits)(const struct rng_span *span, size_t n_groups, uint32_t *ret_words);
	void (*uniform_f32)(const struct rng_span *span, size_t n_groups, float *ret_uniforms);
	void (*uniform_f64)(const struct rng_span *span, size_t n_groups, double *ret_uniforms);
	void (*scatter)(const uint32_t key[4], const struct rng_place places[], size_t n, uint32_t *ret_words);
};

#endif
