/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x64-10 on vectors, written once over base/simd/simd.h.
 *
 * The product of 128 bits is made of four of 64: no instruction multiplies more. */
#include "base/checked.h"
#include "rng/evaluations_4x64.h"
#include "rng/philox4x64.h"
#include "rng/philox_constants.h"

enum { BLOCKS = 4, ROUNDS = 10 };

struct constants {
	uint64_t keys[ROUNDS][2];
	uint64_t batch, draw;
};

static inline void set_key_constants(const struct rng_span *span, struct constants *ret)
{
	const uint64_t seed = span->key[0] | (uint64_t)span->key[1] << 32, stream = span->key[2] | (uint64_t)span->key[3] << 32;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		ret->keys[round][0] = seed + round * PHILOX64_W0;
		ret->keys[round][1] = stream + round * PHILOX64_W1;
	}
}

static void set_batch_constants(const struct rng_span *span, uint64_t batch, struct constants *ret)
{
	ret->batch = batch;
	ret->draw = span->draw;
}

/* Multiplies by m. No sum overflows: a product of 32 bits leaves room for two more numbers of 32 bits. */
static inline __attribute__((always_inline)) void multiply(u64v x, uint64_t m, u64v *ret_low, u64v *ret_high)
{
	const u64v low_half = u64_set(0xFFFFFFFF), m_low = u64_set(m), m_high = u64_set(m >> 32), x_high = U64_SHR(x, 32);
	const u64v low = u64_mul32(x, m_low), cross = u64_mul32(x, m_high);
	const u64v middle = u64_add(u64_mul32(x_high, m_low), U64_SHR(low, 32));
	const u64v carry = u64_add(cross, u64_and(middle, low_half));

	*ret_high = u64_add(u64_add(u64_mul32(x_high, m_high), U64_SHR(middle, 32)), U64_SHR(carry, 32));
	*ret_low = u64_join_low(low, carry);
}

/* Replaces n sets of counters by words. */
static inline __attribute__((always_inline)) void evaluate(const struct constants *constants, unsigned n, u64v y[][4])
{
#pragma GCC unroll 10
	for (unsigned round = 0; round < ROUNDS; round++) {
		const u64v k0 = u64_set(constants->keys[round][0]), k1 = u64_set(constants->keys[round][1]);

		for (unsigned k = 0; k < n; k++) {
			u64v low0, high0, low1, high1;

			multiply(y[k][0], PHILOX64_M0, &low0, &high0);
			multiply(y[k][2], PHILOX64_M1, &low1, &high1);
			y[k][0] = u32_xor3(high1, y[k][1], k0);
			y[k][1] = low1;
			y[k][2] = u32_xor3(high0, y[k][3], k1);
			y[k][3] = low0;
		}
	}
}

/* Evaluates n_blocks times U32_LANES groups: those from group `first` of a batch on, or the picked ones unless picked is NULL.
 * The words come back in x in stream order. n_blocks is a constant. */
static inline __attribute__((always_inline)) void evaluate_blocks(const struct constants *constants, unsigned rounds,
								  unsigned n_blocks, uint32_t first,
								  const struct rng_place *picked, u32v x[][4])
{
	(void)rounds;
	EVALUATE_BLOCKS_4X64(constants, evaluate);
}

#include "rng/fill_simd.h"

VECTOR_KERNEL(philox4x64, ROUNDS);
