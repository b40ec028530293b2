/* SPDX-License-Identifier: Apache-2.0 */
/* A model of a machine whose 32-bit integer operations go through float32, and generators on it.
 *
 * Integers of such a machine are exact up to 2^24 only. Threefry stays exact if each 32-bit word is kept as four tiles
 * of one byte, since no intermediate comes near that limit. Philox multiplies words of 32 bits and does not. A tile has
 * one value for each of the 128 partitions. The model is for study and self-tests: it is slow on purpose.
 *
 * The authors of trnrand report a mean of 0.31 for Philox on Trainium 1 (trnsci.dev, April 2026), and that 0x7FFFFFFF
 * reads as 0x80000000 there. The model reproduces the second, not the first: how that machine converts in each step is
 * not published, and none of 216 combinations of wrapping and saturating conversions gave 0.31. */
#ifndef TRNSCI_PROOFS_BYTE_TILES_H
#define TRNSCI_PROOFS_BYTE_TILES_H

#include <stdint.h>

#include "rng/stream.h"

/* How the machine reads operands and writes results.
 *   EXACT       modulo 2^32, for comparison
 *   NEAREST     rounded to the nearest float32, ties to even, then modulo 2^32
 *   SATURATING  rounded likewise; 2^31 and above become 0x80000000, also 0x7FFFFFFF, which rounds to 2^31 */
enum conversion { CONVERSION_EXACT, CONVERSION_NEAREST, CONVERSION_SATURATING, N_CONVERSIONS };

const char *conversion_name(enum conversion conversion);

/* Converts an integer below 2^40. */
uint32_t conversion_read(enum conversion conversion, uint64_t value);

/* Steps of the generators. Each has a bound on its exact intermediates; the model records the largest. WORD is what
 * Philox does on 32-bit words: its bound is above 2^24. */
enum tile_step { TILE_ADD, TILE_XOR, TILE_ROTATE, TILE_MANTISSA, TILE_MULTIPLY, TILE_WORD, N_TILE_STEPS };

const char *tile_step_name(enum tile_step step);
uint64_t tile_step_bound(enum tile_step step);

/* The machine: its conversion, and the largest exact intermediate of each step so far. Start with zeros in `most`. */
struct tile_machine {
	enum conversion conversion;
	uint64_t most[N_TILE_STEPS];
};

/* 128 words as four tiles of bytes 0 to 255; bytes[0] is the lowest. */
struct byte_tiles {
	uint32_t bytes[4][STREAM_PARTITIONS];
};

void byte_tiles_split(const uint32_t words[STREAM_PARTITIONS], struct byte_tiles *ret);
void byte_tiles_join(const struct byte_tiles *a, uint32_t ret_words[STREAM_PARTITIONS]);

/* Add modulo 2^32 (the carry goes from byte to byte), and combine by exclusive or. ret may be an operand. */
void byte_tiles_add(struct tile_machine *machine, const struct byte_tiles *a, const struct byte_tiles *b,
		    struct byte_tiles *ret);
void byte_tiles_xor(struct tile_machine *machine, const struct byte_tiles *a, const struct byte_tiles *b,
		    struct byte_tiles *ret);
/* Rotates left by 8 whole + bits (whole 0 to 3, bits 0 to 7): moves bytes, then bits between neighbouring bytes. */
void byte_tiles_rotate(struct tile_machine *machine, const struct byte_tiles *a, unsigned whole, unsigned bits,
		       struct byte_tiles *ret);
/* Converts the low 24 bits to a float32 uniform: three bytes x 2^-24. */
void byte_tiles_mantissa(struct tile_machine *machine, const struct byte_tiles *a, float ret_u[STREAM_PARTITIONS]);
/* Multiplies 32 by 32 bits, as bytes, from 8-bit products. Exact in every conversion. */
void byte_tiles_multiply(struct tile_machine *machine, const uint32_t a[4], const uint32_t b[4], uint32_t ret[8]);

/* Compute one batch of a stream on the machine: ret_words[partition][w]. */
void byte_tiles_threefry(struct tile_machine *machine, const struct stream *stream, uint64_t batch,
			 uint32_t ret_words[STREAM_PARTITIONS][STREAM_GROUP_WORDS]);
void byte_tiles_philox(struct tile_machine *machine, const struct stream *stream, uint64_t batch,
		       uint32_t ret_words[STREAM_PARTITIONS][STREAM_GROUP_WORDS]);

/* A comparison of the words that a generator gives on the machine with the right ones. */
struct tile_figures {
	enum generator generator;
	enum conversion conversion;
	uint64_t n_words, n_right;
	/* Words before the first wrong one, in stream order. */
	uint64_t n_before_wrong;
	/* Means of the low and of the high 24 bits x 2^-24; 1/2 for right words. */
	double mean_low, mean_high;
	/* Chi square of the low 24 bits in 256 equal bins: 255 degrees of freedom, so 255 +- 68 (3 sigma) for right words. */
	double chi_square;
	uint64_t most[N_TILE_STEPS];
};

/* Measures n_batches batches from the start of a stream. Philox takes stream ids below 2^32 only. */
void byte_tiles_measure(enum generator generator, enum conversion conversion, const struct stream *stream,
			uint64_t n_batches, struct tile_figures *ret);

#endif
