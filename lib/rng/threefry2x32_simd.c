/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry2x32-20 on vectors, written once over base/simd/simd.h.
 *
 * A block of U32_LANES groups is 2 U32_LANES evaluations: two halves, each of one vector for each word. Within a batch only the
 * partition differs, and the first round's sum is x0 = partition + constant. */
#include "base/checked.h"
#include "base/simd/simd_bits.h"
#include "rng/kernel.h"
#include "rng/threefry2x32.h"

#define PARITY    0x1BD11BDAu
#define WORD_BITS (2 * 32)

enum { BLOCKS = 4, SUBKEYS = 6 };

/* What is added to the two words before round 4 s, in every lane. */
struct subkeys {
	u32v at[SUBKEYS][2];
};

struct constants {
	struct subkeys subkeys;
	uint32_t stream_key[4];
	uint32_t key[2];
	uint64_t span; /* of RNG_KEY_GROUPS groups, whose key this is */
	/* x0 in round 0 without the partition; x1 rotated. */
	uint32_t first, join;
};

static inline struct subkeys schedule_key(u32v k0, u32v k1)
{
	const u32v schedule[3] = {k0, k1, u32_xor3(k0, k1, u32_set(PARITY))};
	struct subkeys subkeys;

#pragma GCC unroll 6
	for (uint32_t s = 0; s < SUBKEYS; s++) {
		subkeys.at[s][0] = schedule[s % 3];
		subkeys.at[s][1] = u32_add(schedule[(s + 1) % 3], u32_set(s));
	}
	return subkeys;
}

static inline void choose_key(struct constants *constants, uint64_t group)
{
	threefry2x32_key(constants->stream_key, group, constants->key);
	constants->span = group / RNG_KEY_GROUPS;
	constants->subkeys = schedule_key(u32_set(constants->key[0]), u32_set(constants->key[1]));
}

static inline void set_key_constants(const struct rng_span *span, struct constants *ret)
{
	for (unsigned i = 0; i < 4; i++)
		ret->stream_key[i] = span->key[i];
	choose_key(ret, span->group);
}

static inline void set_batch_constants(const struct rng_span *span, uint64_t batch, struct constants *ret)
{
	const uint64_t group = batch * STREAM_PARTITIONS / 2;

	if (group / RNG_KEY_GROUPS != ret->span)
		choose_key(ret, group);
	const uint32_t x1 = (uint32_t)batch + ret->key[1];

	ret->first = STREAM_PARTITIONS * span->draw + ret->key[0] + x1;
	ret->join = x1 << 13 | x1 >> 19;
}

/* One mix of every half of a block. */
#define MIX(bits)                                                                                                      \
	for (unsigned k = 0; k < n; k++) {                                                                             \
		y[k][0] = u32_add(y[k][0], y[k][1]);                                                                   \
		y[k][1] = u32_xor(U32_ROTL(y[k][1], bits), y[k][0]);                                                   \
	}

#define ADD_SUBKEY(s)                                                                                                  \
	for (unsigned k = 0; k < n; k++)                                                                               \
		for (unsigned i = 0; i < 2; i++)                                                                       \
			y[k][i] = u32_add(y[k][i], subkeys->at[s][i]);

/* Rounds 1 to 19, and the subkeys from the second on. */
#define REST_OF_ROUNDS                                                                                                 \
	MIX(15) MIX(26) MIX(6) ADD_SUBKEY(1) MIX(17) MIX(29) MIX(16) MIX(24) ADD_SUBKEY(2)                             \
	MIX(13) MIX(15) MIX(26) MIX(6) ADD_SUBKEY(3) MIX(17) MIX(29) MIX(16) MIX(24) ADD_SUBKEY(4)                     \
	MIX(13) MIX(15) MIX(26) MIX(6) ADD_SUBKEY(5)

/* Returns which evaluation each lane has, so that interleaving the two words within 128 bits gives stream order. */
static inline u32v lane_order(void)
{
	uint32_t order[U32_LANES];

	for (uint32_t i = 0; i < U32_LANES; i++)
		order[i] = i % 4 / 2 * (U32_LANES / 2) + i / 4 * 2 + i % 2;
	return u32_load(order);
}

static inline __attribute__((always_inline)) void store_words(unsigned n, const u32v y[][2], u32v x[][4])
{
	for (unsigned k = 0; k < n; k++) {
		x[k / 2][k % 2 * 2] = u32_unpack_low(y[k][0], y[k][1]);
		x[k / 2][k % 2 * 2 + 1] = u32_unpack_high(y[k][0], y[k][1]);
	}
}

static inline __attribute__((always_inline)) void evaluate_batch(const struct constants *constants, unsigned n, uint32_t partition,
								 u32v x[][4])
{
	const struct subkeys *subkeys = &constants->subkeys;
	const u32v first = u32_add(lane_order(), u32_set(constants->first + partition)), join = u32_set(constants->join);
	u32v y[2 * BLOCKS][2];

	for (unsigned k = 0; k < n; k++) {
		y[k][0] = u32_add(first, u32_set(k * U32_LANES));
		y[k][1] = u32_xor(join, y[k][0]);
	}
	/* clang-format off */
	REST_OF_ROUNDS
	/* clang-format on */
	store_words(n, y, x);
}

/* Evaluates the U32_LANES / 2 groups of half a block, each lane with the key of its group. */
static inline __attribute__((always_inline)) void evaluate_places(const struct constants *constants,
								  const struct rng_place *picked, u32v ret_words[2])
{
	enum { n = 1 };
	uint32_t words[4][U32_LANES], key[2] = {constants->key[0], constants->key[1]};
	uint64_t span = constants->span;

	for (uint32_t i = 0; i < U32_LANES; i++) {
		const uint32_t evaluation = i % 4 / 2 * (U32_LANES / 2) + i / 4 * 2 + i % 2;
		const struct rng_place *place = &picked[evaluation / 2];

		if (place->group / RNG_KEY_GROUPS != span) {
			span = place->group / RNG_KEY_GROUPS;
			threefry2x32_key(constants->stream_key, place->group, key);
		}
		words[0][i] = (uint32_t)(place->group % (STREAM_PARTITIONS / 2)) * 2 + i % 2 + STREAM_PARTITIONS * place->draw;
		words[1][i] = (uint32_t)(place->group / (STREAM_PARTITIONS / 2));
		words[2][i] = key[0];
		words[3][i] = key[1];
	}
	const struct subkeys of_lanes = schedule_key(u32_load(words[2]), u32_load(words[3])), *subkeys = &of_lanes;
	u32v y[n][2] = {{u32_load(words[0]), u32_load(words[1])}};

	/* clang-format off */
	ADD_SUBKEY(0) MIX(13) REST_OF_ROUNDS
	/* clang-format on */
	ret_words[0] = u32_unpack_low(y[0][0], y[0][1]);
	ret_words[1] = u32_unpack_high(y[0][0], y[0][1]);
}

/* Evaluates n_blocks times U32_LANES groups: those from group `first` of a batch on, or the picked ones unless picked is NULL.
 * The words come back in x in stream order. n_blocks is a constant. */
static inline __attribute__((always_inline)) void evaluate_blocks(const struct constants *constants, unsigned rounds,
								  unsigned n_blocks, uint32_t first,
								  const struct rng_place *picked, u32v x[][4])
{
	(void)rounds;
	for (unsigned k = 0; picked && k < 2 * n_blocks; k++)
		evaluate_places(constants, picked + k * (U32_LANES / 2), &x[k / 2][k % 2 * 2]);
	if (!picked)
		evaluate_batch(constants, 2 * n_blocks, 2 * first, x);
}

#include "rng/fill_simd.h"

VECTOR_KERNEL(threefry2x32, 20);
