/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: how a position becomes a counter and a key. This is stream_format 1; its bytes never change.
 *
 * A stream is (generator, seed, stream id). Its words are addressed by a position k and a draw d. Word k is one of the
 * four of group k / 4 (rng/kernel.h), whatever an evaluation returns. A stream has 2^62 groups for each draw. */
#ifndef TRNSCI_RNG_STREAM_H
#define TRNSCI_RNG_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rng/generator.h"

enum { STREAM_FORMAT = 1 };

struct stream {
	enum generator generator;
	uint64_t seed, stream;
};

/* Returns whether the generator has room for this stream id: some take ids below 2^32 only. */
bool stream_id_fits(const struct stream *stream);

/* Returns the halves of the seed, then of the stream id, low half first. They are the key of a Threefry stream. A
 * Philox4x32 stream uses the first two words as its key and the third as word 3 of its counters, one of 4x64 bits the pairs as
 * words of its key, and one of 2x32 bits the key that threefry2x32_key makes of them. */
void stream_key(const struct stream *stream, uint32_t ret_key[4]);

/* Returns the Threefry seed whose stream 0 is the one that layout=trn24 draws from `seed`: it puts 24 bits of the
 * seed into each half of the key. */
uint64_t stream_seed_trn24(uint64_t seed);

/* Returns one word by its address, computed by the scalar reference: every kernel must give the same. `draw` is at most
 * generator_row()->most_draw. */
uint32_t stream_word(const struct stream *stream, uint64_t position, uint32_t draw);

/* Converts n samples of words_per_sample words from sample `offset` on to words: the first and their count. Returns
 * false if a word would lie past the end of the stream (2^64 words). */
bool stream_span(uint64_t offset, uint64_t n, unsigned words_per_sample, uint64_t *ret_first, uint64_t *ret_count);

/* Returns in *ret_next where the draw after one of words [first, first + count) starts: at the next multiple of 4, so
 * that no word serves two draws. Returns false past the end of the stream. */
bool stream_next_position(uint64_t first, uint64_t count, uint64_t *ret_next);

/* Returns the part of a rank in a draw of n samples: rank r of P takes samples floor(r n / P) to floor((r + 1) n / P), the end excluded.
 * rank < size. */
void stream_rank_part(uint64_t n, uint64_t rank, uint64_t size, uint64_t *ret_begin, uint64_t *ret_end);

#endif
