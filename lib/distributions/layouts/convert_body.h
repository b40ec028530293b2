/* SPDX-License-Identifier: Apache-2.0 */
/* What layouts share: blocks of Philox for any counters, and Box and Muller's method in float64.
 *
 * Loops are plain C, which the compiler vectorises for each variant. A piece is at most PIECE elements. */
#include <math.h>
#include <string.h>

#include "base/simd/simd.h"
#include "distributions/layouts/layout.h"
#include "distributions/rows/dist_plan.h"
#include "math/elementary_log.h"
#include "math/elementary_turn.h"
#include "math/half.h"
#include "rng/philox_constants.h"

#define INLINE static inline __attribute__((always_inline))

enum { PIECE = 256 };

#define IN_TURNS 0x1.45f306dc9c883p-3 /* 1 / (2 pi) */

/* Row w is word w of the counters, then of the blocks, of up to PIECE blocks. */
typedef uint32_t rows4[4][PIECE];

#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
/* Vectors of 64-bit lanes that are made at a time, each with blocks in the low halves; the high ones hold anything. */
enum { PHILOX_VECTORS = 4, PHILOX_BLOCKS = PHILOX_VECTORS / 2 * U32_LANES };

INLINE void philox_vectors(uint64_t key, u32v y[PHILOX_VECTORS][4])
{
	const u32v m0 = u32_set(PHILOX_M0), m1 = u32_set(PHILOX_M1);
	uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);

#pragma GCC unroll 10
	for (unsigned round = 0; round < 10; round++, key0 += PHILOX_W0, key1 += PHILOX_W1) {
		const u32v k0 = u32_set(key0), k1 = u32_set(key1);

		for (unsigned v = 0; v < PHILOX_VECTORS; v++) {
			const u32v product0 = u64_mul32(m0, y[v][0]), product1 = u64_mul32(m1, y[v][2]);

			y[v][0] = u32_xor3(u32_from_odd(product1), y[v][1], k0);
			y[v][1] = product1;
			y[v][2] = u32_xor3(u32_from_odd(product0), y[v][3], k1);
			y[v][3] = product0;
		}
	}
}

/* Replaces n counters by their blocks of Philox4x32-10, and writes what is behind them, too. */
static void philox_blocks(uint64_t key, size_t n, rows4 x)
{
	const u32v low_half = u64_set(0xFFFFFFFF);

	for (size_t i = n; i % PHILOX_BLOCKS != 0; i++)
		x[0][i] = x[1][i] = x[2][i] = x[3][i] = 0;
	for (size_t i = 0; i < n; i += PHILOX_BLOCKS) {
		u32v y[PHILOX_VECTORS][4];

		for (unsigned v = 0; v < PHILOX_VECTORS; v += 2)
			for (unsigned w = 0; w < 4; w++) {
				y[v][w] = u32_load(x[w] + i + v / 2 * U32_LANES);
				y[v + 1][w] = u32_from_odd(y[v][w]);
			}
		philox_vectors(key, y);
		for (unsigned v = 0; v < PHILOX_VECTORS; v += 2)
			for (unsigned w = 0; w < 4; w++)
				u32_store(x[w] + i + v / 2 * U32_LANES,
					  u32_xor(u64_and(y[v][w], low_half), U64_SHL(y[v + 1][w], 32)));
	}
}
#else
/* Replaces counters by their blocks of Philox4x32-10. */
static void philox_blocks(uint64_t key, size_t n, rows4 x)
{
	uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);

	for (unsigned round = 0; round < 10; round++, k0 += PHILOX_W0, k1 += PHILOX_W1)
		for (size_t i = 0; i < n; i++) {
			const uint64_t a = (uint64_t)PHILOX_M0 * x[0][i], b = (uint64_t)PHILOX_M1 * x[2][i];

			x[0][i] = (uint32_t)(b >> 32) ^ x[1][i] ^ k0;
			x[1][i] = (uint32_t)b;
			x[2][i] = (uint32_t)(a >> 32) ^ x[3][i] ^ k1;
			x[3][i] = (uint32_t)a;
		}
}
#endif

/* Writes n words of Philox4x32-10 from word `first` on, n below 4 PIECE - 3: counters count groups of four in their low 64 bits.
 */
static void philox_words(uint64_t key, uint64_t high, uint64_t first, size_t n, uint32_t *ret_words)
{
	const size_t skip = first % 4, groups = (skip + n + 3) / 4;
	uint32_t words[4 * PIECE];
	rows4 x;

	for (size_t i = 0; i < groups; i++) {
		x[0][i] = (uint32_t)(first / 4 + i);
		x[1][i] = (uint32_t)((first / 4 + i) >> 32);
		x[2][i] = (uint32_t)high;
		x[3][i] = (uint32_t)(high >> 32);
	}
	philox_blocks(key, groups, x);
	for (size_t i = 0; i < groups; i++)
		for (unsigned w = 0; w < 4; w++)
			words[4 * i + w] = x[w][i];
	memcpy(ret_words, words + skip, n * sizeof *words);
}

/* Computes r sin(2 pi t) and r cos(2 pi t), r = sqrt(-2 ln u), of n pairs, for u in [2^-1022, 1] and t in [0, 1]. All arrays have
 * PIECE elements; those behind n are read and written, too. Each is within 2 ulp. */
static void box_muller(size_t n, const double *u, const double *t, double *ret_sines, double *ret_cosines)
{
	for (size_t i = 0; i < n; i += F64_LANES) {
		f64v cosines, sines;

		turn_f64(f64_load(t + i), f64_sqrt(minus_two_log_f64(f64_load(u + i))), &cosines, &sines);
		f64_store(ret_sines + i, sines);
		f64_store(ret_cosines + i, cosines);
	}
}
