/* SPDX-License-Identifier: Apache-2.0 */
/* -ln u and -2 ln u on vectors, for u as a float and for u as a fraction made from an integer word; no libm.
 *
 * u = m 2^e, m in [2/3, 4/3), x = 1 - m exact: -ln u = x + x^2 P(x) - e ln 2; no cancellation as u nears 1. In float32 all
 * of it is twice that, with x = 2 - 2 m: powers of two change no bit.
 * A word read as a signed fraction s in [-1/2, 1/2) represents u = s if s > 0 and u = 1 + s if s < 0. Values near 0 and
 * near 1 keep their relative precision that way, so that neither tail of a distribution becomes coarse.
 * Polynomials by tests/math/box_muller_minimax.py. Errors (check_elementary): of a float 0.9 ulp, of a fraction
 * 2.5 (where 1 + s was rounded), ln(1 + x) 1.5. */
#ifndef TRNSCI_MATH_ELEMENTARY_LOG_H
#define TRNSCI_MATH_ELEMENTARY_LOG_H

#include "base/simd/simd_bits.h"

/* Returns -2 ln(1 - x/2) - 2 e ln 2, |x| <= 2/3, e being given as the integer exponent = e 2^23. */
static inline f32v log_join_f32(f32v x, u32v exponent)
{
	/* Relative error of the polynomial's logarithm 2^-26.6. */
	static const float p[] = {0x1p-2f,        0x1.555502p-4f,  0x1.fffe84p-6f,  0x1.99d1f2p-7f, 0x1.55a758p-8f,
				  0x1.1ebe6cp-9f, 0x1.f25d86p-11f, 0x1.1ed132p-11f, 0x1.09328cp-12f};
	const f32v xx = f32_mul(x, x);
	f32v even = f32_set(p[8]), odd = f32_set(p[7]);

	for (int k = 6; k >= 0; k -= 2) {
		even = f32_fma(even, xx, f32_set(p[k]));
		odd = k > 0 ? f32_fma(odd, xx, f32_set(p[k - 1])) : odd;
	}
	const f32v log_m = f32_fma(xx, f32_fma(odd, x, even), x);

	return f32_fma(f32_from_i32(exponent), f32_set(-0x1.62e43p-23f), log_m);
}

/* Returns -ln(1 - x) - e ln 2, |x| <= 1/3. */
static inline f64v log_join_f64(f64v x, f64v e)
{
	static const double p[] = {
		0x1p-1,
		0x1.5555555555535p-2,
		0x1.ffffffffffedp-3,
		0x1.99999999a0667p-3,
		0x1.55555555682f1p-3,
		0x1.2492492093f25p-3,
		0x1.ffffffef6ea5bp-4,
		0x1.c71c74189d30ap-4,
		0x1.99999d9192761p-4,
		0x1.745cb48b6604ep-4,
		0x1.5554c266992ccp-4,
		0x1.3b1dcf91f4e38p-4,
		0x1.249fcdccf7f67p-4,
		0x1.10686418e5db5p-4,
		0x1.fe62ad095d955p-5,
		0x1.efce4f148a563p-5,
		0x1.d6fde03b1ce71p-5,
		0x1.55dd48b8eb5d6p-5,
		0x1.39c7e8075178ep-5,
		0x1.5c4f7127e2fa8p-4,
		0x1.55f251a9ebcc6p-4,
	};
	const f64v xx = f64_mul(x, x);
	f64v even = f64_set(p[20]), odd = f64_set(p[19]);

	for (int k = 18; k >= 0; k -= 2) {
		even = f64_fma(even, xx, f64_set(p[k]));
		odd = k > 0 ? f64_fma(odd, xx, f64_set(p[k - 1])) : odd;
	}
	/* ln 2 in two parts: one would cost half an ulp. */
	const f64v tail = f64_fma(xx, f64_fma(odd, x, even), f64_mul(e, f64_set(-0x1.abc9e3b39803fp-56)));

	return f64_fma(e, f64_set(-0x1.62e42fefa39efp-1), f64_add(x, tail));
}

/* Returns -2 ln u, u in [2^-126, 2^127). */
static inline f32v minus_two_log_f32(f32v u)
{
	const u32v exponent = u32_and(u32_sub(f32_bits(u), u32_set(0x3F2AAAAB)), u32_set(0xFF800000));
	const f32v m = f32_of_bits(u32_sub(f32_bits(u), exponent));

	return log_join_f32(f32_fma(m, f32_set(-2), f32_set(2)), exponent);
}

/* Returns -ln u, u in [2^-1022, 2^1023). */
static inline f64v minus_log_f64(f64v u)
{
	const u64v above = u64_sub(f64_bits(u), u64_set(0x3FE5555555555555));
	const u64v exponent = u64_and(above, u64_set(0xFFF0000000000000));
	const f64v m = f64_of_bits(u64_sub(f64_bits(u), exponent));

	return log_join_f64(f64_sub(f64_set(1), m), f64_from_i12(exponent));
}

static inline f64v minus_two_log_f64(f64v u)
{
	const f64v log = minus_log_f64(u);

	return f64_add(log, log);
}

static inline f64v log_f64(f64v u)
{
	return f64_neg(minus_log_f64(u));
}

/* Returns ln(1 + x), x > -1 and below 2^1023: the logarithm of the rounded sum, corrected for the rounding. */
static inline f64v log1p_f64(f64v x)
{
	const f64v u = f64_add(f64_set(1), x);
	const f64v left = f64_sub(x, f64_sub(u, f64_set(1)));
	/* From 2^53 on the sum is x itself, and needs no correction. */
	const f64v correction = f64_pick(f64_less(x, f64_set(0x1p53)), f64_set(0), f64_div(left, u));

	return f64_add(log_f64(u), correction);
}

/* Returns -2 ln of the fraction that s represents, s in [-1/2, 1/2] and not 0. For s < 0 that is the logarithm of 1 +
 * s; where the exponent of 1 + s is 0, x = -2 s is taken from s itself, which is exact. */
static inline f32v minus_two_log_signed_f32(f32v s)
{
	const m32v high = f32_less(s, f32_set(0));
	const f32v u = f32_pick(high, s, f32_add(s, f32_set(1)));
	const u32v exponent = u32_and(u32_sub(f32_bits(u), u32_set(0x3F2AAAAB)), u32_set(0xFF800000));
	const f32v m = f32_of_bits(u32_sub(f32_bits(u), exponent));
	const m32v near = m32_and(high, f32_less(f32_set(-0x1.55554p-2f), s));
	const f32v x = f32_pick(near, f32_fma(m, f32_set(-2), f32_set(2)), f32_mul(s, f32_set(-2)));

	return log_join_f32(x, exponent);
}

/* Returns x of log_join_f64 for such a fraction, and its e. */
static inline f64v log_part_signed_f64(f64v s, f64v *ret_e)
{
	const f64v u = f64_add(s, f64_if_negative(s, f64_set(1)));
	const u64v above = u64_sub(f64_bits(u), u64_set(0x3FE5555555555555));
	const u64v exponent = u64_and(above, u64_set(0xFFF0000000000000));
	const f64v m = f64_of_bits(u64_sub(f64_bits(u), exponent));
	/* Between that and 0. As integers, negative numbers grow with their absolute values and lie below all others. */
	const m64v near = i64_less(f64_bits(s), f64_bits(f64_set(-0x1.5555555555p-2)));

	*ret_e = f64_from_i12(exponent);
	return f64_pick(near, f64_sub(f64_set(1), m), f64_neg(s));
}

static inline f64v minus_log_signed_f64(f64v s)
{
	f64v e;
	const f64v x = log_part_signed_f64(s, &e);

	return log_join_f64(x, e);
}

static inline f64v minus_two_log_signed_f64(f64v s)
{
	const f64v log = minus_log_signed_f64(s);

	return f64_add(log, log);
}

#endif
