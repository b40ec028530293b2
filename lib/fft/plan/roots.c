/* SPDX-License-Identifier: Apache-2.0 */
/* Two-level tables of cosines and sines: two of about sqrt(n / 2) entries instead of one of n / 8.
 *
 * Numbers are fractions of 2^127 in integers, so that the roots are the same whatever the machine's long double and its
 * C library. An entry is within 2^-118, and so is a root. Each entry is there in doubles, too: their products are within bounds
 * that nearly always suffice to round the root, and where they do not, the integers do. */
#include "fft/plan/roots.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"

#define ONE ((uint128)1 << 127)
/* pi / 2 */
#define HALF_PI ((uint128)0xc90fdaa22168c234 << 64 | 0xc4c6628b80dc1cd1)

/* The factors of the series, 1 / (2 i - 1) 2 i and 1 / 2 i (2 i + 1). Rounded as they are, they move it by less than 2^-125. */
#define FACTORS(i) {ONE / ((2 * (i) - 1) * 2 * (i)), ONE / (2 * (i) * (2 * (i) + 1))}

enum {
	ENTRIES_PER_STEP = 2048, /* a cosine and a sine each: below CHUNK_MOST_NS */
	TERMS = 17,              /* of their series: the next one is below 2^-127 up to an eighth of a turn */
	HIGH_BITS = 26,          /* of a fraction, in the double whose products with another such are exact */
};

static const uint128 factors[TERMS + 1][2] = {
	{0, 0},     FACTORS(1), FACTORS(2),  FACTORS(3),  FACTORS(4),  FACTORS(5),  FACTORS(6),  FACTORS(7),  FACTORS(8),
	FACTORS(9), FACTORS(10), FACTORS(11), FACTORS(12), FACTORS(13), FACTORS(14), FACTORS(15), FACTORS(16), FACTORS(17),
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
static void set_by_series(uint64_t t, uint64_t n, uint128 ret_exact[2])
{
	const uint128 high = ((uint128)t << 64) / n, rest = ((uint128)t << 64) % n;
	const uint128 angle = multiply((high << 63) + (rest << 63) / n, HALF_PI), square = multiply(angle, angle);
	uint128 c = ONE, s = ONE;

	for (unsigned i = TERMS; i > 0; i--) {
		c = ONE - multiply(multiply(square, factors[i][0]), c);
		s = ONE - multiply(multiply(square, factors[i][1]), s);
	}
	ret_exact[0] = c;
	ret_exact[1] = multiply(angle, s);
}

/* Sets the cosine and the sine of the sum of two angles. */
static void add_angles(const uint128 a[2], const uint128 b[2], uint128 ret_exact[2])
{
	ret_exact[0] = multiply(a[0], b[0]) - multiply(a[1], b[1]);
	ret_exact[1] = multiply(a[0], b[1]) + multiply(a[1], b[0]);
}

/* Sets entry i of one of the tables, of angle pi i unit / 2n: by the series where i is a power of two, else from two before it. */
static void set_entry(struct roots_entry *table, size_t i, uint64_t unit, uint64_t n)
{
	struct roots_entry *entry = &table[i];
	const size_t top = i ? (size_t)1 << (63 - __builtin_clzll(i)) : 0;

	if (i == top)
		set_by_series(i * unit, n, entry->exact);
	else
		add_angles(table[top].exact, table[i - top].exact, entry->exact);
	for (unsigned part = 0; part < 2; part++) {
		const uint128 x = entry->exact[part], high = x >> (127 - HIGH_BITS) << (127 - HIGH_BITS);

		entry->high[part] = (double)(uint64_t)(x >> (127 - HIGH_BITS)) * 0x1p-26;
		entry->low[part] = (double)(uint64_t)((x - high) >> (127 - HIGH_BITS - 64)) * 0x1p-90;
	}
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
	roots.low = aligned_alloc(64, (roots.n_low + roots.n_high) * sizeof *roots.low);
	if (!roots.low)
		return -ERROR_NO_MEMORY;
	*ret_roots = roots;
	return 0;
}

/* Entry t of the low table is of the angle pi t / 2n, entry t of the high one of t 2^shift. */
int roots_step(struct roots *roots)
{
	const size_t total = roots->n_low + roots->n_high;

	for (unsigned i = 0; i < ENTRIES_PER_STEP && roots->ready < total; i++, roots->ready++) {
		const size_t at = roots->ready;

		if (at < roots->n_low)
			set_entry(roots->low, at, 1, roots->n);
		else
			set_entry(roots->low + roots->n_low, at - roots->n_low, (uint64_t)1 << roots->shift, roots->n);
	}
	return roots->ready < total;
}

void roots_free(struct roots *roots)
{
	free(roots->low);
	roots->low = NULL;
}

/* Where a root lies: its angle within an eighth of a turn as an index, and what turns it back. */
struct folded {
	const struct roots_entry *high, *low;
	bool reflect, middle; /* cosine and sine exchanged; both the same number, as exactly at an eighth of a turn they must be */
	unsigned quarter;
};

/* 4 k = quarter n + rest gives the quarter of a turn. Beyond an eighth of a turn the angle is reflected, which
 * exchanges cosine and sine. */
static struct folded fold(const struct roots *roots, uint64_t k)
{
	const uint64_t n = roots->n, turn = (k < n ? k : k % n) * 4;
	const unsigned quarter = (turn >= n) + (turn >= 2 * n) + (turn >= 3 * n);
	const uint64_t rest = turn - quarter * n, t = 2 * rest > n ? n - rest : rest;

	return (struct folded){&roots->low[roots->n_low + (t >> roots->shift)], &roots->low[t & (roots->n_low - 1)], 2 * rest > n,
			       2 * rest == n, quarter};
}

/* Turns the cosine and the sine of an angle within its eighth. */
#define UNFOLD(folded, c, s, ret_root)                                                                                 \
	do {                                                                                                           \
		const bool odd = (folded).quarter & 1, exchange = (folded).reflect ^ odd;                              \
		(ret_root)[0] = exchange ? (s) : (c), (ret_root)[1] = exchange ? (c) : (s);                            \
		(ret_root)[0] = (folded).quarter == 1 || (folded).quarter == 2 ? -(ret_root)[0] : (ret_root)[0];       \
		(ret_root)[1] = (folded).quarter < 2 ? -(ret_root)[1] : (ret_root)[1];                                 \
	} while (0)

void roots_at(const struct roots *roots, uint64_t k, long double ret_root[2])
{
	const struct folded at = fold(roots, k);
	uint128 exact[2];
	long double c, s;

	add_angles(at.high->exact, at.low->exact, exact);
	c = round_to_odd(exact[0]);
	s = at.middle ? c : round_to_odd(exact[1]);
	UNFOLD(at, c, s, ret_root);
}

/* Returns the float, as a double, that all numbers within 2^-50 of x round to; NAN: there are several. The products of entries that
 * are rounded to doubles are within 2^-51. A sum of 0 has no other terms. */
static double round_float(double x)
{
	const float below = (float)(x - 0x1p-50), above = (float)(x + 0x1p-50);

	return x == 0 ? 0 : below == above ? (double)below : (double)NAN;
}

/* The same for doubles and sums of `exact`, a multiple of 2^-52, and `rest`: within 2^-74 of x. The rest's products are within
 * 2^-76, since half of each is below 2^-26. */
static double round_double(double exact, double rest)
{
	const double x = exact + rest, took = x - exact, lost = (exact - (x - took)) + (rest - took);
	const double below = x + (lost - 0x1p-74), above = x + (lost + 0x1p-74);

	return x == 0 ? 0 : below == above ? below : (double)NAN;
}

void roots_rounded(const struct roots *roots, uint64_t k, enum fft_precision precision, double ret_root[2])
{
	const struct folded at = fold(roots, k);
	const double *a = at.high->high, *a_low = at.high->low, *b = at.low->high, *b_low = at.low->low;
	const double a_c = a[0] + a_low[0], a_s = a[1] + a_low[1];
	double c, s;

	if (precision == FFT_F32) {
		const double b_c = b[0] + b_low[0], b_s = b[1] + b_low[1];

		c = round_float(a_c * b_c - a_s * b_s);
		s = round_float(a_c * b_s + a_s * b_c);
	} else {
		c = round_double(a[0] * b[0] - a[1] * b[1], (a_c * b_low[0] + a_low[0] * b[0]) - (a_s * b_low[1] + a_low[1] * b[1]));
		s = round_double(a[0] * b[1] + a[1] * b[0], (a_c * b_low[1] + a_low[0] * b[1]) + (a_s * b_low[0] + a_low[1] * b[0]));
	}
	if (isnan(c + s)) {
		long double root[2];

		roots_at(roots, k, root);
		ret_root[0] = precision == FFT_F32 ? (double)(float)root[0] : (double)root[0];
		ret_root[1] = precision == FFT_F32 ? (double)(float)root[1] : (double)root[1];
		return;
	}
	s = at.middle ? c : s;
	UNFOLD(at, c, s, ret_root);
}
