/* SPDX-License-Identifier: Apache-2.0 */
/* Philox2x32-10 on vectors, written once over base/simd/simd.h.
 *
 * As philox_simd.c: the state stays in 64-bit lanes whose high halves hold anything. An evaluation is one such lane, so the
 * words of neighbouring lanes are in stream order, and a block of U32_LANES groups is four vectors. */
#include "base/checked.h"
#include "base/simd/simd.h"
#include "rng/kernel.h"
#include "rng/philox2x32.h"
#include "rng/philox_constants.h"
#include "rng/threefry2x32.h"

#define WORD_BITS (2 * 32)

enum { BLOCKS = 2, ROUNDS = 10, LANES = U32_LANES / 2 };

struct constants {
	uint32_t stream_key[4];
	uint32_t key;
	uint64_t span; /* of RNG_KEY_GROUPS groups, whose key this is */
	/* The counter of partition 0. */
	uint32_t first, batch;
};

static inline uint32_t choose_key(const struct constants *constants, uint64_t group)
{
	uint32_t key[2];

	threefry2x32_key(constants->stream_key, group, key);
	return key[0];
}

static inline void set_key_constants(const struct rng_span *span, struct constants *ret)
{
	for (unsigned i = 0; i < 4; i++)
		ret->stream_key[i] = span->key[i];
	ret->key = choose_key(ret, span->group);
	ret->span = span->group / RNG_KEY_GROUPS;
}

static inline void set_batch_constants(const struct rng_span *span, uint64_t batch, struct constants *ret)
{
	const uint64_t group = batch * STREAM_PARTITIONS / 2;

	if (group / RNG_KEY_GROUPS != ret->span) {
		ret->key = choose_key(ret, group);
		ret->span = group / RNG_KEY_GROUPS;
	}
	ret->first = STREAM_PARTITIONS * span->draw;
	ret->batch = (uint32_t)batch;
}

/* Begins with the evaluations from `partition` on. */
static inline __attribute__((always_inline)) void begin_batch(const struct constants *constants, unsigned n, uint32_t partition,
							      u32v y[][2], u32v keys[])
{
	uint32_t order[U32_LANES];

	for (uint32_t i = 0; i < U32_LANES; i++)
		order[i] = i / 2;
	for (unsigned k = 0; k < n; k++) {
		y[k][0] = u32_add(u32_load(order), u32_set(constants->first + partition + k * LANES));
		y[k][1] = u32_set(constants->batch);
		keys[k] = u32_set(constants->key);
	}
}

/* Begins with picked places, each lane with the key of its group. */
static inline __attribute__((always_inline)) void begin_picked(const struct constants *constants, unsigned n,
							       const struct rng_place *picked, u32v y[][2], u32v keys[])
{
	uint32_t words[3][U32_LANES] = {{0}}, key = constants->key;
	uint64_t span = constants->span;

	for (unsigned k = 0; k < n; k++, picked += LANES / 2) {
		for (uint32_t i = 0; i < LANES; i++) {
			const struct rng_place *place = &picked[i / 2];

			if (place->group / RNG_KEY_GROUPS != span) {
				span = place->group / RNG_KEY_GROUPS;
				key = choose_key(constants, place->group);
			}
			words[0][2 * i] = (uint32_t)(place->group % (STREAM_PARTITIONS / 2)) * 2 + i % 2 + STREAM_PARTITIONS * place->draw;
			words[1][2 * i] = (uint32_t)(place->group / (STREAM_PARTITIONS / 2));
			words[2][2 * i] = key;
		}
		y[k][0] = u32_load(words[0]);
		y[k][1] = u32_load(words[1]);
		keys[k] = u32_load(words[2]);
	}
}

/* Evaluates n_blocks times U32_LANES groups: those from group `first` of a batch on, or the picked ones unless picked is NULL.
 * The words come back in x in stream order. n_blocks and rounds are constants. */
static inline __attribute__((always_inline)) void evaluate_blocks(const struct constants *constants, unsigned rounds,
								  unsigned n_blocks, uint32_t first,
								  const struct rng_place *picked, u32v x[][4])
{
	const u32v m = u32_set(PHILOX2_M), low_half = u64_set(0xFFFFFFFF);
	const unsigned n = 4 * n_blocks;
	u32v y[4 * BLOCKS][2], keys[4 * BLOCKS];

	if (picked)
		begin_picked(constants, n, picked, y, keys);
	else
		begin_batch(constants, n, 2 * first, y, keys);
#pragma GCC unroll 16
	for (uint32_t round = 0; round < rounds - 1; round++)
		for (unsigned k = 0; k < n; k++) {
			const u32v product = u64_mul32(m, y[k][0]);
			const u32v key = picked ? u32_add(keys[k], u32_set(round * PHILOX_W0)) : u32_set(constants->key + round * PHILOX_W0);

			y[k][0] = u32_xor3(u32_from_odd(product), y[k][1], key);
			y[k][1] = product;
		}
	/* The last round leaves both words in the halves of a lane. */
	for (unsigned k = 0; k < n; k++) {
		const u32v key = u32_add(keys[k], u32_set((rounds - 1) * PHILOX_W0));

		x[k / 4][k % 4] = u32_xor_and(u64_swap32(u64_mul32(m, y[k][0])), u32_xor(y[k][1], key), low_half);
	}
}

#include "rng/fill_simd.h"

VECTOR_KERNEL(philox2x32, ROUNDS);
