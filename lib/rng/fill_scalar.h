/* SPDX-License-Identifier: Apache-2.0 */
/* A generator's scalar kernel around its group_words(span, i, ret_words): group i of a span, by the reference. */

static void bits(const struct rng_span *span, size_t n_groups, uint32_t *ret_words)
{
	for (size_t i = 0; i < n_groups; i++)
		group_words(span, i, ret_words + 4 * i);
}

static void uniform_f32(const struct rng_span *span, size_t n_groups, float *ret_uniforms)
{
	for (size_t i = 0; i < n_groups; i++) {
		uint32_t words[4];

		group_words(span, i, words);
		for (unsigned w = 0; w < 4; w++)
			ret_uniforms[4 * i + w] = (float)(words[w] & 0xFFFFFF) * 0x1p-24f;
	}
}

static void uniform_f64(const struct rng_span *span, size_t n_groups, double *ret_uniforms)
{
	for (size_t i = 0; i < n_groups; i++) {
		uint32_t words[4];

		group_words(span, i, words);
		for (unsigned w = 0; w < 2; w++) {
			const uint64_t x = words[2 * w] | (uint64_t)words[2 * w + 1] << 32;

			ret_uniforms[2 * i + w] = (double)(x >> 11) * 0x1p-53;
		}
	}
}
