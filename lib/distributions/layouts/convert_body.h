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

/* Writes n words of Philox4x32-10 from word `first` on, n at most PIECE: counters count groups of four in their low 64 bits. */
static void philox_words(uint64_t key, uint64_t high, uint64_t first, size_t n, uint32_t *ret_words)
{
	const size_t skip = first % 4, groups = (skip + n + 3) / 4;
	rows4 x;

	for (size_t i = 0; i < groups; i++) {
		x[0][i] = (uint32_t)(first / 4 + i);
		x[1][i] = (uint32_t)((first / 4 + i) >> 32);
		x[2][i] = (uint32_t)high;
		x[3][i] = (uint32_t)(high >> 32);
	}
	philox_blocks(key, groups, x);
	for (size_t i = 0; i < n; i++)
		ret_words[i] = x[(skip + i) % 4][(skip + i) / 4];
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
