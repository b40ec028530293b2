/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32-10 on vectors, written once over base/simd.h; included after the file has chosen its vectors.
 *
 * The product of 32-bit numbers wants 64-bit lanes, whose upper halves it ignores: so a vector of groups is two halves,
 * the even and the odd groups, whose words live in the lower halves while the upper ones hold what may be there. Within
 * a batch only word 0 of the counter varies: rounds 0 and 1 shrink to what depends on it. */
#include "base/checked.h"
#include "base/simd.h"
#include "rng/kernel.h"
#include "rng/philox.h"
#include "rng/philox_constants.h"
#include "rng/stream.h"

enum { ROUNDS = 10 };

struct constants {
	/* Added to the partition: the draw number above it. */
	uint32_t base;
	/* What round 0 joins to word 2, and round 1 to words 0 and 2; word 3 after round 1. */
	uint32_t join0, join1, join2, word3;
	uint32_t keys[ROUNDS][2];
};

static void constants_of_key(const struct rng_span *span, struct constants *ret)
{
	for (uint32_t round = 0; round < ROUNDS; round++) {
		ret->keys[round][0] = span->key[0] + round * PHILOX_W0;
		ret->keys[round][1] = span->key[1] + round * PHILOX_W1;
	}
	ret->base = STREAM_PARTITIONS * span->draw;
	ret->join0 = span->key[2] ^ ret->keys[0][1];
}

static void constants_of_batch(const struct rng_span *span, uint64_t batch, struct constants *ret)
{
	const uint64_t p1 = (uint64_t)PHILOX_M1 * (uint32_t)(batch >> 32);
	const uint64_t p0 = (uint64_t)PHILOX_M0 * ((uint32_t)(p1 >> 32) ^ (uint32_t)batch ^ span->key[0]);

	ret->join1 = (uint32_t)p1 ^ ret->keys[1][0];
	ret->join2 = (uint32_t)(p0 >> 32) ^ ret->keys[1][1];
	ret->word3 = (uint32_t)p0;
}

/* n_halves (a constant) halves; word 0 of the counter in x[h][0]. */
static inline __attribute__((always_inline)) void halves_evaluate(const struct constants *constants, unsigned n_halves,
								  u32v x[][4])
{
	const u32v m0 = u32_set(PHILOX_M0), m1 = u32_set(PHILOX_M1);

	for (unsigned h = 0; h < n_halves; h++) {
		const u32v p0 = u64_mul32(x[h][0], m0);
		const u32v x2 = u32_xor(u32_from_odd(p0), u32_set(constants->join0));

		x[h][1] = u64_mul32(x2, m1);
		x[h][0] = u32_xor(u32_from_odd(x[h][1]), u32_set(constants->join1));
		x[h][2] = u32_xor(p0, u32_set(constants->join2));
		x[h][3] = u32_set(constants->word3);
	}
#pragma GCC unroll 8
	for (unsigned round = 2; round < ROUNDS; round++) {
		const u32v k0 = u32_set(constants->keys[round][0]), k1 = u32_set(constants->keys[round][1]);

		for (unsigned h = 0; h < n_halves; h++) {
			const u32v p0 = u64_mul32(x[h][0], m0), p1 = u64_mul32(x[h][2], m1);

			x[h][0] = u32_xor3(u32_from_odd(p1), x[h][1], k0);
			x[h][1] = p1;
			x[h][2] = u32_xor3(u32_from_odd(p0), x[h][3], k1);
			x[h][3] = p0;
		}
	}
}

/* n_blocks (a constant) times U32_LANES groups, block k from the partitions in x[k][0]; the words come back in x. */
static inline __attribute__((always_inline)) void blocks_evaluate(const struct constants *constants, unsigned n_blocks,
								  u32v x[][4])
{
	u32v halves[2 * BLOCKS][4];

	for (unsigned k = 0; k < n_blocks; k++) {
		halves[2 * k][0] = u32_add(x[k][0], u32_set(constants->base));
		halves[2 * k + 1][0] = u32_from_odd(halves[2 * k][0]);
	}
	halves_evaluate(constants, 2 * n_blocks, halves);
	for (unsigned k = 0; k < n_blocks; k++)
		for (unsigned i = 0; i < 4; i++)
			x[k][i] = u32_join(halves[2 * k][i], halves[2 * k + 1][i]);
}

#define GENERATOR philox
#include "rng/fill_body.h"
