/* SPDX-License-Identifier: Apache-2.0 */
/* Two-level tables of cosines and sines: two of about sqrt(n / 2) entries instead of one of n / 8.
 *
 * Numbers are fractions of 2^127 in integers, so that the roots are the same whatever the machine's long double and its
 * C library. An entry is within 2^-120, and so is a root. */
#include "fft/plan/roots.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"

#define ONE ((uint128)1 << 127)
/* pi / 2 */
#define HALF_PI ((uint128)0xc90fdaa22168c234 << 64 | 0xc4c6628b80dc1cd1)

enum {
	ENTRIES_PER_STEP = 128, /* a cosine and a sine each: below CHUNK_MOST_NS */
	TERMS = 17,             /* of their series: the next one is below 2^-127 up to an eighth of a turn */
};

/* Returns a b / 2^127, rounded down to an even number. */
static uint128 multiply(uint128 a, uint128 b)
{
	const uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a, b1 = (uint64_t)(b >> 64), b0 = (uint64_t)b;
	const uint128 low = (uint128)a0 * b0, cross = (uint128)a1 * b0 + (low >> 64);
	const uint128 other = (uint128)a0 * b1 + (uint64_t)cross;

	return ((uint128)a1 * b1 + (cross >> 64) + (other >> 64)) << 1;
}

/* Sets the cosine and the sine of pi t / 2n, t <= n / 2, by their series. */
static void set_entry(uint64_t t, uint64_t n, uint128 ret_entry[2])
{
	const uint128 high = ((uint128)t << 64) / n, rest = ((uint128)t << 64) % n;
	const uint128 angle = multiply((high << 63) + (rest << 63) / n, HALF_PI), square = multiply(angle, angle);
	uint128 c = ONE, s = ONE;

	for (unsigned i = TERMS; i > 0; i--) {
		c = ONE - multiply(square, c) / ((2 * i - 1) * 2 * i);
		s = ONE - multiply(square, s) / (2 * i * (2 * i + 1));
	}
	ret_entry[0] = c;
	ret_entry[1] = multiply(angle, s);
}

/* Returns x to 64 bits, the last of which is set if bits were lost: then a second rounding, to double or float, gives
 * what a single one would. */
static long double round_to_odd(uint128 x)
{
	const unsigned shift = x >> 64 ? 64 - (unsigned)__builtin_clzll((uint64_t)(x >> 64)) : 0;
	const uint64_t top = (uint64_t)(x >> shift);

	return ldexpl((long double)(top | ((uint128)top << shift != x)), (int)shift - 127);
}

/* The low table has 2^shift entries and the high one n / 2^(shift + 1): about sqrt(n / 2) each. */
int roots_create(uint64_t n, struct roots *ret_roots)
{
	struct roots roots = {.n = n};

	while (UINT64_C(2) << 2 * roots.shift < n)
		roots.shift++;
	roots.n_low = (size_t)1 << roots.shift;
	roots.n_high = (n / 2 >> roots.shift) + 1;
	roots.low = malloc((roots.n_low + roots.n_high) * sizeof *roots.low);
	if (!roots.low)
		return -ERROR_NO_MEMORY;
	*ret_roots = roots;
	return 0;
}

/* Entry t of the low table is the angle pi t / 2n, entry t of the high one that of t 2^shift. */
int roots_step(struct roots *roots)
{
	const size_t total = roots->n_low + roots->n_high;

	for (unsigned i = 0; i < ENTRIES_PER_STEP && roots->ready < total; i++, roots->ready++) {
		const size_t at = roots->ready;
		const uint64_t t = at < roots->n_low ? at : (uint64_t)(at - roots->n_low) << roots->shift;

		set_entry(t, roots->n, roots->low[at]);
	}
	return roots->ready < total;
}

void roots_free(struct roots *roots)
{
	free(roots->low);
	roots->low = NULL;
}

/* 4 k = quarter n + rest gives the quarter of a turn. Beyond an eighth of a turn the angle is reflected, which
 * exchanges cosine and sine. At exactly an eighth both must be the same number. */
void roots_at(const struct roots *roots, uint64_t k, long double ret_root[2])
{
	const uint64_t n = roots->n, turn = k % n * 4, quarter = turn / n, rest = turn % n;
	const bool reflect = 2 * rest > n;
	const uint64_t t = reflect ? n - rest : rest;
	const uint128 *low = roots->low[t & (roots->n_low - 1)], *high = roots->low[roots->n_low + (t >> roots->shift)];
	const long double c = round_to_odd(multiply(high[0], low[0]) - multiply(high[1], low[1]));
	const long double s = round_to_odd(multiply(high[0], low[1]) + multiply(high[1], low[0]));
	/* Of the angle within its quarter; at its middle both parts are the same number. */
	const long double re = reflect ? s : c, im = reflect || 2 * rest == n ? c : s;

	switch (quarter) {
	case 0:
		ret_root[0] = re, ret_root[1] = -im;
		break;
	case 1:
		ret_root[0] = -im, ret_root[1] = -re;
		break;
	case 2:
		ret_root[0] = -re, ret_root[1] = im;
		break;
	default:
		ret_root[0] = im, ret_root[1] = re;
	}
}
