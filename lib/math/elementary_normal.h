/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of the normal distribution on vectors; no libm.
 *
 * A rational function of p - 1/2 near the middle, else one of sqrt(-ln p), where p >= 2^-1022 is the smaller tail.
 * Source: M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics 37
 * (1988) 477, PPND16. Error (check_elementary): relative 4e-16 in the middle, 1e-15 in the tails. */
#ifndef TRNSCI_MATH_ELEMENTARY_NORMAL_H
#define TRNSCI_MATH_ELEMENTARY_NORMAL_H

#include "math/elementary_log.h"

/* Coefficients, highest power first. */
static const double normal_central_num[] = {2509.0809287301227, 33430.57558358813, 67265.7709270087,
					    45921.95393154987,  13731.69376550946, 1971.5909503065513,
					    133.14166789178438, 3.3871328727963665};
static const double normal_central_den[] = {
	5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597,
	5394.196021424751, 687.1870074920579,  42.31333070160091, 1.0};
static const double normal_middle_num[] = {0.0007745450142783414, 0.022723844989269184, 0.2417807251774506,
					   1.2704582524523684,    3.6478483247632045,   5.769497221460691,
					   4.630337846156546,     1.4234371107496835};
static const double normal_middle_den[] = {
	1.0507500716444169e-09, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
	0.6897673349851,        1.6763848301838038,    2.053191626637759,    1.0};
static const double normal_far_num[] = {2.0103343992922881e-07, 2.7115555687434876e-05, 0.0012426609473880784,
					0.026532189526576124,   0.29656057182850487,    1.7848265399172913,
					5.463784911164114,      6.657904643501103};
static const double normal_far_den[] = {
	2.0442631033899397e-15, 1.421511758316446e-07, 1.8463183175100548e-05, 0.0007868691311456133,
	0.014875361290850615,   0.1369298809227358,    0.599832206555888,      1.0};

static inline f64v normal_polynomial(const double c[8], f64v x)
{
	f64v sum = f64_set(c[0]);

	for (int k = 1; k < 8; k++)
		sum = f64_fma(sum, x, f64_set(c[k]));
	return sum;
}

/* Returns the z > 0 whose upper tail Q(z) is p, p < 0.075. */
static inline f64v normal_tail_f64(f64v p)
{
	const f64v r = f64_sqrt(minus_log_f64(p));
	const m64v far = f64_less(f64_set(5), r);
	const f64v x = f64_sub(r, f64_set(1.6)), y = f64_sub(r, f64_set(5));
	f64v num = normal_polynomial(normal_middle_num, x), den = normal_polynomial(normal_middle_den, x);

	if (m64_bits(far)) {
		num = f64_pick(far, num, normal_polynomial(normal_far_num, y));
		den = f64_pick(far, den, normal_polynomial(normal_far_den, y));
	}
	return f64_div(num, den);
}

/* Returns the z with lower tail Phi(z) = p and upper tail Q(z) = q. p + q = 1; the smaller one is exact, and at least
 * 2^-1022. */
static inline f64v normal_inverse_f64(f64v p, f64v q)
{
	const m64v upper = f64_less(q, p);
	const f64v tail = f64_min(p, q), off = f64_sub(f64_set(0.5), tail);
	const f64v r = f64_fma(off, f64_neg(off), f64_set(0.180625));
	const m64v in_tail = f64_less(f64_set(0.425), off);
	f64v z = f64_set(0);

	if (m64_bits(in_tail) != F64_ALL)
		z = f64_div(f64_mul(off, normal_polynomial(normal_central_num, r)),
			    normal_polynomial(normal_central_den, r));
	if (m64_bits(in_tail))
		z = f64_pick(in_tail, z, normal_tail_f64(f64_min(tail, f64_set(0.075))));
	return f64_pick(upper, f64_neg(z), z);
}

#endif
