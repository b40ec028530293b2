/* SPDX-License-Identifier: Apache-2.0 */
/* bfloat16: the upper half of a float32, with eight bits of significand. VDPBF16PS takes pairs of them. */
#ifndef TRNSCI_GEMM_BF16_H
#define TRNSCI_GEMM_BF16_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bf16_float_bits(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline float bf16_float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Rounds the bits of a float32 to bfloat16, to nearest even, and returns the bits of a float32. Denormals become zero
 * and NaNs quiet, as VCVTNEPS2BF16 does it. It has no branch, so that compilers vectorise it. */
static inline uint32_t bf16_round_bits(uint32_t bits)
{
	uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);

	rounded = (bits & 0x7FFFFFFF) > 0x7F800000 ? bits | 0x00400000 : rounded;
	rounded = (bits & 0x7F800000) == 0 ? bits & 0x80000000 : rounded;
	return rounded & 0xFFFF0000;
}

/* Joins two, given as bits of rounded float32s, in one word: the even one in the lower half. */
static inline uint32_t bf16_pair(uint32_t even, uint32_t odd)
{
	return even >> 16 | (odd & 0xFFFF0000);
}

#endif
