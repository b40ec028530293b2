/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar kernels of a generator, the reference. The includer defines group_words(span, i, kind, ret_words), which
 * evaluates group span->group + i. `kind` is a constant: the number of rounds, or what else the includer defines. */
#include "rng/kernel.h"

/* These are the members of struct rng_kernel (kernel.h), as plain as they can be: the tests compare all variants with
 * them. */
static inline __attribute__((always_inline)) void fill_bits(const struct rng_span *span, size_t n_groups, unsigned kind,
							    uint32_t *ret_words)
{
	for (size_t i = 0; i < n_groups; i++)
		group_words(span, i, kind, ret_words + 4 * i);
}

static inline __attribute__((always_inline)) void fill_f32(const struct rng_span *span, size_t n_groups, unsigned kind,
							   float *ret_uniforms)
{
	for (size_t i = 0; i < n_groups; i++) {
		uint32_t words[4];

		group_words(span, i, kind, words);
		for (unsigned w = 0; w < 4; w++)
			ret_uniforms[4 * i + w] = (float)(words[w] & 0xFFFFFF) * 0x1p-24f;
	}
}

static inline __attribute__((always_inline)) void fill_f64(const struct rng_span *span, size_t n_groups, unsigned kind,
							   double *ret_uniforms)
{
	for (size_t i = 0; i < n_groups; i++) {
		uint32_t words[4];

		group_words(span, i, kind, words);
		for (unsigned w = 0; w < 2; w++) {
			const uint64_t x = words[2 * w] | (uint64_t)words[2 * w + 1] << 32;

			ret_uniforms[2 * i + w] = (double)(x >> 11) * 0x1p-53;
		}
	}
}

static inline __attribute__((always_inline)) void fill_scattered(const uint32_t key[4], const struct rng_place places[],
								 size_t n, unsigned kind, uint32_t *ret_words)
{
	for (size_t i = 0; i < n; i++) {
		const struct rng_span span = {{key[0], key[1], key[2], key[3]}, places[i].group, places[i].draw};

		group_words(&span, 0, kind, ret_words + 4 * i);
	}
}

/* Defines the kernel name_scalar of that kind. */
#define SCALAR_KERNEL(name, kind)                                                                                      \
	static void name##_bits(const struct rng_span *span, size_t n_groups, uint32_t *ret_words)                     \
	{                                                                                                              \
		fill_bits(span, n_groups, kind, ret_words);                                                            \
	}                                                                                                              \
	static void name##_f32(const struct rng_span *span, size_t n_groups, float *ret_uniforms)                      \
	{                                                                                                              \
		fill_f32(span, n_groups, kind, ret_uniforms);                                                          \
	}                                                                                                              \
	static void name##_f64(const struct rng_span *span, size_t n_groups, double *ret_uniforms)                     \
	{                                                                                                              \
		fill_f64(span, n_groups, kind, ret_uniforms);                                                          \
	}                                                                                                              \
	static void name##_scatter(const uint32_t key[4], const struct rng_place places[], size_t n,                   \
				   uint32_t *ret_words)                                                                \
	{                                                                                                              \
		fill_scattered(key, places, n, kind, ret_words);                                                       \
	}                                                                                                              \
	const struct rng_kernel name##_scalar = {"scalar", 0, name##_bits, name##_f32, name##_f64, name##_scatter}
