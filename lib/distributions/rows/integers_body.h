/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of integers, and the 16-bit floats: plain C, which the compiler vectorises for each variant. */
#include <string.h>

#include "base/simd/simd_u64.h"
#include "distributions/tables/alias_table.h"
#include "distributions/tables/discrete_table.h"
#include "math/half.h"

#if defined(SIMD_AVX512) || defined(SIMD_AVX2) || defined(SIMD_NEON)
/* Writes low + floor(word range / 2^32), range below 2^32, and returns the least low half of all products. Of each pair
 * of words one product keeps its high half in the low half of 64 bits, the other where it is. */
INLINE uint32_t multiply_words(const uint32_t *words, uint32_t range, uint32_t low, size_t n, uint32_t *ret_out)
{
	const u32v factor = u64_set(range), high_half = u64_set(0xFFFFFFFF00000000);
	u32v least = u32_set(UINT32_MAX);
	uint32_t halves[U32_LANES], ret = UINT32_MAX;

	for (size_t i = 0; i < n; i += U32_LANES) {
		const u32v pair = u32_load(words + i);
		const u32v even = u64_mul32(pair, factor), odd = u64_mul32(U64_SHR(pair, 32), factor);

		least = u32_min(least, u32_min(even, odd));
		u32_store(ret_out + i, u32_add(u32_xor_and(U64_SHR(even, 32), odd, high_half), u32_set(low)));
	}
	u32_store(halves, least);
	for (unsigned i = 0; i < U32_LANES; i += 2) /* the odd elements are high halves */
		ret = halves[i] < ret ? halves[i] : ret;
	return ret;
}

/* Writes low + floor(word range / 2^64), range below 2^32, and returns the least upper half of the products' low 64 bits: where it is
 * not 0, none of them is below the range. */
INLINE uint32_t multiply_long_words(const uint64_t *words, uint32_t range, uint64_t low, size_t n, uint64_t *ret_out)
{
	const u32v factor = u64_set(range), shift = u64_set(low);
	u32v least = u32_set(UINT32_MAX);
	uint32_t halves[U32_LANES], ret = UINT32_MAX;

	for (size_t i = 0; i < n; i += U32_LANES / 2) {
		const u32v word = u64_load(words + i);
		const u32v carried = U64_SHR(u64_mul32(word, factor), 32);
		const u32v sum = u64_add(u64_mul32(U64_SHR(word, 32), factor), carried);

		least = u32_min(least, sum);
		u64_store(ret_out + i, u64_add(U64_SHR(sum, 32), shift));
	}
	u32_store(halves, least);
	for (unsigned i = 0; i < U32_LANES; i += 2) /* the odd elements are of the results */
		ret = halves[i] < ret ? halves[i] : ret;
	return ret;
}
#else
/* Leaves all to the caller. */
INLINE uint32_t multiply_long_words(const uint64_t *words, uint32_t range, uint64_t low, size_t n, uint64_t *ret_out)
{
	(void)words, (void)range, (void)low, (void)n, (void)ret_out;
	return 0;
}

/* Writes low + floor(word range / 2^32), and returns the least low half of all products. */
INLINE uint32_t multiply_words(const uint32_t *words, uint32_t range, uint32_t low, size_t n, uint32_t *ret_out)
{
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		const uint64_t product = (uint64_t)words[i] * range;

		ret_out[i] = low + (uint32_t)(product >> 32);
		least = (uint32_t)product < least ? (uint32_t)product : least;
	}
	return least;
}
#endif

/* Makes low + floor(word range / 2^32). Rejects words whose product has a low half below 2^32 mod range.
 * Source: D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019) 3. */
static size_t randint_i32(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			  void *ret_out, uint16_t *ret_rejected)
{
	const uint32_t range = (uint32_t)k->randint.range, reject_below = (uint32_t)k->randint.reject_below;
	const uint32_t low = (uint32_t)k->randint.low;
	const uint32_t *words = inputs[0];
	uint32_t *out = ret_out;
	size_t n_rejected = 0;

	(void)attempt;
	for (size_t i = 0; range == 0 && i < n; i++) /* 2^32: all words */
		out[i] = low + words[i];
	if (range == 0 || multiply_words(words, range, low, n, out) >= reject_below)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (words[i] * range < reject_below)
			ret_rejected[n_rejected++] = (uint16_t)i;
	return n_rejected;
}

/* Does the same with 64-bit words. range = 0 means 2^64. */
static size_t randint_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			  void *ret_out, uint16_t *ret_rejected)
{
	const uint64_t range = k->randint.range, reject_below = k->randint.reject_below, low = (uint64_t)k->randint.low;
	const uint64_t *words = inputs[0];
	uint64_t *out = ret_out;
	size_t n_rejected = 0;

	(void)attempt;
	for (size_t i = 0; range == 0 && i < n; i++) /* 2^64: all words */
		out[i] = low + words[i];
	if (range == 0 || (range <= UINT32_MAX && multiply_long_words(words, (uint32_t)range, low, n, out) > 0))
		return 0;
	for (size_t i = 0; i < n; i++) {
		const unsigned __int128 product = (unsigned __int128)words[i] * range;

		out[i] = low + (uint64_t)(product >> 64);
		if ((uint64_t)product < reject_below)
			ret_rejected[n_rejected++] = (uint16_t)i;
	}
	return n_rejected;
}

/* Makes 1 where the words, read as binary digits, are below the digits of p. Where 32 digits are equal, the sample is
 * rejected, and the next attempt's word decides. */
#define BERNOULLI(name, type)                                                                                          \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		const uint32_t digits = attempt < DIST_DIGITS ? k->bernoulli.digits[attempt] : 0;                      \
		const uint32_t *words = inputs[0];                                                                     \
		uint32_t any = 0;                                                                                      \
		size_t n_rejected = 0;                                                                                 \
		type *out = ret_out;                                                                                   \
                                                                                                                       \
		if (k->bernoulli.certain) {                                                                            \
			for (size_t i = 0; i < n; i++)                                                                 \
				out[i] = 1;                                                                            \
			return 0;                                                                                      \
		}                                                                                                      \
		for (size_t i = 0; i < n; i++) {                                                                       \
			out[i] = words[i] < digits;                                                                    \
			any |= words[i] == digits;                                                                     \
		}                                                                                                      \
		for (size_t i = 0; any && attempt < DIST_DIGITS && i < n; i++)                                         \
			if (words[i] == digits)                                                                        \
				ret_rejected[n_rejected++] = (uint16_t)i;                                              \
		return n_rejected;                                                                                     \
	}

BERNOULLI(bernoulli_i8, int8_t)
BERNOULLI(bernoulli_i32, int32_t)

/* Makes -1 or 1 from the top bit. */
#define RADEMACHER(name, word_type, type)                                                                              \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		const word_type *words = inputs[0];                                                                    \
		type *out = ret_out;                                                                                   \
                                                                                                                       \
		(void)k, (void)attempt, (void)ret_rejected;                                                            \
		for (size_t i = 0; i < n; i++)                                                                         \
			out[i] = words[i] >> (sizeof(word_type) * 8 - 1) ? (type)-1 : (type)1;                         \
		return 0;                                                                                              \
	}

RADEMACHER(rademacher_i8, uint32_t, int8_t)
RADEMACHER(rademacher_i32, uint32_t, int32_t)
RADEMACHER(rademacher_f32, uint32_t, float)
RADEMACHER(rademacher_f64, uint64_t, double)

/* Finds the value to which the word belongs, from the guide's bucket upwards. */
static size_t discrete_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			   void *ret_out, uint16_t *ret_rejected)
{
	const struct discrete_table *table = k->table;
	const uint64_t *words = inputs[0];
	int64_t *out = ret_out;

	(void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i++) {
		unsigned j = table->guide[words[i] >> (64 - DISCRETE_GUIDE_BITS)];

		while (words[i] > table->last[j])
			j++;
		out[i] = table->first + j;
	}
	return 0;
}

/* Multiplies the word by n: the high half picks a column, the low half one of its two indices. */
static size_t alias_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			void *ret_out, uint16_t *ret_rejected)
{
	const struct alias_table *table = k->table;
	const uint64_t *words = inputs[0];
	int64_t *out = ret_out;

	(void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i++) {
		const unsigned __int128 product = (unsigned __int128)words[i] * table->n;
		const struct alias_column *column = &table->columns[(size_t)(product >> 64)];

		out[i] = (uint64_t)product < column->below ? (int64_t)(product >> 64) : (int64_t)column->other;
	}
	return 0;
}

/* Maps u in [0, 1), made of the low bits of a word, to [low, high) in float64; rounds to float32 and then to 16 bits.
 */
#define UNIFORM16(name, mask, step, round)                                                                             \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		const double scale = k->scale, shift = k->shift;                                                       \
		const float most = (float)k->uniform16.most;                                                           \
		const uint32_t *words = inputs[0];                                                                     \
		uint16_t *out = ret_out;                                                                               \
                                                                                                                       \
		(void)attempt, (void)ret_rejected;                                                                     \
		for (size_t i = 0; i < n; i++) {                                                                       \
			const double u = (double)(int32_t)(words[i] & (mask)) * (step);                                \
			const float x = (float)fma(u, scale, shift);                                                   \
                                                                                                                       \
			/* A number below `most` cannot round past it: it is a value of the dtype. */                  \
			out[i] = round(x < most ? x : most);                                                           \
		}                                                                                                      \
		return 0;                                                                                              \
	}

UNIFORM16(uniform_bf16, 0xFFu, 0x1p-8, bf16_of)
UNIFORM16(uniform_f16, 0x7FFu, 0x1p-11, f16_of)

/* Scales float32 normals, and rounds to float32 and then to 16 bits. */
#define NORMAL16(name, round)                                                                                          \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		const double scale = k->scale, shift = k->shift;                                                       \
		const float *normals = inputs[0];                                                                      \
		uint16_t *out = ret_out;                                                                               \
                                                                                                                       \
		(void)attempt, (void)ret_rejected;                                                                     \
		for (size_t i = 0; i < n; i++)                                                                         \
			out[i] = round((float)fma(normals[i], scale, shift));                                          \
		return 0;                                                                                              \
	}

NORMAL16(normal_bf16, bf16_of)
NORMAL16(normal_f16, f16_of)

/* Does the same with normals whose radius has 64 bits, made of two words each; n is at most DIST_BLOCK_REJECTING. */
#define NORMAL64_16(name, rounded)                                                                                     \
	static size_t name(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,     \
			   void *ret_out, uint16_t *ret_rejected)                                                      \
	{                                                                                                              \
		float normals[DIST_BLOCK_REJECTING];                                                                   \
		const void *const of_normals[] = {normals};                                                            \
                                                                                                                       \
		radius64_f32(k, inputs, attempt, n, normals, ret_rejected);                                            \
		return rounded(k, of_normals, attempt, n, ret_out, ret_rejected);                                      \
	}

NORMAL64_16(normal64_bf16, normal_bf16)
NORMAL64_16(normal64_f16, normal_f16)
