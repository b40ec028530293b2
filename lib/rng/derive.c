/* SPDX-License-Identifier: Apache-2.0 */
/* Derivation by chained blocks: the parent, then the number and kind, then the bytes of a label.
 *
 * A CBC-MAC with Threefry under a reserved key as its permutation. The first block has the kind and the label's size,
 * so no label is the beginning of another, and no label collides with a number by its form. */
#include "rng/derive.h"

#include <string.h>

#include "base/checked.h"
#include "rng/threefry.h"

enum kind { KIND_LABEL = 1, KIND_FOLD_IN = 2, KIND_SPLIT = 3 };

enum { BLOCK_BYTES = 16 };

/* Reads 4 bytes, low byte first. */
static uint32_t read_word(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Applies the permutation: Threefry with all of its 20 rounds, which is one to one for a fixed key. */
static void permute_block(uint32_t block[4])
{
	static const unsigned char reserved[BLOCK_BYTES + 1] = DERIVE_KEY;
	uint32_t key[4];

	for (unsigned i = 0; i < 4; i++)
		key[i] = read_word(reserved + 4 * i);
	threefry4x32(block, key, 20, block);
}

/* Begins a chain with two blocks: the parent's seed and stream; the number and the kind. */
static void chain_start(const struct stream *parent, enum kind kind, uint64_t number, uint32_t ret_block[4])
{
	stream_key(parent, ret_block);
	permute_block(ret_block);
	ret_block[0] ^= (uint32_t)number;
	ret_block[1] ^= (uint32_t)(number >> 32);
	ret_block[2] ^= kind;
	permute_block(ret_block);
}

/* Makes the child of the last block: 64 bits of seed, and a stream of 64 bits, or of 32 for generators that have no more.
 */
static void chain_end(const struct stream *parent, const uint32_t block[4], struct stream *ret)
{
	const uint64_t seed = block[0] | (uint64_t)block[1] << 32;
	struct stream child = {parent->generator, seed, block[2] | (uint64_t)block[3] << 32};

	if (!stream_id_fits(&child))
		child.stream = block[2];
	*ret = child;
}

void derive_label(const struct stream *parent, const void *label, size_t size, struct stream *ret)
{
	const unsigned char *at = label;
	uint32_t block[4];

	chain_start(parent, KIND_LABEL, size, block);
	while (size > 0) {
		unsigned char bytes[BLOCK_BYTES] = {0};
		const size_t n = size_min(size, BLOCK_BYTES);

		memcpy(bytes, at, n);
		for (unsigned i = 0; i < 4; i++)
			block[i] ^= read_word(bytes + 4 * i);
		permute_block(block);
		at += n;
		size -= n;
	}
	chain_end(parent, block, ret);
}

void derive_fold_in(const struct stream *parent, uint64_t number, struct stream *ret)
{
	uint32_t block[4];

	chain_start(parent, KIND_FOLD_IN, number, block);
	chain_end(parent, block, ret);
}

void derive_split(const struct stream *parent, uint64_t index, struct stream *ret)
{
	uint32_t block[4];

	chain_start(parent, KIND_SPLIT, index, block);
	chain_end(parent, block, ret);
}
