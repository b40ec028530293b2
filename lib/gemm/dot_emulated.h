/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of VDPBF16PS by two fused multiply-adds, with denormals as zero (FTZ and DAZ) in the control register.
 *
 * The odd product is added first; denormal inputs and results are zero; tininess is detected after rounding. It agreed
 * with the instruction of an Intel CPU in 1.9e8 cases with all exponents, products near 2^-126 included. */
#include <immintrin.h>

typedef u32v pairs;

static inline pairs pairs_load(const uint32_t *at) { return u32_load(at); }
static inline pairs pairs_set(uint32_t a) { return u32_set(a); }

static inline f32v dot(pairs a, pairs b, f32v sum)
{
	const pairs high = u32_set(0xFFFF0000);

	sum = f32_fma(f32_of_bits(u32_and(a, high)), f32_of_bits(u32_and(b, high)), sum);
	return f32_fma(f32_of_bits(U32_SHL(a, 16)), f32_of_bits(U32_SHL(b, 16)), sum);
}

#include "gemm/dot_body.h"

enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };

static void dot_flushed(const struct gemm_tile *t)
{
	const unsigned control = _mm_getcsr();

	_mm_setcsr(control | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
	dot_any(t);
	_mm_setcsr(control);
}

static void short_flushed(const struct gemm_tile *t)
{
	const unsigned control = _mm_getcsr();

	_mm_setcsr(control | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
	short_any(t);
	_mm_setcsr(control);
}
