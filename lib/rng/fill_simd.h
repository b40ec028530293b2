/* SPDX-License-Identifier: Apache-2.0 */
/* The vector kernels of a generator. The includer defines
 *   evaluate_blocks(constants, kind, n_blocks, first, picked, x)
 *                  evaluates blocks of U32_LANES groups, each to four vectors in stream order; those from group `first` of a
 *                  batch on, which begins an evaluation
 *   set_key_constants(span, constants), set_batch_constants(span, batch, constants)
 *                  compute what depends on the key, and on the batch, only
 *   kind           is a constant: the number of rounds, or what else the includer defines
 *   BLOCKS         blocks that are evaluated side by side, so that one hides the latency of another
 *   WORD_BITS      of an evaluation, unless they are 4 x 32: 2 * 32 or 4 * 64.
 * Places that are picked need no constants of a batch. This file chooses which groups to evaluate, and converts and
 * stores the words. */
#include <string.h>

#ifndef WORD_BITS
#define WORD_BITS (4 * 32)
#endif

enum {
	GROUP_BYTES = STREAM_GROUP_WORDS * sizeof(uint32_t),
	BATCH_GROUPS = STREAM_PARTITIONS * WORD_BITS / (8 * GROUP_BYTES),
};

enum output { OUTPUT_BITS, OUTPUT_F32, OUTPUT_F64 };

static inline __attribute__((always_inline)) void store_output(enum output output, char *at, u32v words)
{
	if (output == OUTPUT_BITS)
		u32_store(at, words);
	else if (output == OUTPUT_F32)
		f32_store((float *)at, f32_over_2_24(f32_from_i32(u32_and(words, u32_set(0xFFFFFF)))));
	else
		f64_store((double *)at, f64_over_2_53(f64_from_u53(u64_srl11(words))));
}

static inline __attribute__((always_inline)) void store_block(enum output output, char *at, const u32v x[4])
{
	for (unsigned i = 0; i < 4; i++)
		store_output(output, at + i * sizeof(u32v), x[i]);
}

/* Where the next words of a batch go. */
struct place {
	uint32_t group; /* of the batch */
	size_t n_groups; /* that are left */
	char *at;
};

/* Fills while n_blocks whole blocks are left. */
static inline __attribute__((always_inline)) void fill_blocks(enum output output, const struct constants *constants,
							      unsigned kind, unsigned n_blocks, struct place *place)
{
	u32v x[BLOCKS][4];

	for (; place->n_groups >= n_blocks * U32_LANES; place->n_groups -= n_blocks * U32_LANES) {
		evaluate_blocks(constants, kind, n_blocks, place->group, NULL, x);
		place->group += n_blocks * U32_LANES;
		for (unsigned k = 0; k < n_blocks; k++, place->at += sizeof x[k])
			store_block(output, place->at, x[k]);
	}
}

/* Fills the second group of an evaluation that has two. */
static inline __attribute__((always_inline)) void fill_second(enum output output, const struct constants *constants,
							      unsigned kind, struct place *place)
{
	char block[4 * sizeof(u32v)] __attribute__((aligned(64)));
	u32v x[1][4];

	evaluate_blocks(constants, kind, 1, place->group - 1, NULL, x);
	store_block(output, block, x[0]);
	memcpy(place->at, block + GROUP_BYTES, GROUP_BYTES);
	place->group++;
	place->n_groups--;
	place->at += GROUP_BYTES;
}

/* Fills `at` with groups [group, group + n_groups) of one batch. */
static inline __attribute__((always_inline)) void fill_batch(enum output output, const struct constants *constants,
							     unsigned kind, uint32_t group, size_t n_groups, char *at)
{
	struct place place = {group, n_groups, at};
	char block[4 * sizeof(u32v)] __attribute__((aligned(64)));
	u32v x[1][4];

	if (WORD_BITS == 4 * 64 && group % 2)
		fill_second(output, constants, kind, &place);
	fill_blocks(output, constants, kind, BLOCKS, &place);
	if (BLOCKS > 4)
		fill_blocks(output, constants, kind, 4, &place);
	if (BLOCKS > 1)
		fill_blocks(output, constants, kind, 1, &place);
	if (place.n_groups == 0)
		return;
	evaluate_blocks(constants, kind, 1, place.group, NULL, x);
	store_block(output, block, x[0]);
	memcpy(place.at, block, place.n_groups * GROUP_BYTES);
}

static inline __attribute__((always_inline)) void fill_span(enum output output, const struct rng_span *span,
							    unsigned kind, size_t n_groups, char *at)
{
	struct constants constants;
	uint64_t group = span->group;

	set_key_constants(span, &constants);
	while (n_groups > 0) {
		const uint32_t first = (uint32_t)(group % BATCH_GROUPS);
		const size_t n = size_min(n_groups, BATCH_GROUPS - first);

		set_batch_constants(span, group / BATCH_GROUPS, &constants);
		fill_batch(output, &constants, kind, first, n, at);
		group += n;
		n_groups -= n;
		at += n * GROUP_BYTES;
	}
}

/* Evaluates n_blocks blocks of places. */
static inline __attribute__((always_inline)) void scatter_blocks(const struct constants *constants, unsigned kind,
								 unsigned n_blocks, const struct rng_place *places, char *at)
{
	u32v x[2][4];

	if (!places)
		__builtin_unreachable(); /* else the compiler keeps the way without places, too */
	evaluate_blocks(constants, kind, n_blocks, 0, places, x);
	for (unsigned k = 0; k < n_blocks; k++)
		store_block(OUTPUT_BITS, at + k * sizeof x[k], x[k]);
}

/* Evaluates whole blocks, the last of them padded with copies of the first place. */
static inline __attribute__((always_inline)) void scatter_places(const uint32_t key[4], const struct rng_place places[],
								 unsigned kind, size_t n_groups, uint32_t *ret_words)
{
	enum { AT_ONCE = 2 * U32_LANES }; /* two blocks hide their latencies, and calls are for few groups */
	const struct rng_span span = {.key = {key[0], key[1], key[2], key[3]}};
	struct constants constants;
	struct rng_place last[AT_ONCE];
	char block[AT_ONCE * GROUP_BYTES] __attribute__((aligned(64))), *at = (char *)ret_words;

	set_key_constants(&span, &constants);
	for (; n_groups >= AT_ONCE; n_groups -= AT_ONCE, places += AT_ONCE, at += AT_ONCE * GROUP_BYTES)
		scatter_blocks(&constants, kind, 2, places, at);
	if (n_groups == 0)
		return;
	for (size_t i = 0; i < AT_ONCE; i++)
		last[i] = places[i < n_groups ? i : 0];
	if (n_groups > U32_LANES)
		scatter_blocks(&constants, kind, 2, last, block);
	else
		scatter_blocks(&constants, kind, 1, last, block);
	memcpy(at, block, n_groups * GROUP_BYTES);
}

/* Defines the kernel `variant`, whose functions begin with `name`, of that kind. */
#define VECTOR_KERNEL_AS(variant, text, needs, name, kind)                                                             \
	static void name##_bits(const struct rng_span *span, size_t n_groups, uint32_t *ret_words)                     \
	{                                                                                                              \
		fill_span(OUTPUT_BITS, span, kind, n_groups, (char *)ret_words);                                       \
	}                                                                                                              \
	static void name##_f32(const struct rng_span *span, size_t n_groups, float *ret_uniforms)                      \
	{                                                                                                              \
		fill_span(OUTPUT_F32, span, kind, n_groups, (char *)ret_uniforms);                                     \
	}                                                                                                              \
	static void name##_f64(const struct rng_span *span, size_t n_groups, double *ret_uniforms)                     \
	{                                                                                                              \
		fill_span(OUTPUT_F64, span, kind, n_groups, (char *)ret_uniforms);                                     \
	}                                                                                                              \
	static void name##_scatter(const uint32_t key[4], const struct rng_place places[], size_t n,                   \
				   uint32_t *ret_words)                                                                \
	{                                                                                                              \
		scatter_places(key, places, kind, n, ret_words);                                                       \
	}                                                                                                              \
	const struct rng_kernel variant = {text, needs, name##_bits, name##_f32, name##_f64, name##_scatter}

/* Defines the kernel `name` of this instruction set, of that kind. */
#define VECTOR_KERNEL(name, kind) VECTOR_KERNEL_AS(SIMD_SUFFIX(name), SIMD_NAME, SIMD_NEEDS, name, kind)
