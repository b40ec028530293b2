/* SPDX-License-Identifier: Apache-2.0 */
/* Nested scrambling of one dimension of many points, over base/simd/simd.h.
 *
 * Digits are integers in doubles, exact whether a product is fused or not. A vector goes through all places of its
 * points; once the points of all lanes have no digits left, a place costs half as much. */
#include "distributions/quasi/halton.h"
#include "math/splitmix_lanes.h"

#define INLINE static inline __attribute__((always_inline))

enum { FLIGHT = 4 }; /* vectors at once: a place's multiplications wait for the place before */

/* Below 1 after any rounding. */
#define LAST_BELOW_1 (1 - 0x1p-53)

/* Divisors and their inverses. */
struct divisor {
	f64v base, inverse, bias;
};

/* Returns floor(x / base), 0 <= x < 2^50. (x + 1/2) / base lies at least 1 / (2 base) from an integer, and its error is
 * at most 3/4 of that. Less 1/2, its nearest integer is the quotient; adding and subtracting 1.5 2^52 rounds to it. */
INLINE f64v quotient(const struct divisor *by, f64v x)
{
	const f64v integers = f64_set(0x1.8p52);

	return f64_sub(f64_add(f64_muladd(x, by->inverse, by->bias), integers), integers);
}

INLINE f64v remainder_of(const struct divisor *by, f64v x, f64v quotient_of_x)
{
	return f64_sub(x, f64_mul(by->base, quotient_of_x));
}

/* Return a digit map's factor less 1, in 0 .. base - 2, and its term, in 0 .. base - 1. */
INLINE f64v factor_of(u64v hash, uint32_t base)
{
	return f64_from_u52(U64_SHR(u64_mul32(hash, u64_set(base - 1)), 32));
}

INLINE f64v term_of(u64v hash, uint32_t base)
{
	return f64_from_u52(U64_SHR(u64_mul32(U64_SHR(hash, 32), u64_set(base)), 32));
}

/* Scrambles places [place, end) of `flight` vectors of points, and writes the numbers that the new digits form. rest:
 * the points without the digits so far; node: a hash of these digits, which determines the next map; most: the greatest
 * rest. */
INLINE void scramble_places(const struct halton_nest *nest, unsigned flight, uint32_t place, uint32_t end, f64v rest[],
			    u64v node[], uint64_t *most, double *ret_sums)
{
	const double b = nest->base;
	const struct divisor by = {f64_set(b), f64_set(1 / b), f64_set(0.5 / b - 0.5)};
	/* A digit below 2^52 joined to 2^52 has the bits of 2^52 in common with it. */
	const u64v key = u64_xor(u64_set(nest->key), f64_bits(f64_set(0x1p52)));
	const u64v below_zero = u64_set(splitmix_hash(nest->key));
	f64v sum[FLIGHT];

	for (unsigned u = 0; u < flight; u++)
		sum[u] = f64_set(0);
	for (; place<end && * most> 0; place++, *most /= nest->base)
		for (unsigned u = 0; u < flight; u++) {
			const u64v hash = splitmix_hash_lanes(u64_add(node[u], u64_set(SPLITMIX_STEP)));
			const f64v left = quotient(&by, rest[u]), digit = remainder_of(&by, rest[u], left);
			const f64v image = f64_muladd(factor_of(hash, nest->base), digit,
						      f64_add(digit, term_of(hash, nest->base)));
			const u64v below = splitmix_hash_lanes(u64_xor(key, f64_bits(f64_add(digit, f64_set(0x1p52)))));

			sum[u] = f64_muladd(sum[u], by.base, remainder_of(&by, image, quotient(&by, image)));
			node[u] = u64_xor(hash, below);
			rest[u] = left;
		}
	for (; place < end; place++)
		for (unsigned u = 0; u < flight; u++) {
			const u64v hash = splitmix_hash_lanes(u64_add(node[u], u64_set(SPLITMIX_STEP)));

			sum[u] = f64_muladd(sum[u], by.base, term_of(hash, nest->base));
			node[u] = u64_xor(hash, below_zero);
		}
	for (unsigned u = 0; u < flight; u++)
		f64_store(ret_sums + u * F64_LANES, sum[u]);
}

/* Scrambles vectors of points from `first` on. Writes the numbers that the first `head` digits and the others form. */
INLINE void scramble_points(const struct halton_nest *nest, unsigned flight, uint64_t first, double *ret_head,
			    double *ret_tail)
{
	uint64_t most = first + flight * F64_LANES - 1;
	f64v rest[FLIGHT];
	u64v node[FLIGHT];

	for (unsigned u = 0; u < flight; u++) {
		double points[F64_LANES];

		for (unsigned lane = 0; lane < F64_LANES; lane++)
			points[lane] = (double)(int64_t)(first + u * F64_LANES + lane);
		rest[u] = f64_load(points);
		node[u] = u64_set(nest->key);
	}
	scramble_places(nest, flight, 0, nest->head, rest, node, &most, ret_head);
	scramble_places(nest, flight, nest->head, nest->places, rest, node, &most, ret_tail);
}

static void owen(const struct halton_nest *nest, uint64_t first, size_t n, double *ret_x)
{
	double head[HALTON_BLOCK], tail[HALTON_BLOCK];
	size_t i = 0;

	for (; i + FLIGHT * F64_LANES <= n; i += FLIGHT * F64_LANES)
		scramble_points(nest, FLIGHT, first + i, head + i, tail + i);
	for (; i < n; i += F64_LANES)
		scramble_points(nest, 1, first + i, head + i, tail + i);
	for (i = 0; i < n; i++) {
		const uint64_t sum = (uint64_t)(int64_t)head[i] * nest->tail_power + (uint64_t)(int64_t)tail[i];
		const double x = (double)sum / (double)nest->whole;

		ret_x[i] = x < LAST_BELOW_1 ? x : LAST_BELOW_1;
	}
}

const struct halton_kernel SIMD_SUFFIX(halton) = {SIMD_NAME, SIMD_NEEDS, owen};
