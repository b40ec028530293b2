/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32-10 and -7 on vectors, written once over base/simd/simd.h.
 *
 * The instruction that multiplies 32 bits to 64 reads the low half of each 64-bit lane, so the state stays in 64-bit
 * lanes whose high halves hold anything. A block of U32_LANES groups is two halves of U32_LANES / 2 lanes. Within a
 * batch only the partition differs, so two products of the first two rounds are computed once for each batch. */
#include "base/checked.h"
#include "base/simd/simd.h"
#include "rng/kernel.h"
#include "rng/philox.h"
#include "rng/philox_constants.h"

enum { BLOCKS = 2, MOST_ROUNDS = 10 };

struct constants {
	uint32_t keys[MOST_ROUNDS][2];
	/* The counter's word 3: the stream. */
	uint32_t stream;
	/* Word 0 of the counter, for partition 0. */
	uint32_t first;
	/* Terms of x2 in round 0 and of x0 and x2 in round 1; x3 after round 1. */
	uint32_t join0_2, join1_0, join1_2, x3;
};

static void set_key_constants(const struct rng_span *span, struct constants *ret)
{
	ret->stream = span->key[2];
	for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
		ret->keys[round][0] = span->key[0] + round * PHILOX_W0;
		ret->keys[round][1] = span->key[1] + round * PHILOX_W1;
	}
}

static void set_batch_constants(const struct rng_span *span, uint64_t batch, struct constants *ret)
{
	const uint64_t product1 = (uint64_t)PHILOX_M1 * (uint32_t)(batch >> 32);
	const uint32_t x0 = (uint32_t)(product1 >> 32) ^ (uint32_t)batch ^ ret->keys[0][0];
	const uint64_t product0 = (uint64_t)PHILOX_M0 * x0;

	ret->first = STREAM_PARTITIONS * span->draw;
	ret->join0_2 = span->key[2] ^ ret->keys[0][1];
	ret->join1_0 = (uint32_t)product1 ^ ret->keys[1][0];
	ret->join1_2 = (uint32_t)(product0 >> 32) ^ ret->keys[1][1];
	ret->x3 = (uint32_t)product0;
}

/* Returns an order of partitions such that interleaving words within 128 bits gives stream order: 64-bit lane 2 i has
 * partition i, lane 2 i + 1 has partition U32_LANES / 4 + i. */
static inline u32v lane_order(void)
{
	uint32_t order[U32_LANES] = {0};

	for (uint32_t i = 0; i < U32_LANES / 4; i++) {
		order[4 * i] = i;
		order[4 * i + 2] = U32_LANES / 4 + i;
	}
	return u32_load(order);
}

/* Loads the counters of U32_LANES / 2 picked places in that order, without word 3. */
static inline void load_counters(const struct rng_place picked[U32_LANES / 2], u32v ret[3])
{
	uint32_t words[3][U32_LANES] = {{0}};

	for (uint32_t i = 0; i < U32_LANES / 2; i++) {
		const struct rng_place *place = &picked[i % 2 * (U32_LANES / 4) + i / 2];

		words[0][2 * i] = (uint32_t)(place->group % STREAM_PARTITIONS) + STREAM_PARTITIONS * place->draw;
		words[1][2 * i] = (uint32_t)(place->group / STREAM_PARTITIONS);
		words[2][2 * i] = (uint32_t)(place->group / STREAM_PARTITIONS >> 32);
	}
	for (unsigned i = 0; i < 3; i++)
		ret[i] = u32_load(words[i]);
}

/* Begin n halves of blocks: groups from `partition` on after two rounds, or picked places before the first. */
static inline __attribute__((always_inline)) void begin_batch(const struct constants *constants, unsigned n,
							      uint32_t partition, u32v y[][4])
{
	const u32v m0 = u32_set(PHILOX_M0), m1 = u32_set(PHILOX_M1);
	const u32v order = u32_add(lane_order(), u32_set(constants->first + partition));

	for (unsigned k = 0; k < n; k++) {
		const u32v product0 = u64_mul32(m0, u32_add(order, u32_set(k * (U32_LANES / 2))));
		const u32v x2 = u32_xor(u32_from_odd(product0), u32_set(constants->join0_2));

		y[k][1] = u64_mul32(m1, x2);
		y[k][0] = u32_xor(u32_from_odd(y[k][1]), u32_set(constants->join1_0));
		y[k][2] = u32_xor(product0, u32_set(constants->join1_2));
		y[k][3] = u32_set(constants->x3);
	}
}

static inline __attribute__((always_inline)) void begin_picked(const struct constants *constants, unsigned n,
							       const struct rng_place *picked, u32v y[][4])
{
	for (unsigned k = 0; k < n; k++) {
		load_counters(picked + k * (U32_LANES / 2), y[k]);
		y[k][3] = u32_set(constants->stream);
	}
}

/* Evaluates n_blocks times U32_LANES groups: those from `partition` on, or the picked ones unless picked is NULL. The
 * words come back in x in stream order. n_blocks and rounds are constants. */
static inline __attribute__((always_inline)) void evaluate_blocks(const struct constants *constants, unsigned rounds,
								  unsigned n_blocks, uint32_t partition,
								  const struct rng_place *picked, u32v x[][4])
{
	const u32v m0 = u32_set(PHILOX_M0), m1 = u32_set(PHILOX_M1), low_half = u64_set(0xFFFFFFFF);
	const unsigned n = 2 * n_blocks;
	u32v y[2 * BLOCKS][4];

	if (picked)
		begin_picked(constants, n, picked, y);
	else
		begin_batch(constants, n, partition, y);
#pragma GCC unroll 16
	for (unsigned round = picked ? 0 : 2; round < rounds - 1; round++) {
		const u32v k0 = u32_set(constants->keys[round][0]), k1 = u32_set(constants->keys[round][1]);

		for (unsigned k = 0; k < n; k++) {
			const u32v product0 = u64_mul32(m0, y[k][0]), product1 = u64_mul32(m1, y[k][2]);

			y[k][0] = u32_xor3(u32_from_odd(product1), y[k][1], k0);
			y[k][1] = product1;
			y[k][2] = u32_xor3(u32_from_odd(product0), y[k][3], k1);
			y[k][3] = product0;
		}
	}
	const u32v k0 = u32_set(constants->keys[rounds - 1][0]), k1 = u32_set(constants->keys[rounds - 1][1]);

	/* The last round leaves (x0, x1) and (x2, x3) in the halves of a lane. */
	for (unsigned k = 0; k < n; k++) {
		const u32v product0 = u64_mul32(m0, y[k][0]), product1 = u64_mul32(m1, y[k][2]);
		const u32v x01 = u32_xor_and(u64_swap32(product1), u32_xor(y[k][1], k0), low_half);
		const u32v x23 = u32_xor_and(u64_swap32(product0), u32_xor(y[k][3], k1), low_half);

		x[k / 2][k % 2 * 2] = u64_unpack_low(x01, x23);
		x[k / 2][k % 2 * 2 + 1] = u64_unpack_high(x01, x23);
	}
}

#include "rng/fill_simd.h"

VECTOR_KERNEL(philox, 10);
VECTOR_KERNEL(philox7, 7);
