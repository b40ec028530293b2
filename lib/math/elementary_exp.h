/* SPDX-License-Identifier: Apache-2.0 */
/* exp and expm1 on vectors; no libm.
 *
 * x = n ln 2 + r, |r| <= ln 2 / 2, the first product exact enough by fma with ln 2 in two parts; e^r by its Taylor
 * series (f64 to r^13, remainder 2^-57; f32 to r^7, remainder 2^-27). The power of two is applied in two factors, so
 * results pass into the denormals (rounded once more there) and past the end to infinity.
 * Errors (check_elementary): exp 1 ulp in both widths, expm1 1.8 ulp. */
#ifndef TRNSCI_MATH_ELEMENTARY_EXP_H
#define TRNSCI_MATH_ELEMENTARY_EXP_H

#include "base/simd/simd_bits.h"

/* Returns 2^n, for an integer n in [-1022, 1023] (f32: [-126, 127]) to which 1.5 2^52 (f32: 1.5 2^23) has been added: n is then in the low
 * bits of the fraction. */
static inline f64v exp2_of_shifted_f64(f64v shifted)
{
	return f64_of_bits(U64_SHL(u64_add(f64_bits(shifted), u64_set(1023)), 52));
}

static inline f32v exp2_of_shifted_f32(f32v shifted)
{
	return f32_of_bits(U32_SHL(u32_add(f32_bits(shifted), u32_set(127)), 23));
}

/* Returns e^r - 1, where x = n ln 2 + r, and n; |x| <= 2^20. */
static inline f64v exp_reduce_f64(f64v x, f64v *ret_n)
{
	static const double p[] = {0x1p-1,
				   0x1.5555555555555p-3,
				   0x1.5555555555555p-5,
				   0x1.1111111111111p-7,
				   0x1.6c16c16c16c17p-10,
				   0x1.a01a01a01a01ap-13,
				   0x1.a01a01a01a01ap-16,
				   0x1.71de3a556c734p-19,
				   0x1.27e4fb7789f5cp-22,
				   0x1.ae64567f544e4p-26,
				   0x1.1eed8eff8d898p-29,
				   0x1.6124613a86d09p-33};
	const f64v magic = f64_set(0x1.8p52);
	const f64v n = f64_sub(f64_fma(x, f64_set(0x1.71547652b82fep0), magic), magic);
	const f64v r = f64_fma(n, f64_set(-0x1.abc9e3b39803fp-56), f64_fma(n, f64_set(-0x1.62e42fefa39efp-1), x));
	const f64v rr = f64_mul(r, r);
	f64v even = f64_set(p[10]), odd = f64_set(p[11]);

	for (int k = 9; k >= 1; k -= 2) {
		odd = f64_fma(odd, rr, f64_set(p[k]));
		even = f64_fma(even, rr, f64_set(p[k - 1]));
	}
	*ret_n = n;
	return f64_fma(rr, f64_fma(odd, r, even), r);
}

struct exp_parts {
	f64v expm1_r, scale, scale_again; /* e^x = (1 + expm1_r) scale scale_again */
};

static inline struct exp_parts exp_split_f64(f64v x)
{
	const f64v magic = f64_set(0x1.8p52);
	f64v n;
	const f64v expm1_r = exp_reduce_f64(f64_min(f64_max(x, f64_set(-750)), f64_set(710)), &n);
	const f64v first = f64_sub(f64_fma(n, f64_set(0.5), magic), magic);

	return (struct exp_parts){
		expm1_r,
		exp2_of_shifted_f64(f64_add(first, magic)),
		exp2_of_shifted_f64(f64_add(f64_sub(n, first), magic)),
	};
}

/* Returns e^x for any x except NaN. */
static inline f64v exp_f64(f64v x)
{
	const struct exp_parts e = exp_split_f64(x);

	return f64_mul(f64_fma(e.scale, e.expm1_r, e.scale), e.scale_again);
}

/* Returns the same for |x| < 700, where one factor is enough. */
static inline f64v exp_near_f64(f64v x)
{
	f64v n;
	const f64v expm1_r = exp_reduce_f64(x, &n), scale = exp2_of_shifted_f64(f64_add(n, f64_set(0x1.8p52)));

	return f64_fma(scale, expm1_r, scale);
}

/* Returns e^x - 1 for any x except NaN. */
static inline f64v expm1_f64(f64v x)
{
	const struct exp_parts e = exp_split_f64(x);
	/* The product of the two factors is a finite power of two as long as x < 41; beyond, subtracting 1 has no
	 * effect. */
	const f64v scale = f64_mul(e.scale, e.scale_again);
	const f64v small = f64_fma(scale, e.expm1_r, f64_sub(scale, f64_set(1)));
	const f64v large = f64_mul(f64_fma(e.scale, e.expm1_r, e.scale), e.scale_again);

	return f64_pick(f64_less(x, f64_set(41)), large, small);
}

/* Returns e^x for any x except NaN. */
static inline f32v exp_f32(f32v x)
{
	const f32v magic = f32_set(0x1.8p23f);
	const f32v held = f32_min(f32_max(x, f32_set(-104)), f32_set(89));
	const f32v n = f32_sub(f32_fma(held, f32_set(0x1.715476p0f), magic), magic);
	const f32v r = f32_fma(n, f32_set(0x1.05c61p-29f), f32_fma(n, f32_set(-0x1.62e43p-1f), held));
	const f32v first = f32_sub(f32_fma(n, f32_set(0.5f), magic), magic);
	const f32v scale = exp2_of_shifted_f32(f32_add(first, magic));
	f32v p = f32_set(0x1.a01a02p-13f);

	p = f32_fma(p, r, f32_set(0x1.6c16c2p-10f));
	p = f32_fma(p, r, f32_set(0x1.111112p-7f));
	p = f32_fma(p, r, f32_set(0x1.555556p-5f));
	p = f32_fma(p, r, f32_set(0x1.555556p-3f));
	p = f32_fma(p, r, f32_set(0.5f));
	p = f32_fma(f32_mul(r, r), p, r);
	return f32_mul(f32_fma(scale, p, scale), exp2_of_shifted_f32(f32_add(f32_sub(n, first), magic)));
}

#endif
