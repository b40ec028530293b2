/* SPDX-License-Identifier: Apache-2.0 */
/* A model of a machine whose 32-bit integer operations pass through float32, and generators on it.
 *
 * Such a machine's integers are exact to 2^24 only. Threefry stays exact on it when a 32-bit word lives as four byte
 * tiles, so that no intermediate comes near that limit; Philox, whose state must be whole words, does not. A tile is
 * one value for each of the 128 partitions. The model is for study and self-test: it is slow on purpose.
 *
 * The authors of trnrand report a mean of 0.31 for Philox on Trainium 1 (trnsci.dev, April 2026), and that 0x7FFFFFFF
 * reads as 0x80000000 there. The model has the second and not the first: how that machine converts in each step is not
 * published, and none of 216 combinations of wrapping and saturating conversions that were tried gave 0.31. */
#ifndef TRNSCI_RNG_BYTE_TILES_H
#define TRNSCI_RNG_BYTE_TILES_H

#include <stdint.h>

#include "rng/stream.h"

/* How an operand is read and a result written. EXACT: integers modulo 2^32 (for comparison). NEAREST: rounded to the
 * nearest float32, ties to even, then taken modulo 2^32. SATURATING: rounded so, and anything from 2^31 up reads as
 * 0x80000000 (0x7FFFFFFF does, since it rounds to 2^31). */
enum conversion { CONVERSION_EXACT, CONVERSION_NEAREST, CONVERSION_SATURATING, N_CONVERSIONS };

const char *conversion_name(enum conversion conversion);

/* What an integer below 2^40 reads as. */
uint32_t conversion_read(enum conversion conversion, uint64_t value);

/* Steps whose intermediates are watched, each with the bound that its largest exact intermediate keeps to. WORD is
 * what Philox does on whole words, which no bound below 2^24 holds. */
enum tile_step { TILE_ADD, TILE_XOR, TILE_ROTATE, TILE_MANTISSA, TILE_MULTIPLY, TILE_WORD, N_TILE_STEPS };

const char *tile_step_name(enum tile_step step);
uint64_t tile_step_bound(enum tile_step step);

/* The machine: its conversion, and the largest exact intermediate seen so far in each step. Start with most all 0. */
struct tile_machine {
	enum conversion conversion;
	uint64_t most[N_TILE_STEPS];
};

/* 128 words as four byte tiles, bytes[0] the lowest; values 0..255. */
struct byte_tiles {
	uint32_t bytes[4][STREAM_PARTITIONS];
};

void byte_tiles_split(const uint32_t words[STREAM_PARTITIONS], struct byte_tiles *ret);
void byte_tiles_join(const struct byte_tiles *a, uint32_t ret_words[STREAM_PARTITIONS]);

/* ret may be an operand. Every byte below 256; add: modulo 2^32, the carry walks from byte to byte. */
void byte_tiles_add(struct tile_machine *machine, const struct byte_tiles *a, const struct byte_tiles *b,
		    struct byte_tiles *ret);
void byte_tiles_xor(struct tile_machine *machine, const struct byte_tiles *a, const struct byte_tiles *b,
		    struct byte_tiles *ret);
/* To the left by 8 whole + bits (whole 0..3, bits 0..7): bytes change place, then bits move between neighbours. */
void byte_tiles_rotate(struct tile_machine *machine, const struct byte_tiles *a, unsigned whole, unsigned bits,
		       struct byte_tiles *ret);
/* The low 24 bits as the float32 uniform of DESIGN's contract: three bytes x 2^-24. */
void byte_tiles_mantissa(struct tile_machine *machine, const struct byte_tiles *a, float ret_u[STREAM_PARTITIONS]);
/* 32 x 32 to 64 bits from 8-bit products, of one element: bytes in, bytes out, exact in every conversion. */
void byte_tiles_multiply(struct tile_machine *machine, const uint32_t a[4], const uint32_t b[4], uint32_t ret[8]);

/* One batch of a stream (128 partitions, 4 words each, ret_words[partition][w]) as the machine computes it. */
void byte_tiles_threefry(struct tile_machine *machine, const struct stream *stream, uint64_t batch,
			 uint32_t ret_words[STREAM_PARTITIONS][STREAM_GROUP_WORDS]);
void byte_tiles_philox(struct tile_machine *machine, const struct stream *stream, uint64_t batch,
		       uint32_t ret_words[STREAM_PARTITIONS][STREAM_GROUP_WORDS]);

/* What a generator gives on the machine, held against the same words in whole integers. */
struct tile_figures {
	enum generator generator;
	enum conversion conversion;
	uint64_t n_words, n_right;
	/* Words before the first wrong one, in stream order. */
	uint64_t n_before_wrong;
	/* Means of the low and of the high 24 bits x 2^-24 (1/2 when right). */
	double mean_low, mean_high;
	/* Of the low 24 bits in 256 equal bins: 255 degrees of freedom, so 255 +- 68 (3 sigma) when right. */
	double chi_square;
	uint64_t most[N_TILE_STEPS];
};

/* n_batches batches from the start of a stream. Philox takes streams below 2^32 only. */
void byte_tiles_measure(enum generator generator, enum conversion conversion, const struct stream *stream,
			uint64_t n_batches, struct tile_figures *ret);

#endif
