/* SPDX-License-Identifier: Apache-2.0 */
/* bfloat16: the upper half of a float32, eight bits of significand; and pairs of them, as VDPBF16PS takes them. */
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

/* The bits of a float32 rounded to bfloat16, to nearest even, as a float32's; denormals become zero, NaNs quiet: what
 * VCVTNEPS2BF16 does. Without a branch, for vectors. */
static inline uint32_t bf16_round_bits(uint32_t bits)
{
	uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);

	rounded = (bits & 0x7FFFFFFF) > 0x7F800000 ? bits | 0x00400000 : rounded;
	rounded = (bits & 0x7F800000) == 0 ? bits & 0x80000000 : rounded;
	return rounded & 0xFFFF0000;
}

/* Two of them in one word, the even one in the lower half; from bits of rounded float32s. */
static inline uint32_t bf16_pair(uint32_t even, uint32_t odd)
{
	return even >> 16 | (odd & 0xFFFF0000);
}

#endif
