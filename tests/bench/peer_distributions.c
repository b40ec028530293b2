/* SPDX-License-Identifier: Apache-2.0 */
/* Random123's Threefry4x32-20 in a simple loop into a block, and the distribution over the block in loops that the
 * compiler can vectorise with libmvec. Compiled by each compiler with -O3 -march=native -ffast-math, as the table PEER
 * names. */
#include <Random123/threefry.h>
#include <math.h>

#include "bench/peer_distributions.h"

enum { BLOCK = 1024 };

static void words(size_t first, uint32_t *out)
{
	const threefry4x32_key_t key = {{1, 2, 3, 4}};

	for (size_t i = 0; i < BLOCK / 4; i++) {
		const threefry4x32_ctr_t counter = {{(uint32_t)(first / 4 + i), 0, 0, 0}};
		const threefry4x32_ctr_t group = threefry4x32(counter, key);

		for (int w = 0; w < 4; w++)
			out[4 * i + w] = group.v[w];
	}
}

static float uniform(uint32_t word)
{
	return (float)(int)(word & 0xFFFFFF) * 0x1p-24f + 0x1p-25f;
}

#define DISTRIBUTION(name, type)                                                                                       \
	static void name##_block(const uint32_t *w, type *out);                                                        \
	static void name(void *out, size_t n)                                                                          \
	{                                                                                                              \
		uint32_t block[BLOCK];                                                                                 \
                                                                                                                       \
		for (size_t i = 0; i < n; i += BLOCK) {                                                                \
			words(i, block);                                                                               \
			name##_block(block, (type *)out + i);                                                          \
		}                                                                                                      \
	}                                                                                                              \
	static void name##_block(const uint32_t *w, type *out)

DISTRIBUTION(exponential, float)
{
	for (int i = 0; i < BLOCK; i++)
		out[i] = -logf(uniform(w[i]));
}

DISTRIBUTION(lognormal, float)
{
	float radii[BLOCK / 2], angles[BLOCK / 2];

	for (int i = 0; i < BLOCK / 2; i++) {
		radii[i] = sqrtf(-2 * logf(uniform(w[i])));
		angles[i] = 6.2831853f * uniform(w[BLOCK / 2 + i]);
	}
	for (int i = 0; i < BLOCK / 2; i++)
		out[i] = expf(radii[i] * cosf(angles[i]));
	for (int i = 0; i < BLOCK / 2; i++)
		out[BLOCK / 2 + i] = expf(radii[i] * sinf(angles[i]));
}

DISTRIBUTION(laplace, float)
{
	for (int i = 0; i < BLOCK; i++) {
		const float x = -logf((float)(int)(w[i] >> 8 & 0x7FFFFF) * 0x1p-23f + 0x1p-24f);

		out[i] = w[i] >> 31 ? -x : x;
	}
}

DISTRIBUTION(bernoulli, signed char)
{
	for (int i = 0; i < BLOCK; i++)
		out[i] = w[i] < 1288490189u;
}

DISTRIBUTION(randint, int)
{
	for (int i = 0; i < BLOCK; i++)
		out[i] = (int)((uint64_t)w[i] * 1005 >> 32) - 5;
}

const struct peer_distributions PEER = {exponential, lognormal, laplace, bernoulli, randint};
