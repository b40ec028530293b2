/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry's rounds in plain C, of every width: inlined with a constant number of rounds, so that the compiler unrolls them. */
#ifndef TRNSCI_RNG_THREEFRY_ROUNDS_H
#define TRNSCI_RNG_THREEFRY_ROUNDS_H

#include <stdint.h>

/* The parity constant of Skein's key schedule, for 32-bit words. */
#define THREEFRY_PARITY 0x1BD11BDAu
/* That for 64-bit words. */
#define THREEFRY_PARITY_64 UINT64_C(0x1BD11BDAA9FC1A22)

/* For the two pairs of words: the paper's table of rotation constants. Threefry takes all pairs in turn. */
enum { ALL_PAIRS = 8, TRN_PAIRS = 4 };

static const uint8_t rotations[ALL_PAIRS][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5},
						{6, 20},  {17, 11}, {25, 10}, {18, 20}};
static const uint8_t rotations_2x32[8] = {13, 15, 26, 6, 17, 29, 16, 24};
static const uint8_t rotations_4x64[8][2] = {{14, 16}, {52, 57}, {23, 40}, {5, 37}, {25, 33}, {46, 12}, {58, 22}, {32, 32}};

/* One mix: addition, rotation, exclusive or. bits is 1 to 31. */
static inline void mix_words(uint32_t *a, uint32_t *b, unsigned bits)
{
	*a += *b;
	*b = (*b << bits | *b >> (32 - bits)) ^ *a;
}

/* Inlined with a constant number of rounds, so that the compiler unrolls the loop. The rounds take n_pairs pairs of
 * rotations in turn. */
static inline __attribute__((always_inline)) void threefry_rounds_4x32(const uint32_t counter[4], const uint32_t key[4],
								    unsigned rounds, unsigned n_pairs,
								    uint32_t ret_words[4])
{
	const uint32_t schedule[5] = {key[0], key[1], key[2], key[3], THREEFRY_PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
	uint32_t x[4];

	for (unsigned i = 0; i < 4; i++)
		x[i] = counter[i] + key[i];
#pragma GCC unroll 20
	for (unsigned round = 0; round < rounds; round++) {
		const unsigned partner = round % 2 ? 3 : 1;

		mix_words(&x[0], &x[partner], rotations[round % n_pairs][0]);
		mix_words(&x[2], &x[4 - partner], rotations[round % n_pairs][1]);
		if (round % 4 == 3) {
			const unsigned s = round / 4 + 1;

			for (unsigned i = 0; i < 4; i++)
				x[i] += schedule[(s + i) % 5];
			x[3] += s;
		}
	}
	for (unsigned i = 0; i < 4; i++)
		ret_words[i] = x[i];
}

static inline __attribute__((always_inline)) void threefry_rounds_2x32(const uint32_t counter[2], const uint32_t key[2], unsigned rounds,
								uint32_t ret_words[2])
{
	const uint32_t schedule[3] = {key[0], key[1], THREEFRY_PARITY ^ key[0] ^ key[1]};
	uint32_t x0 = counter[0] + key[0], x1 = counter[1] + key[1];

#pragma GCC unroll 20
	for (unsigned round = 0; round < rounds; round++) {
		mix_words(&x0, &x1, rotations_2x32[round % 8]);
		if (round % 4 == 3) {
			const unsigned s = round / 4 + 1;

			x0 += schedule[s % 3];
			x1 += schedule[(s + 1) % 3] + s;
		}
	}
	ret_words[0] = x0;
	ret_words[1] = x1;
}

static inline void mix_words_64(uint64_t *a, uint64_t *b, unsigned bits)
{
	*a += *b;
	*b = (*b << bits | *b >> (64 - bits)) ^ *a;
}

static inline __attribute__((always_inline)) void threefry_rounds_4x64(const uint64_t counter[4], const uint64_t key[4], unsigned rounds,
								uint64_t ret_words[4])
{
	const uint64_t schedule[5] = {key[0], key[1], key[2], key[3], THREEFRY_PARITY_64 ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
	uint64_t x[4];

	for (unsigned i = 0; i < 4; i++)
		x[i] = counter[i] + key[i];
#pragma GCC unroll 20
	for (unsigned round = 0; round < rounds; round++) {
		const unsigned partner = round % 2 ? 3 : 1;

		mix_words_64(&x[0], &x[partner], rotations_4x64[round % 8][0]);
		mix_words_64(&x[2], &x[4 - partner], rotations_4x64[round % 8][1]);
		if (round % 4 == 3) {
			const unsigned s = round / 4 + 1;

			for (unsigned i = 0; i < 4; i++)
				x[i] += schedule[(s + i) % 5];
			x[3] += s;
		}
	}
	for (unsigned i = 0; i < 4; i++)
		ret_words[i] = x[i];
}

#endif
