/* SPDX-License-Identifier: Apache-2.0 */
/* Positions to counters and keys, in exact integers. Nothing here may change: it is the format of streams
 * (STREAM_FORMAT). */
#include "rng/stream.h"

#include <assert.h>

#include "base/checked.h"

bool stream_id_fits(const struct stream *stream)
{
	return stream->stream <= generator_row(stream->generator)->most_stream;
}

void stream_key(const struct stream *stream, uint32_t ret_key[4])
{
	ret_key[0] = (uint32_t)stream->seed;
	ret_key[1] = (uint32_t)(stream->seed >> 32);
	ret_key[2] = (uint32_t)stream->stream;
	ret_key[3] = (uint32_t)(stream->stream >> 32);
}

/* Bits 0 to 23 become the low half of the key's seed, bits 24 to 47 the high half; higher ones are dropped, as there.
 */
uint64_t stream_seed_trn24(uint64_t seed)
{
	return (seed & 0xFFFFFF) | (seed >> 24 & 0xFFFFFF) << 32;
}

uint32_t stream_word(const struct stream *stream, uint64_t position, uint32_t draw)
{
	struct rng_span span = {.group = position / STREAM_GROUP_WORDS, .draw = draw};
	uint32_t words[STREAM_GROUP_WORDS];

	assert(draw <= generator_row(stream->generator)->most_draw);
	stream_key(stream, span.key);
	generator_select(stream->generator, 0)->bits(&span, 1, words);
	return words[position % STREAM_GROUP_WORDS];
}

/* Words are counted, not samples: a stream has 2^64 of them, so the end itself does not fit 64 bits. */
bool stream_span(uint64_t offset, uint64_t n, unsigned words_per_sample, uint64_t *ret_first, uint64_t *ret_count)
{
	uint64_t first, count, last;

	if (mul_overflows(offset, words_per_sample, &first) || mul_overflows(n, words_per_sample, &count))
		return false;
	/* The end may be 2^64, which overflows, so check the last word. */
	if (count > 0 && add_overflows(first, count - 1, &last))
		return false;
	*ret_first = first;
	*ret_count = count;
	return true;
}

bool stream_next_position(uint64_t first, uint64_t count, uint64_t *ret_next)
{
	uint64_t end, next;

	if (add_overflows(first, count, &end) || round_up_overflows(end, STREAM_GROUP_WORDS, &next))
		return false;
	*ret_next = next;
	return true;
}

/* In 128 bits, so exact for any n and size; the parts of all ranks follow one another without a gap. */
void stream_rank_part(uint64_t n, uint64_t rank, uint64_t size, uint64_t *ret_begin, uint64_t *ret_end)
{
	const unsigned __int128 wide = n;

	assert(rank < size);
	*ret_begin = (uint64_t)(wide * rank / size);
	*ret_end = (uint64_t)(wide * ((unsigned __int128)rank + 1) / size);
}
