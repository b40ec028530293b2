/* SPDX-License-Identifier: Apache-2.0 */
/* The arc tangent on vectors; no libm.
 *
 * atan(x) = atan(c) + atan((x - c) / (1 + c x)) for c = 0, 1/2, 1, 3/2 or infinity, so that the rest is below 7/16, where
 * an odd polynomial of degree 23 serves. Source: S. Moshier's and Sun's fdlibm, s_atan.c. Error (check_elementary): 1 ulp. */
#ifndef TRNSCI_MATH_ELEMENTARY_ATAN_H
#define TRNSCI_MATH_ELEMENTARY_ATAN_H

#include "base/simd/simd_bits.h"

/* Returns atan(x) for any x except NaN. */
static inline f64v atan_f64(f64v x)
{
	static const double p[] = {
		3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01,
		-1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02,
		6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02,
		-3.65315727442169155270e-02, 1.62858201153657823623e-02,
	};
	static const struct {
		double from, at, high, low; /* atan(at) = high + low */
	} steps[] = {
		{7.0 / 16, 0.5, 4.63647609000806093515e-01, 2.26987774529616870924e-17},
		{11.0 / 16, 1, 7.85398163397448278999e-01, 3.06161699786838301793e-17},
		{19.0 / 16, 1.5, 9.82793723247329054082e-01, 1.39033110312309984516e-17},
	};
	const f64v size = f64_abs(x), one = f64_set(1);
	const m64v large = f64_less(f64_set(39.0 / 16), size);
	f64v at = f64_set(0), high = f64_set(0), low = f64_set(0);

	for (unsigned i = 0; i < 3; i++) {
		const m64v here = f64_less(f64_set(steps[i].from), size);

		at = f64_pick(here, at, f64_set(steps[i].at));
		high = f64_pick(here, high, f64_set(steps[i].high));
		low = f64_pick(here, low, f64_set(steps[i].low));
	}
	high = f64_pick(large, high, f64_set(1.57079632679489655800));
	low = f64_pick(large, low, f64_set(6.12323399573676603587e-17));
	const f64v above = f64_pick(large, f64_sub(size, at), f64_set(-1));
	const f64v below = f64_pick(large, f64_fma(at, f64_min(size, f64_set(4)), one), size);
	const f64v t = f64_div(above, below), z = f64_mul(t, t);
	f64v sum = f64_set(p[10]);

	for (int i = 9; i >= 0; i--)
		sum = f64_fma(sum, z, f64_set(p[i]));
	/* high + t - (t z sum - low) */
	const f64v tail = f64_sub(f64_mul(f64_mul(t, z), sum), low);

	return f64_flip(f64_add(high, f64_sub(t, tail)), f64_bits(x));
}

#endif
