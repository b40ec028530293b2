/* SPDX-License-Identifier: Apache-2.0 */
/* ARS4x32 in plain C, the reference, and the table of variants.
 *
 * Word c of the state is column c of AES's, row 0 in its low byte (FIPS 197, section 3.4). A round looks up each byte
 * in a table of its S-box value's four multiples in the mixed column. Nothing here is secret, so that the time of a
 * lookup depends on the data does no harm. */
#include "rng/ars.h"

#include "base/kernel_table.h"
#include "rng/ars_sbox.h"

/* 2 s in AES's field, x^8 = x^4 + x^3 + x + 1. */
#define TWICE(s) ((uint32_t)((s) << 1 ^ ((s) >> 7) * 0x11b))
/* What a byte of row 0 adds to its mixed column: (2 s, s, s, 3 s). A byte of row r adds the same, rotated by r bytes. */
#define COLUMN(s) (TWICE(s) | (uint32_t)(s) << 8 | (uint32_t)(s) << 16 | (TWICE(s) ^ (s)) << 24),
#define BYTE(s)   s,

static const uint32_t columns[256] = {ARS_SBOX(COLUMN)};
static const uint8_t sbox[256] = {ARS_SBOX(BYTE)};

static inline uint32_t rotate_left(uint32_t x, unsigned bits)
{
	return x << bits | x >> (32 - bits);
}

/* The byte of row `row` that ShiftRows moves to column c. */
static inline uint8_t shifted_byte(const uint32_t x[4], unsigned c, unsigned row)
{
	return (uint8_t)(x[(c + row) % 4] >> 8 * row);
}

static inline void encrypt_round(uint32_t x[4], const uint32_t key[4])
{
	uint32_t y[4];

	for (unsigned c = 0; c < 4; c++)
		y[c] = key[c] ^ columns[shifted_byte(x, c, 0)] ^ rotate_left(columns[shifted_byte(x, c, 1)], 8) ^
		       rotate_left(columns[shifted_byte(x, c, 2)], 16) ^ rotate_left(columns[shifted_byte(x, c, 3)], 24);
	for (unsigned c = 0; c < 4; c++)
		x[c] = y[c];
}

/* The last round has no MixColumns. */
static inline void encrypt_last_round(uint32_t x[4], const uint32_t key[4])
{
	uint32_t y[4];

	for (unsigned c = 0; c < 4; c++)
		y[c] = key[c] ^ (sbox[shifted_byte(x, c, 0)] | (uint32_t)sbox[shifted_byte(x, c, 1)] << 8 |
				 (uint32_t)sbox[shifted_byte(x, c, 2)] << 16 | (uint32_t)sbox[shifted_byte(x, c, 3)] << 24);
	for (unsigned c = 0; c < 4; c++)
		x[c] = y[c];
}

static inline void split_key(uint64_t low, uint64_t high, uint32_t ret_key[4])
{
	ret_key[0] = (uint32_t)low;
	ret_key[1] = (uint32_t)(low >> 32);
	ret_key[2] = (uint32_t)high;
	ret_key[3] = (uint32_t)(high >> 32);
}

/* Inlined with a constant number of rounds, so that the compiler unrolls the loop. */
static inline __attribute__((always_inline)) void evaluate(const uint32_t counter[4], const uint32_t key[4],
							   unsigned rounds, uint32_t ret_words[4])
{
	uint64_t low = key[0] | (uint64_t)key[1] << 32, high = key[2] | (uint64_t)key[3] << 32;
	uint32_t x[4], round_key[4];

	for (unsigned c = 0; c < 4; c++)
		x[c] = counter[c] ^ key[c];
	for (unsigned round = 1; round <= rounds; round++) {
		low += ARS_WEYL_LOW;
		high += ARS_WEYL_HIGH;
		split_key(low, high, round_key);
		if (round < rounds)
			encrypt_round(x, round_key);
		else
			encrypt_last_round(x, round_key);
	}
	for (unsigned c = 0; c < 4; c++)
		ret_words[c] = x[c];
}

void ars4x32(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4])
{
	evaluate(counter, key, rounds, ret_words);
}

static inline __attribute__((always_inline)) void group_words(const struct rng_span *span, uint64_t i, unsigned rounds,
							      uint32_t ret_words[4])
{
	uint32_t counter[4];

	rng_counter(span, i, counter);
	evaluate(counter, span->key, rounds, ret_words);
}

static inline unsigned groups_of(unsigned rounds)
{
	(void)rounds;
	return 1;
}

static inline void choose_key(const struct rng_span *span, uint64_t i, unsigned rounds, uint32_t key[4])
{
	(void)span, (void)i, (void)rounds, (void)key;
}

#include "rng/fill_scalar.h"

SCALAR_KERNEL(ars, 7);

#if defined(__x86_64__)
#define ROWS_OF_AES &ars_vaes512, &ars_vaes256, &ars_aesni,
#elif defined(__aarch64__)
#define ROWS_OF_AES &ars_armaes,
#else
#define ROWS_OF_AES
#endif

KERNEL_TABLE(struct rng_kernel, ars, ROWS_OF_AES)
