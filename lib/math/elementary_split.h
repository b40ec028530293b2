/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as m 2^e with an exponent of their own: products and quotients that a double cannot hold on the way.
 *
 * The arithmetic of the fractions m rounds as that of the numbers themselves does, since powers of two are exact. So a
 * result that needed no split has the same bits either way, and one that is below 2^-1022 is rounded once. */
#ifndef TRNSCI_MATH_ELEMENTARY_SPLIT_H
#define TRNSCI_MATH_ELEMENTARY_SPLIT_H

#include "math/elementary_exp.h"

/* What few vectors need: apart, so that its constants take no registers of the loop around it. */
#define RARE static __attribute__((noinline, cold))

struct split {
	f64v m, e; /* m in [1, 2), or 0; e whole */
};

/* Splits x, finite and not negative. Denormals are raised first. */
static inline struct split split_f64(f64v x)
{
	const m64v small = f64_less(x, f64_set(0x1p-1000));
	const u64v bits = f64_bits(f64_pick(small, x, f64_mul(x, f64_set(0x1p128))));
	const u64v exponent = u64_and(bits, u64_set(0x7FF0000000000000));
	const f64v m = f64_of_bits(u64_add(u64_sub(bits, exponent), u64_set(0x3FF0000000000000)));

	return (struct split){
		f64_pick(f64_less(f64_set(0), x), f64_set(0), m),
		f64_sub(f64_from_i12(exponent), f64_pick(small, f64_set(1023), f64_set(1023 + 128))),
	};
}

/* Returns e^x for any x except NaN, with m in (0.7, 1.5). Beyond 10^4, where no factor that is a double brings the
 * result back, it is e^10^4 or e^-10^4. */
static inline struct split split_exp_f64(f64v x)
{
	struct split result;

	result.m = f64_add(f64_set(1), exp_reduce_f64(f64_min(f64_max(x, f64_set(-1e4)), f64_set(1e4)), &result.e));
	return result;
}

/* Returns x 2^e for a whole e of any size, |x| between 2^-1000 and 2^1000, or 0. Four factors, so that each is a double: only the
 * last can leave the range of doubles while the result is in it. */
static inline f64v ldexp_f64(f64v x, f64v e)
{
	const f64v magic = f64_set(0x1.8p52), held = f64_min(f64_max(e, f64_set(-2100)), f64_set(2100));
	const f64v part = f64_sub(f64_fma(held, f64_set(0.25), magic), magic);
	const f64v by = exp2_of_shifted_f64(f64_add(part, magic));
	const f64v last = exp2_of_shifted_f64(f64_add(f64_fma(part, f64_set(-3), held), magic));

	return f64_mul(f64_mul(f64_mul(f64_mul(x, by), by), by), last);
}

/* Returns whether all lanes of the mask are set. */
static inline _Bool all_set(m64v mask)
{
	return m64_bits(mask) == F64_ALL;
}

/* Returns the lanes that lie between the bounds, NaN never does, and whether all do. */
static inline m64v lie_f64(f64v x, double above, double below)
{
	return m64_and(f64_less(f64_set(above), x), f64_less(x, f64_set(below)));
}

static inline _Bool all_lie_f64(f64v x, double above, double below)
{
	return all_set(lie_f64(x, above, below));
}

#endif
