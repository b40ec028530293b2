/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x32-20 and -13, and Trainium's, on vectors, written once over base/simd/simd.h.
 *
 * Vector i holds word i of U32_LANES groups. Within a batch only the partition differs from group to group. What the
 * first two rounds compute without it is computed once for each batch, in plain integers (struct constants). */
#include <assert.h>
#include <stddef.h>

#include "base/checked.h"
#include "base/simd/simd_bits.h"
#include "rng/kernel.h"
#include "rng/threefry.h"

#define PARITY 0x1BD11BDAu

struct constants {
	uint32_t key[4];
	/* x0 in round 0 and in round 1, without the partition. */
	uint32_t first, second;
	/* Terms of x1, x2 and x3 from rounds 0 and 1. */
	uint32_t join1, join2, join3;
	/* The subkeys that are added after rounds 4, 8, 12, 16 and 20. */
	uint32_t subkeys[5][4];
};

static inline uint32_t rotate_left(uint32_t x, unsigned bits)
{
	return x << bits | x >> (32 - bits);
}

static inline void set_key_constants(const struct rng_span *span, struct constants *ret)
{
	const uint32_t *key = span->key;
	const uint32_t schedule[5] = {key[0], key[1], key[2], key[3], PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3]};

	for (unsigned i = 0; i < 4; i++)
		ret->key[i] = key[i];
	for (unsigned s = 1; s <= 5; s++)
		for (unsigned i = 0; i < 4; i++)
			ret->subkeys[s - 1][i] = schedule[(s + i) % 5] + (i == 3 ? s : 0);
}

static void set_batch_constants(const struct rng_span *span, uint64_t batch, struct constants *ret)
{
	const uint32_t x1 = (uint32_t)batch + span->key[1];
	const uint32_t x2 = (uint32_t)(batch >> 32) + span->key[2];
	const uint32_t x3 = span->draw + span->key[3];
	const uint32_t y2 = x2 + x3, y3 = rotate_left(x3, 26) ^ y2;

	ret->first = span->key[0] + x1;
	ret->second = ret->first + y3;
	ret->join1 = rotate_left(x1, 10);
	ret->join2 = y2;
	ret->join3 = rotate_left(y3, 11);
}

/* One of the two mixing steps of a round, for every block. */
#define MIX(a, b, bits)                                                                                                \
	for (unsigned k = 0; k < n_blocks; k++) {                                                                      \
		x[k][a] = u32_add(x[k][a], x[k][b]);                                                                   \
		x[k][b] = u32_xor(U32_ROTL(x[k][b], bits), x[k][a]);                                                   \
	}

#define EVEN_ROUND(bits, other) MIX(0, 1, bits) MIX(2, 3, other)
#define ODD_ROUND(bits, other)  MIX(0, 3, bits) MIX(2, 1, other)

#define ADD_SUBKEY(s)                                                                                                  \
	for (unsigned i = 0; i < 4; i++) {                                                                             \
		const u32v subkey = u32_set(constants->subkeys[s][i]);                                                 \
                                                                                                                       \
		for (unsigned k = 0; k < n_blocks; k++)                                                                \
			x[k][i] = u32_add(x[k][i], subkey);                                                            \
	}

#define FIRST_HALF_OF_EIGHT EVEN_ROUND(10, 26) ODD_ROUND(11, 21) EVEN_ROUND(13, 27) ODD_ROUND(23, 5)
/* Trainium's rounds begin the rotations anew here. */
#define SECOND_HALF_OF_EIGHT                                                                                           \
	if (kind == THREEFRY_TRN) {                                                                                    \
		FIRST_HALF_OF_EIGHT                                                                                    \
	} else {                                                                                                       \
		EVEN_ROUND(6, 20) ODD_ROUND(17, 11) EVEN_ROUND(25, 10) ODD_ROUND(18, 20)                               \
	}

/* Returns the order of partitions that unpack_groups turns into stream order. Its two stages of interleaving within
 * 128-bit lanes move element 4 j + i to lane j of vector i, so with n such lanes that element gets partition i n + j.
 */
static inline u32v partition_order(void)
{
	uint32_t order[U32_LANES];

	for (uint32_t element = 0; element < U32_LANES; element++)
		order[element] = element % 4 * (U32_LANES / 4) + element / 4;
	return u32_load(order);
}

/* Transposes word i of every group in vector i to whole groups. */
static inline __attribute__((always_inline)) void unpack_groups(u32v x[4])
{
	const u32v low01 = u32_unpack_low(x[0], x[1]), high01 = u32_unpack_high(x[0], x[1]);
	const u32v low23 = u32_unpack_low(x[2], x[3]), high23 = u32_unpack_high(x[2], x[3]);

	x[0] = u64_unpack_low(low01, low23);
	x[1] = u64_unpack_high(low01, low23);
	x[2] = u64_unpack_low(high01, high23);
	x[3] = u64_unpack_high(high01, high23);
}

/* Loads the counters of picked places in the order of partition_order: a place is a group of four words in memory, and what
 * unpack_groups does undoes itself. */
static inline __attribute__((always_inline)) void load_counters(const struct rng_place picked[U32_LANES], u32v ret[4])
{
	static_assert(sizeof *picked == 16 && offsetof(struct rng_place, draw) == 8, "loaded as four words");
	static_assert(STREAM_PARTITIONS == 128, "7 bits are the partition");
	u32v low, high;

	for (unsigned i = 0; i < 4; i++)
		ret[i] = u32_load((const char *)picked + i * sizeof(u32v));
	unpack_groups(ret);
	low = ret[0], high = ret[1];
	ret[3] = ret[2];
	ret[0] = u32_and(low, u32_set(STREAM_PARTITIONS - 1));
	ret[1] = u32_or(U32_SHR(low, 7), U32_SHL(high, 25));
	ret[2] = U32_SHR(high, 7);
}

/* Begins with groups from `partition` on, with what the first two rounds have in common in a batch. */
static inline __attribute__((always_inline)) void begin_batch(const struct constants *constants, unsigned n_blocks,
							      uint32_t partition, u32v x[][4])
{
	const u32v order = u32_add(partition_order(), u32_set(partition));
	const u32v first = u32_set(constants->first), second = u32_set(constants->second);
	const u32v join1 = u32_set(constants->join1), join2 = u32_set(constants->join2);
	const u32v join3 = u32_set(constants->join3);

	for (unsigned k = 0; k < n_blocks; k++) {
		x[k][0] = u32_add(order, u32_set(k * U32_LANES));
		x[k][1] = u32_xor(u32_add(x[k][0], first), join1);
		x[k][0] = u32_add(x[k][0], second);
		x[k][3] = u32_xor(x[k][0], join3);
		x[k][2] = u32_add(x[k][1], join2);
		x[k][1] = u32_xor(U32_ROTL(x[k][1], 21), x[k][2]);
	}
}

/* Begins with picked places: the first two rounds. */
static inline __attribute__((always_inline)) void begin_picked(const struct constants *constants, unsigned n_blocks,
							       const struct rng_place *picked, u32v x[][4])
{
	for (unsigned k = 0; k < n_blocks; k++) {
		load_counters(picked + k * U32_LANES, x[k]);
		for (unsigned i = 0; i < 4; i++)
			x[k][i] = u32_add(x[k][i], u32_set(constants->key[i]));
	}
	/* clang-format off */
	EVEN_ROUND(10, 26) ODD_ROUND(11, 21)
	/* clang-format on */
}

/* Evaluates n_blocks times U32_LANES groups: those from `partition` on, or the picked ones unless picked is NULL. The
 * words come back in x in stream order. kind and n_blocks are constants. */
static inline __attribute__((always_inline)) void evaluate_blocks(const struct constants *constants,
								  enum threefry_kind kind, unsigned n_blocks,
								  uint32_t partition, const struct rng_place *picked,
								  u32v x[][4])
{
	if (picked)
		begin_picked(constants, n_blocks, picked, x);
	else
		begin_batch(constants, n_blocks, partition, x);
	/* clang-format off */
	EVEN_ROUND(13, 27) ODD_ROUND(23, 5) ADD_SUBKEY(0)
	SECOND_HALF_OF_EIGHT ADD_SUBKEY(1)
	FIRST_HALF_OF_EIGHT ADD_SUBKEY(2)
	if (kind == THREEFRY_13_ROUNDS) {
		EVEN_ROUND(6, 20)
	} else {
		SECOND_HALF_OF_EIGHT ADD_SUBKEY(3)
		FIRST_HALF_OF_EIGHT ADD_SUBKEY(4)
	}
	/* clang-format on */
	for (unsigned k = 0; k < n_blocks; k++)
		unpack_groups(x[k]);
}

/* Zen 5 starts four operations of 512 bits in a cycle, and each takes two: eight blocks, a whole batch, hide it. They spill
 * 17 vectors. The registers of narrower vectors hold four blocks. */
#if defined(SIMD_AVX512)
enum { BLOCKS = 8 };
#else
enum { BLOCKS = 4 };
#endif

#include "rng/fill_simd.h"

VECTOR_KERNEL(threefry, THREEFRY_20_ROUNDS);
VECTOR_KERNEL(threefry13, THREEFRY_13_ROUNDS);
VECTOR_KERNEL(threefry_trn, THREEFRY_TRN);
