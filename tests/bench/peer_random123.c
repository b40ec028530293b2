/* SPDX-License-Identifier: Apache-2.0 */
/* Random123's Threefry4x32-20 and Philox4x32-10 in a simple loop, and Box-Muller over them in blocks, so that the
 * compiler can vectorise it with libmvec. Compiled by each compiler with -O3 -march=native -ffast-math, as the
 * table PEER names. */
#include <Random123/philox.h>
#include <Random123/threefry.h>
#include <math.h>

#include "bench/peer_random123.h"

enum { BLOCK = 1024 };

static void threefry_uniform(float *out, size_t n)
{
	const threefry4x32_key_t key = {{1, 2, 3, 4}};

	for (size_t i = 0; i < n / 4; i++) {
		const threefry4x32_ctr_t counter = {{(uint32_t)i, (uint32_t)(i >> 32), 0, 0}};
		const threefry4x32_ctr_t words = threefry4x32(counter, key);

		for (int w = 0; w < 4; w++)
			out[4 * i + w] = (float)(int)(words.v[w] & 0xFFFFFF) * 0x1p-24f;
	}
}

static void philox_uniform(float *out, size_t n)
{
	const philox4x32_key_t key = {{1, 2}};

	for (size_t i = 0; i < n / 4; i++) {
		const philox4x32_ctr_t counter = {{(uint32_t)i, (uint32_t)(i >> 32), 3, 0}};
		const philox4x32_ctr_t words = philox4x32(counter, key);

		for (int w = 0; w < 4; w++)
			out[4 * i + w] = (float)(int)(words.v[w] & 0xFFFFFF) * 0x1p-24f;
	}
}

/* The first half of a block becomes radii, the second angles; three loops, since one that has both sine and cosine of
 * an angle asks for sincosf, which libmvec does not have for vectors. */
static void box_muller(const float *uniforms, float *out)
{
	float radii[BLOCK / 2], angles[BLOCK / 2];

	for (int i = 0; i < BLOCK / 2; i++) {
		radii[i] = sqrtf(-2 * logf(uniforms[i] + 0x1p-25f));
		angles[i] = 6.2831853f * uniforms[BLOCK / 2 + i];
	}
	for (int i = 0; i < BLOCK / 2; i++)
		out[i] = radii[i] * cosf(angles[i]);
	for (int i = 0; i < BLOCK / 2; i++)
		out[BLOCK / 2 + i] = radii[i] * sinf(angles[i]);
}

static void threefry_normal(float *out, size_t n)
{
	float block[BLOCK];

	for (size_t i = 0; i < n; i += BLOCK) {
		threefry_uniform(block, BLOCK);
		box_muller(block, out + i);
	}
}

static void philox_normal(float *out, size_t n)
{
	float block[BLOCK];

	for (size_t i = 0; i < n; i += BLOCK) {
		philox_uniform(block, BLOCK);
		box_muller(block, out + i);
	}
}

const struct peer_random123 PEER = {threefry_uniform, philox_uniform, threefry_normal, philox_normal};
