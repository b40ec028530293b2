/* SPDX-License-Identifier: Apache-2.0 */
/* Sine and cosine on vectors; no libm.
 *
 * Polynomials (tests/math/box_muller_minimax.py) for sin(y pi / 2) and cos(y pi / 2), |y| <= 1/2. Their leading terms
 * are added last, so that small angles keep their relative precision. Angles are fractions of a turn, reduced exactly.
 * Errors (check_elementary): 0.8 ulp. */
#ifndef TRNSCI_MATH_ELEMENTARY_TURN_H
#define TRNSCI_MATH_ELEMENTARY_TURN_H

#include "base/simd/simd_bits.h"

/* Computes sin(y pi / 2) and cos(y pi / 2), |y| <= 1/2. */
static inline void sincos_quarter_f64(f64v y, f64v *ret_sin, f64v *ret_cos)
{
	static const double s[] = {
		0x1.0264be08c52ep-54,  -0x1.4abbce625be41p-1,  0x1.466bc6775878p-4,   -0x1.32d2cce2dcd9cp-8,
		0x1.50782fd205a93p-13, -0x1.e3006b90824fap-19, 0x1.e3f1e380e46c2p-25,
	};
	static const double c[] = {
		-0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5a52p-2,  -0x1.55d3c7e3bfe55p-6,  0x1.e1f50675b1d7ap-11,
		-0x1.a6d1e238afffp-16, 0x1.f9c4ad81beb96p-22, -0x1.b03447dd802dep-28,
	};
	const f64v yy = f64_mul(y, y);
	f64v p = f64_set(s[6]), q = f64_set(c[6]);

	for (int i = 5; i >= 0; i--) {
		p = f64_fma(p, yy, f64_set(s[i]));
		q = f64_fma(q, yy, f64_set(c[i]));
	}
	*ret_sin = f64_fma(y, f64_set(0x1.921fb54442d18p0), f64_mul(y, p));
	*ret_cos = f64_fma(q, yy, f64_set(1));
}

/* Computes r cos(2 pi u) and r sin(2 pi u), u in [0, 1). */
static inline void turn_f32(f32v u, f32v r, f32v *ret_cos, f32v *ret_sin)
{
	static const float s[] = {-0x1.a32b9ap-25f, -0x1.4abbbap-1f, 0x1.465eeap-4f, -0x1.2da156p-8f};
	static const float c[] = {-0x1.3bd3ccp+0f, 0x1.03c1bp-2f, -0x1.55b2b6p-6f, 0x1.d4f7eep-11f};
	const f32v magic = f32_set(0x1.8p23f), shifted = f32_fma(u, f32_set(4), magic);
	const f32v y = f32_fma(u, f32_set(4), f32_sub(magic, shifted)), yy = f32_mul(y, y);
	const u32v k = f32_bits(shifted), sin_sign = U32_SHL(k, 30), cos_sign = u32_add(sin_sign, u32_set(1u << 30));
	f32v p = f32_set(s[3]), q = f32_set(c[3]);

	for (int i = 2; i >= 0; i--) {
		p = f32_fma(p, yy, f32_set(s[i]));
		q = f32_fma(q, yy, f32_set(c[i]));
	}
	p = f32_fma(y, f32_set(0x1.921fb6p0f), f32_mul(y, p));
	q = f32_fma(q, yy, f32_set(1));
	*ret_cos = f32_mul(r, f32_flip(f32_select(k, q, p), cos_sign));
	*ret_sin = f32_mul(r, f32_flip(f32_select(k, p, q), sin_sign));
}

/* Computes r cos(2 pi u) and r sin(2 pi u), u in [0, 1). */
static inline void turn_f64(f64v u, f64v r, f64v *ret_cos, f64v *ret_sin)
{
	const f64v twice = f64_add(u, u), quarters = f64_add(twice, twice), magic = f64_set(0x1.8p52);
	const f64v shifted = f64_add(quarters, magic), y = f64_add(quarters, f64_sub(magic, shifted));
	const u64v k = f64_bits(shifted), sin_sign = U64_SHL(k, 62), cos_sign = u64_add(sin_sign, u64_set(1ull << 62));
	f64v p, q;

	sincos_quarter_f64(y, &p, &q);
	*ret_cos = f64_mul(r, f64_flip(f64_select(k, q, p), cos_sign));
	*ret_sin = f64_mul(r, f64_flip(f64_select(k, p, q), sin_sign));
}

#endif
