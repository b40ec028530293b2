/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x64-20 on vectors, written once over base/simd/simd.h. */
#include "base/checked.h"
#include "rng/evaluations_4x64.h"
#include "rng/threefry4x64.h"

#define PARITY UINT64_C(0x1BD11BDAA9FC1A22)

enum { BLOCKS = 4, SUBKEYS = 6 };

struct constants {
	/* What is added before round 4 s. */
	uint64_t subkeys[SUBKEYS][4];
	uint64_t batch, draw;
};

static inline void set_key_constants(const struct rng_span *span, struct constants *ret)
{
	const uint64_t seed = span->key[0] | (uint64_t)span->key[1] << 32, stream = span->key[2] | (uint64_t)span->key[3] << 32;
	const uint64_t schedule[5] = {seed, stream, 0, 0, PARITY ^ seed ^ stream};

	for (unsigned s = 0; s < SUBKEYS; s++)
		for (unsigned i = 0; i < 4; i++)
			ret->subkeys[s][i] = schedule[(s + i) % 5] + (i == 3 ? s : 0);
}

static void set_batch_constants(const struct rng_span *span, uint64_t batch, struct constants *ret)
{
	ret->batch = batch;
	ret->draw = span->draw;
}

#define MIX(a, b, bits)                                                                                                \
	for (unsigned k = 0; k < n; k++) {                                                                             \
		y[k][a] = u64_add(y[k][a], y[k][b]);                                                                   \
		y[k][b] = u64_xor(U64_ROTL(y[k][b], bits), y[k][a]);                                                   \
	}

#define EVEN_ROUND(bits, other) MIX(0, 1, bits) MIX(2, 3, other)
#define ODD_ROUND(bits, other)  MIX(0, 3, bits) MIX(2, 1, other)

#define ADD_SUBKEY(s)                                                                                                  \
	for (unsigned i = 0; i < 4; i++) {                                                                             \
		const u64v subkey = u64_set(constants->subkeys[s][i]);                                                 \
                                                                                                                       \
		for (unsigned k = 0; k < n; k++)                                                                       \
			y[k][i] = u64_add(y[k][i], subkey);                                                            \
	}

#define FIRST_HALF_OF_EIGHT  EVEN_ROUND(14, 16) ODD_ROUND(52, 57) EVEN_ROUND(23, 40) ODD_ROUND(5, 37)
#define SECOND_HALF_OF_EIGHT EVEN_ROUND(25, 33) ODD_ROUND(46, 12) EVEN_ROUND(58, 22) ODD_ROUND(32, 32)

/* Replaces n sets of counters by words. */
static inline __attribute__((always_inline)) void evaluate(const struct constants *constants, unsigned n, u64v y[][4])
{
	/* clang-format off */
	ADD_SUBKEY(0)
	FIRST_HALF_OF_EIGHT ADD_SUBKEY(1) SECOND_HALF_OF_EIGHT ADD_SUBKEY(2)
	FIRST_HALF_OF_EIGHT ADD_SUBKEY(3) SECOND_HALF_OF_EIGHT ADD_SUBKEY(4)
	FIRST_HALF_OF_EIGHT ADD_SUBKEY(5)
	/* clang-format on */
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

VECTOR_KERNEL(threefry4x64, 20);
