/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 16 bits, to float32 and from it. */
#ifndef TRNSCI_MATH_HALF_H
#define TRNSCI_MATH_HALF_H

#include <stdint.h>
#include <string.h>

static inline __attribute__((always_inline)) float float_of_bits(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline __attribute__((always_inline)) uint32_t bits_of_float(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

/* Rounds to the nearest, ties to even; not for NaN. */
static inline __attribute__((always_inline)) uint16_t bf16_of(float x)
{
	const uint32_t bits = bits_of_float(x);

	return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static inline __attribute__((always_inline)) float bf16_widen(uint16_t half)
{
	return float_of_bits((uint32_t)half << 16);
}

/* Rounds to the nearest, ties to even; not for NaN. Below 2^-14, adding 1/2 rounds to the step of denormals. */
static inline __attribute__((always_inline)) uint16_t f16_of(float x)
{
	const uint32_t bits = bits_of_float(x), size = bits & 0x7FFFFFFF, sign = bits >> 16 & 0x8000;
	const uint32_t normal = (size + 0xC8000FFFu + (size >> 13 & 1)) >> 13;
	const uint32_t small = bits_of_float(float_of_bits(size) + 0.5f) - 0x3F000000u;
	const uint32_t half = size >= 0x47800000 ? 0x7C00 : size < 0x38800000 ? small : normal;

	return (uint16_t)(sign | half);
}

static inline __attribute__((always_inline)) float f16_widen(uint16_t half)
{
	const uint32_t size = half & 0x7FFF;
	/* Denormals are multiples of 2^-24. */
	const float x = size < 0x400 ? (float)size * 0x1p-24f : float_of_bits((size << 13) + 0x38000000u);

	return half & 0x8000 ? -x : x;
}

#endif
