/* SPDX-License-Identifier: Apache-2.0 */
/* Box-Muller, written once over base/simd.h: one sequence of IEEE operations, so one result everywhere.
 *
 * u0 = m 2^e, m in [2/3, 4/3), x = 2 - 2 m exact: -2 ln u0 = x + x^2 P(x) - 2 e ln 2; no cancellation as u0 nears 1.
 * 4 u1 = k + y, k whole, |y| <= 1/2 exact: sin and cos of y pi / 2, exchanged and signed by the two low bits of k.
 * The polynomials are printed by tests/dist/box_muller_minimax.py. Worst errors, float32 over all 2^24 inputs: radius
 * 0.98 ulp (u0 = 0x1.461aep-1), sine and cosine 0.86 ulp; float64 over 10^7 hard ones against long double: 0.98, 0.88. */
#include <string.h>

#include "base/simd.h"
#include "dist/box_muller.h"

/* sqrt(-2 ln u), u in [2^-126, 1). */
static inline f32v radius_f32(f32v u)
{
	/* Relative error of the polynomial's logarithm 2^-26.6. */
	static const float p[] = {0x1p-2f,        0x1.555502p-4f,  0x1.fffe84p-6f,  0x1.99d1f2p-7f, 0x1.55a758p-8f,
				  0x1.1ebe6cp-9f, 0x1.f25d86p-11f, 0x1.1ed132p-11f, 0x1.09328cp-12f};
	const u32v exponent = u32_and(u32_sub(f32_bits(u), u32_set(0x3F2AAAAB)), u32_set(0xFF800000));
	const f32v m = f32_of_bits(u32_sub(f32_bits(u), exponent));
	const f32v x = f32_fma(m, f32_set(-2), f32_set(2)), xx = f32_mul(x, x);
	f32v even = f32_set(p[8]), odd = f32_set(p[7]);

	for (int k = 6; k >= 0; k -= 2) {
		even = f32_fma(even, xx, f32_set(p[k]));
		odd = k > 0 ? f32_fma(odd, xx, f32_set(p[k - 1])) : odd;
	}
	const f32v log_m = f32_fma(xx, f32_fma(odd, x, even), x);

	/* The exponent stands at bit 23: e 2^23. */
	return f32_sqrt(f32_fma(f32_from_i32(exponent), f32_set(-0x1.62e43p-23f), log_m));
}

/* r cos and r sin of 2 pi u, u in [0, 1). */
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

static inline void vectors_f32(const float *uniforms, float *ret_normals)
{
	f32v a = f32_load(uniforms), b = f32_load(uniforms + F32_LANES), u0, u1, z0, z1;

	f32_unzip(a, b, &u0, &u1);
	turn_f32(u1, radius_f32(f32_max(u0, f32_set(0x1p-25f))), &z0, &z1);
	f32_zip(z0, z1, &a, &b);
	f32_store(ret_normals, a);
	f32_store(ret_normals + F32_LANES, b);
}

static void pairs_f32(const float *uniforms, size_t n_pairs, float *ret_normals)
{
	float tail[2 * F32_LANES] = {0};

	for (; n_pairs >= F32_LANES; n_pairs -= F32_LANES, uniforms += 2 * F32_LANES, ret_normals += 2 * F32_LANES)
		vectors_f32(uniforms, ret_normals);
	if (n_pairs > 0) {
		memcpy(tail, uniforms, 2 * n_pairs * sizeof *tail);
		vectors_f32(tail, tail);
		memcpy(ret_normals, tail, 2 * n_pairs * sizeof *tail);
	}
}

/* sqrt(-2 ln u), u in [2^-1022, 1). */
static inline f64v radius_f64(f64v u)
{
	static const double p[] = {
		0x1p-2,
		0x1.5555555555535p-4,
		0x1.ffffffffffedp-6,
		0x1.99999999a0667p-7,
		0x1.55555555682f1p-8,
		0x1.2492492093f25p-9,
		0x1.ffffffef6ea5bp-11,
		0x1.c71c74189d30ap-12,
		0x1.99999d9192761p-13,
		0x1.745cb48b6604ep-14,
		0x1.5554c266992ccp-15,
		0x1.3b1dcf91f4e38p-16,
		0x1.249fcdccf7f67p-17,
		0x1.10686418e5db5p-18,
		0x1.fe62ad095d955p-20,
		0x1.efce4f148a563p-21,
		0x1.d6fde03b1ce71p-22,
		0x1.55dd48b8eb5d6p-23,
		0x1.39c7e8075178ep-24,
		0x1.5c4f7127e2fa8p-24,
		0x1.55f251a9ebcc6p-25,
	};
	const u64v above = u64_sub(f64_bits(u), u64_set(0x3FE5555555555555));
	const u64v exponent = u64_and(above, u64_set(0xFFF0000000000000));
	const f64v m = f64_of_bits(u64_sub(f64_bits(u), exponent)), e = f64_from_i12(exponent);
	const f64v x = f64_fma(m, f64_set(-2), f64_set(2)), xx = f64_mul(x, x);
	f64v even = f64_set(p[20]), odd = f64_set(p[19]);

	for (int k = 18; k >= 0; k -= 2) {
		even = f64_fma(even, xx, f64_set(p[k]));
		odd = k > 0 ? f64_fma(odd, xx, f64_set(p[k - 1])) : odd;
	}
	/* ln 2 in two parts: one would cost half an ulp. */
	const f64v tail = f64_fma(xx, f64_fma(odd, x, even), f64_mul(e, f64_set(-0x1.abc9e3b39803fp-55)));

	return f64_sqrt(f64_fma(e, f64_set(-0x1.62e42fefa39efp0), f64_add(x, tail)));
}

/* r cos and r sin of 2 pi u, u in [0, 1). */
static inline void turn_f64(f64v u, f64v r, f64v *ret_cos, f64v *ret_sin)
{
	static const double s[] = {
		0x1.0264be08c52ep-54,  -0x1.4abbce625be41p-1,  0x1.466bc6775878p-4,   -0x1.32d2cce2dcd9cp-8,
		0x1.50782fd205a93p-13, -0x1.e3006b90824fap-19, 0x1.e3f1e380e46c2p-25,
	};
	static const double c[] = {
		-0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5a52p-2,  -0x1.55d3c7e3bfe55p-6,  0x1.e1f50675b1d7ap-11,
		-0x1.a6d1e238afffp-16, 0x1.f9c4ad81beb96p-22, -0x1.b03447dd802dep-28,
	};
	const f64v magic = f64_set(0x1.8p52), shifted = f64_fma(u, f64_set(4), magic);
	const f64v y = f64_fma(u, f64_set(4), f64_sub(magic, shifted)), yy = f64_mul(y, y);
	const u64v k = f64_bits(shifted), sin_sign = U64_SHL(k, 62), cos_sign = u64_add(sin_sign, u64_set(1ull << 62));
	f64v p = f64_set(s[6]), q = f64_set(c[6]);

	for (int i = 5; i >= 0; i--) {
		p = f64_fma(p, yy, f64_set(s[i]));
		q = f64_fma(q, yy, f64_set(c[i]));
	}
	p = f64_fma(y, f64_set(0x1.921fb54442d18p0), f64_mul(y, p));
	q = f64_fma(q, yy, f64_set(1));
	*ret_cos = f64_mul(r, f64_flip(f64_select(k, q, p), cos_sign));
	*ret_sin = f64_mul(r, f64_flip(f64_select(k, p, q), sin_sign));
}

static inline void vectors_f64(const double *uniforms, double *ret_normals)
{
	f64v a = f64_load(uniforms), b = f64_load(uniforms + F64_LANES), u0, u1, z0, z1;

	f64_unzip(a, b, &u0, &u1);
	turn_f64(u1, radius_f64(f64_max(u0, f64_set(0x1p-54))), &z0, &z1);
	f64_zip(z0, z1, &a, &b);
	f64_store(ret_normals, a);
	f64_store(ret_normals + F64_LANES, b);
}

static void pairs_f64(const double *uniforms, size_t n_pairs, double *ret_normals)
{
	double tail[2 * F64_LANES] = {0};

	for (; n_pairs >= F64_LANES; n_pairs -= F64_LANES, uniforms += 2 * F64_LANES, ret_normals += 2 * F64_LANES)
		vectors_f64(uniforms, ret_normals);
	if (n_pairs > 0) {
		memcpy(tail, uniforms, 2 * n_pairs * sizeof *tail);
		vectors_f64(tail, tail);
		memcpy(ret_normals, tail, 2 * n_pairs * sizeof *tail);
	}
}

const struct box_muller_kernel SIMD_SUFFIX(box_muller) = {SIMD_NAME, SIMD_NEEDS, pairs_f32, pairs_f64};
