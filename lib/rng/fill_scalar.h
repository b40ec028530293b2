/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar kernels of a generator, the reference. The includer defines
 *   group_words(span, i, kind, ret_words)
 *               evaluates group span->group + i, or the two groups of the evaluation that it belongs to
 *   groups_of(kind)
 *               returns how many groups an evaluation returns: 1 or 2
 *   choose_key(span, i, kind, key)
 *               replaces the stream's key where that of group span->group + i is another one
 *   kind        is a constant: the number of rounds, or what else the includer defines. */
#include <string.h>

#include "rng/kernel.h"

enum scalar_output { SCALAR_BITS, SCALAR_F32, SCALAR_F64 };

/* Converts one group. Its output takes 16 bytes, whatever it is. */
static inline __attribute__((always_inline)) void store_group(enum scalar_output output, const uint32_t words[4], char *at)
{
	if (output == SCALAR_BITS)
		memcpy(at, words, 16);
	for (unsigned w = 0; w < 4 && output == SCALAR_F32; w++)
		((float *)at)[w] = (float)(words[w] & 0xFFFFFF) * 0x1p-24f;
	for (unsigned w = 0; w < 4 && output == SCALAR_F64; w += 2)
		((double *)at)[w / 2] = (double)((words[w] | (uint64_t)words[w + 1] << 32) >> 11) * 0x1p-53;
}

/* The members of struct rng_kernel (kernel.h), as plain as they can be: the tests compare all variants with them. */
static inline __attribute__((always_inline)) void fill_groups(enum scalar_output output, const struct rng_span *span,
							      size_t n_groups, unsigned kind, char *at)
{
	struct rng_span keyed = *span;
	uint32_t words[8];

	for (size_t i = 0; i < n_groups;) {
		const unsigned begin = (unsigned)((span->group + i) % groups_of(kind));

		if (i == 0 || (span->group + i) % RNG_KEY_GROUPS == 0)
			choose_key(span, i, kind, keyed.key);
		if (output == SCALAR_BITS && begin == 0 && n_groups - i >= groups_of(kind)) {
			group_words(&keyed, i, kind, (uint32_t *)(at + 16 * i));
			i += groups_of(kind);
			continue;
		}
		group_words(&keyed, i, kind, words);
		for (unsigned g = begin; g < groups_of(kind) && i < n_groups; g++, i++)
			store_group(output, words + 4 * g, at + 16 * i);
	}
}

static inline __attribute__((always_inline)) void fill_scattered(const uint32_t key[4], const struct rng_place places[],
								 size_t n, unsigned kind, uint32_t *ret_words)
{
	for (size_t i = 0; i < n; i++) {
		const struct rng_span span = {{key[0], key[1], key[2], key[3]}, places[i].group, places[i].draw};

		fill_groups(SCALAR_BITS, &span, 1, kind, (char *)(ret_words + 4 * i));
	}
}

/* Defines the kernel name_scalar of that kind. */
#define SCALAR_KERNEL(name, kind)                                                                                      \
	static void name##_bits(const struct rng_span *span, size_t n_groups, uint32_t *ret_words)                     \
	{                                                                                                              \
		fill_groups(SCALAR_BITS, span, n_groups, kind, (char *)ret_words);                                     \
	}                                                                                                              \
	static void name##_f32(const struct rng_span *span, size_t n_groups, float *ret_uniforms)                      \
	{                                                                                                              \
		fill_groups(SCALAR_F32, span, n_groups, kind, (char *)ret_uniforms);                                   \
	}                                                                                                              \
	static void name##_f64(const struct rng_span *span, size_t n_groups, double *ret_uniforms)                     \
	{                                                                                                              \
		fill_groups(SCALAR_F64, span, n_groups, kind, (char *)ret_uniforms);                                   \
	}                                                                                                              \
	static void name##_scatter(const uint32_t key[4], const struct rng_place places[], size_t n,                   \
				   uint32_t *ret_words)                                                                \
	{                                                                                                              \
		fill_scattered(key, places, n, kind, ret_words);                                                       \
	}                                                                                                              \
	const struct rng_kernel name##_scalar = {"scalar", 0, name##_bits, name##_f32, name##_f64, name##_scatter}
