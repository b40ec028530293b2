/* SPDX-License-Identifier: Apache-2.0 */
/* What the vector kernels of 4x64 bits share: counters into lanes of 64 bits, and words back into stream order.
 *
 * F64_LANES evaluations are four vectors, one for each word, and a block of U32_LANES groups. Of a picked group the evaluation
 * has two, so a block of them takes two such evaluations. */
#ifndef TRNSCI_RNG_EVALUATIONS_4X64_H
#define TRNSCI_RNG_EVALUATIONS_4X64_H

#include "base/simd/simd_u64.h"
#include "rng/kernel.h"

#define WORD_BITS (4 * 64)

/* Which evaluation lane i has, so that interleaving words within 128 bits, and then these, gives stream order. */
static inline uint64_t evaluation_of_lane(uint64_t i)
{
	return i % 2 * (F64_LANES / 2) + i / 2;
}

/* Returns the partitions of F64_LANES evaluations from `first` on. */
static inline u64v load_partitions(uint64_t first)
{
	uint64_t lanes[F64_LANES];

	for (uint64_t i = 0; i < F64_LANES; i++)
		lanes[i] = evaluation_of_lane(i);
	return u64_add(u64_load(lanes), u64_set(first));
}

/* Loads the counters of F64_LANES picked places. */
static inline void load_counters(const struct rng_place picked[F64_LANES], u64v ret[4])
{
	uint64_t words[3][F64_LANES];

	for (uint64_t i = 0; i < F64_LANES; i++) {
		const struct rng_place *place = &picked[evaluation_of_lane(i)];

		words[0][i] = place->group / 2 % STREAM_PARTITIONS;
		words[1][i] = place->group / 2 / STREAM_PARTITIONS;
		words[2][i] = place->draw;
	}
	for (unsigned i = 0; i < 3; i++)
		ret[i] = u64_load(words[i]);
	ret[3] = u64_set(0);
}

/* Brings the words of F64_LANES evaluations into stream order. */
static inline __attribute__((always_inline)) void order_words(const u64v y[4], u32v ret[4])
{
	const u32v a = u64_unpack_low(y[0], y[1]), b = u64_unpack_low(y[2], y[3]);
	const u32v c = u64_unpack_high(y[0], y[1]), d = u64_unpack_high(y[2], y[3]);

	ret[0] = u128_zip_low(a, b);
	ret[1] = u128_zip_high(a, b);
	ret[2] = u128_zip_low(c, d);
	ret[3] = u128_zip_high(c, d);
}

/* Brings the picked halves of F64_LANES evaluations into stream order. */
static inline __attribute__((always_inline)) void order_picked(const struct rng_place picked[F64_LANES], const u64v y[4],
							       u32v ret[2])
{
	uint64_t second[F64_LANES];

	for (uint64_t i = 0; i < F64_LANES; i++)
		second[i] = 0 - picked[evaluation_of_lane(i)].group % 2;
	const u64v mask = u64_load(second);
	const u64v low = u32_xor_and(y[0], u64_xor(y[0], y[2]), mask), high = u32_xor_and(y[1], u64_xor(y[1], y[3]), mask);

	ret[0] = u64_unpack_low(low, high);
	ret[1] = u64_unpack_high(low, high);
}

/* Evaluates n_blocks blocks by evaluate(constants, n, y), which replaces n sets of counters by words. */
#define EVALUATE_BLOCKS_4X64(constants, evaluate)                                                                      \
	u64v y[2 * BLOCKS][4];                                                                                         \
                                                                                                                       \
	for (unsigned k = 0; picked && k < 2 * n_blocks; k++)                                                          \
		load_counters(picked + k * F64_LANES, y[k]);                                                           \
	for (unsigned k = 0; !picked && k < n_blocks; k++) {                                                           \
		y[k][0] = load_partitions(first / 2 + k * F64_LANES);                                                  \
		y[k][1] = u64_set((constants)->batch);                                                                 \
		y[k][2] = u64_set((constants)->draw);                                                                  \
		y[k][3] = u64_set(0);                                                                                  \
	}                                                                                                              \
	evaluate(constants, picked ? 2 * n_blocks : n_blocks, y);                                                      \
	for (unsigned k = 0; picked && k < 2 * n_blocks; k++)                                                          \
		order_picked(picked + k * F64_LANES, y[k], &x[k / 2][k % 2 * 2]);                                      \
	for (unsigned k = 0; !picked && k < n_blocks; k++)                                                             \
		order_words(y[k], x[k])

#endif
