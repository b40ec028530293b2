/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: how a position becomes a counter and a key. stream_format = 1; its bytes never change.
 *
 * A stream is (generator, seed, stream id). Its words are numbered by a position k and a draw d. Four words, one
 * block, come from one evaluation of the generator, so code here and in the kernels counts in *groups*: group g holds
 * the words 4 g .. 4 g + 3, is partition g mod 128 of batch g / 128, and there are 2^62 of them. */
#ifndef TRNSCI_RNG_STREAM_H
#define TRNSCI_RNG_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rng/generator.h"

enum {
	STREAM_FORMAT = 1,
	STREAM_PARTITIONS = 128,
	STREAM_GROUP_WORDS = 4,
	STREAM_BATCH_WORDS = STREAM_PARTITIONS * STREAM_GROUP_WORDS,
};

struct stream {
	enum generator generator;
	uint64_t seed, stream;
};

/* Whether the generator can tell this stream from others: Philox has room for ids below 2^32 only. */
bool stream_id_fits(const struct stream *stream);

/* The halves of the seed, then of the stream id, low half first: the key of a Threefry stream; a Philox stream takes
 * the first two words as its key and the third as word 3 of its counters. */
void stream_key(const struct stream *stream, uint32_t ret_key[4]);

/* The seed whose stream 0 is, under Threefry, what key_layout=trn24 draws from `seed`: 24 bits to a half of the key. */
uint64_t stream_seed_trn24(uint64_t seed);

/* One word by its address, by the scalar reference: the definition that every kernel is held against. The draw number
 * is at most generator_row's. */
uint32_t stream_word(const struct stream *stream, uint64_t position, uint32_t draw);

/* The words that n samples of words_per_sample words occupy when they start at sample `offset`: the first word in
 * *ret_first, the count in *ret_count. False when a word would lie past the end of the stream (2^64 words). */
bool stream_span(uint64_t offset, uint64_t n, unsigned words_per_sample, uint64_t *ret_first, uint64_t *ret_count);

/* The first position that a draw following one of [first, first + count) may use: the next multiple of 4 words, so
 * that no word serves two draws. False past the end of the stream. */
bool stream_next_position(uint64_t first, uint64_t count, uint64_t *ret_next);

/* Rank r of P takes the samples floor(r n / P) up to floor((r + 1) n / P) of an n-sample draw. rank < size. */
void stream_partition(uint64_t n, uint64_t rank, uint64_t size, uint64_t *ret_begin, uint64_t *ret_end);

#endif
