/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x32 in plain C, the reference, and the table of its variants. */
#include "rng/threefry.h"

#include "base/cpu.h"
#include "rng/stream.h"
#include "rng/threefry_variants.h"

/* Skein's key schedule parity, for 32-bit words. */
#define PARITY 0x1BD11BDAu

static const uint8_t rotations[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5}, {6, 20}, {17, 11}, {25, 10}, {18, 20}};

static void mix(uint32_t *a, uint32_t *b, unsigned bits)
{
	*a += *b;
	*b = (*b << bits | *b >> (32 - bits)) ^ *a;
}

void threefry4x32(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4])
{
	const uint32_t schedule[5] = {key[0], key[1], key[2], key[3], PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
	uint32_t x[4];

	for (unsigned i = 0; i < 4; i++)
		x[i] = counter[i] + key[i];
	for (unsigned round = 0; round < rounds; round++) {
		const unsigned partner = round % 2 ? 3 : 1;

		mix(&x[0], &x[partner], rotations[round % 8][0]);
		mix(&x[2], &x[4 - partner], rotations[round % 8][1]);
		if (round % 4 == 3) {
			const unsigned s = round / 4 + 1;

			for (unsigned i = 0; i < 4; i++)
				x[i] += schedule[(s + i) % 5];
			x[3] += s;
		}
	}
	for (unsigned i = 0; i < 4; i++)
		ret_words[i] = x[i];
}

static void group_words(const struct threefry_span *span, uint64_t i, uint32_t ret_words[4])
{
	const uint64_t group = span->group + i, batch = group / STREAM_PARTITIONS;
	const uint32_t counter[4] = {(uint32_t)(group % STREAM_PARTITIONS), (uint32_t)batch, (uint32_t)(batch >> 32),
				     span->draw};

	threefry4x32(counter, span->key, 20, ret_words);
}

void threefry_bits_scalar(const struct threefry_span *span, size_t n_groups, uint32_t *ret_words)
{
	for (size_t i = 0; i < n_groups; i++)
		group_words(span, i, ret_words + 4 * i);
}

void threefry_uniform_f32_scalar(const struct threefry_span *span, size_t n_groups, float *ret_uniforms)
{
	for (size_t i = 0; i < n_groups; i++) {
		uint32_t words[4];

		group_words(span, i, words);
		for (unsigned w = 0; w < 4; w++)
			ret_uniforms[4 * i + w] = (float)(words[w] & 0xFFFFFF) * 0x1p-24f;
	}
}

void threefry_uniform_f64_scalar(const struct threefry_span *span, size_t n_groups, double *ret_uniforms)
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

static const struct threefry_kernel kernels[] = {
	THREEFRY_ROW(scalar, 0),
};

const struct threefry_kernel *threefry_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct threefry_kernel *threefry_select(uint32_t features)
{
	const struct threefry_kernel *kernel = kernels;

	while (kernel->needs & ~features)
		kernel++;
	return kernel;
}
