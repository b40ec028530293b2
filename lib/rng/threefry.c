/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry in plain C, the reference, and the tables of variants. */
#include "rng/threefry.h"

#include "base/kernel_table.h"
#include "rng/threefry_rounds.h"

void threefry4x32(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4])
{
	threefry_rounds_4x32(counter, key, rounds, ALL_PAIRS, ret_words);
}

void threefry4x32_trn(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4])
{
	threefry_rounds_4x32(counter, key, rounds, TRN_PAIRS, ret_words);
}

void threefry2x32(const uint32_t counter[2], const uint32_t key[2], unsigned rounds, uint32_t ret_words[2])
{
	threefry_rounds_2x32(counter, key, rounds, ret_words);
}

void threefry4x64(const uint64_t counter[4], const uint64_t key[4], unsigned rounds, uint64_t ret_words[4])
{
	threefry_rounds_4x64(counter, key, rounds, ret_words);
}

/* ---- for fill_scalar.h ---- */

static inline unsigned groups_of(enum threefry_kind kind)
{
	(void)kind;
	return 1;
}

static inline void choose_key(const struct rng_span *span, uint64_t i, enum threefry_kind kind, uint32_t key[4])
{
	(void)span, (void)i, (void)kind, (void)key;
}

/* The four words of group span->group + i. */
static inline __attribute__((always_inline)) void group_words(const struct rng_span *span, uint64_t i,
							      enum threefry_kind kind, uint32_t ret_words[4])
{
	const unsigned rounds = kind == THREEFRY_13_ROUNDS ? 13 : 20;
	uint32_t counter[4];

	rng_counter(span, i, counter);
	threefry_rounds_4x32(counter, span->key, rounds, kind == THREEFRY_TRN ? TRN_PAIRS : ALL_PAIRS, ret_words);
}

#include "rng/fill_scalar.h"

SCALAR_KERNEL(threefry, THREEFRY_20_ROUNDS);
SCALAR_KERNEL(threefry13, THREEFRY_13_ROUNDS);
SCALAR_KERNEL(threefry_trn, THREEFRY_TRN);

KERNEL_TABLE(struct rng_kernel, threefry, KERNEL_ROWS(threefry))
KERNEL_TABLE(struct rng_kernel, threefry13, KERNEL_ROWS(threefry13))
KERNEL_TABLE(struct rng_kernel, threefry_trn, KERNEL_ROWS(threefry_trn))
