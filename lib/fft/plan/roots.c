/* SPDX-License-Identifier: Apache-2.0 */
/* Two-level tables of cosines and sines: two of about sqrt(n / 8) entries instead of one of n / 8. For short transforms,
 * which need each of these eight times, all of them are rounded at once.
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
	ROUNDED_PER_STEP = 32768,
	ROUNDED_MAX = 1 << 16,   /* the largest n whose pairs are all rounded at once */
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

/* Returns how many terms the series of an angle of that square needs: the next one's power of it is below 2^-127. */
static unsigned count_terms(uint128 square)
{
	const uint64_t high = (uint64_t)(square >> 64);
	const unsigned below = high ? (unsigned)__builtin_clzll(high) : 64; /* the square is below 2^(1 - below) */

	return below <= 127 / TERMS + 1 ? TERMS : 127 / (below - 1);
}

/* Sets the cosine and the sine of t parts of a turn's quarter, t <= quarter / 2, by their series. */
static void set_by_series(uint64_t t, uint64_t quarter, uint128 ret_exact[2])
{
	const uint128 high = ((uint128)t << 64) / quarter, rest = ((uint128)t << 64) % quarter;
	const uint128 angle = multiply((high << 63) + (rest << 63) / quarter, HALF_PI), square = multiply(angle, angle);
	uint128 c = ONE, s = ONE;

	for (unsigned i = count_terms(square); i > 0; i--) {
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

/* Sets entry i of one of the tables, of i unit parts of a quarter: by the series where i is a power of two, else from two
 * before it. */
static void set_entry(struct roots_entry *table, size_t i, uint64_t unit, uint64_t quarter)
{
	struct roots_entry *entry = &table[i];
	const size_t top = i ? (size_t)1 << (63 - __builtin_clzll(i)) : 0;

	if (i == top)
		set_by_series(i * unit, quarter, entry->exact);
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

static size_t pair_bytes(enum fft_precision precision)
{
	return precision == FFT_F32 ? 2 * sizeof(float) : 2 * sizeof(double);
}

static const struct roots_entry *high_entry(const struct roots *roots, uint64_t t)
{
	return &roots->low[roots->n_low + (t >> roots->shift)];
}

static const struct roots_entry *low_entry(const struct roots *roots, uint64_t t)
{
	return &roots->low[t & (roots->n_low - 1)];
}

/* Returns the cosine and the sine of t parts to 64 bits each. At an eighth of a turn they must be the same number. */
static void round_exactly(const struct roots *roots, uint64_t t, long double ret[2])
{
	uint128 exact[2];

	add_angles(high_entry(roots, t)->exact, low_entry(roots, t)->exact, exact);
	ret[0] = round_to_odd(exact[0]);
	ret[1] = 2 * t == roots->quarter ? ret[0] : round_to_odd(exact[1]);
}

/* The low table has 2^shift entries and the high one quarter / 2^(shift + 1): about sqrt(quarter / 2) each. */
int roots_create(uint64_t n, struct roots *ret_roots)
{
	const uint64_t common = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 1;
	struct roots roots = {.n = n, .quarter = n / common, .step = 4 / common};

	while (UINT64_C(2) << 2 * roots.shift < roots.quarter)
		roots.shift++;
	roots.n_low = (size_t)1 << roots.shift;
	roots.n_high = (roots.quarter / 2 >> roots.shift) + 1;
	roots.low = aligned_alloc(64, (roots.n_low + roots.n_high) * sizeof *roots.low);
	if (!roots.low)
		return -ERROR_NO_MEMORY;
	*ret_roots = roots;
	return 0;
}

int roots_create_rounded(uint64_t n, enum fft_precision precision, struct roots *ret_roots)
{
	struct roots roots;

	if (roots_create(n, &roots) < 0)
		return -ERROR_NO_MEMORY;
	roots.precision = precision;
	if (n <= ROUNDED_MAX) {
		roots.n_rounded = roots.quarter / 2 + 1;
		roots.rounded = malloc(roots.n_rounded * pair_bytes(precision));
		if (!roots.rounded) {
			roots_free(&roots);
			return -ERROR_NO_MEMORY;
		}
	}
	*ret_roots = roots;
	return 0;
}

void roots_free(struct roots *roots)
{
	free(roots->low);
	free(roots->rounded);
	roots->low = NULL;
	roots->rounded = NULL;
}

/* Rounds x to floats. Returns whether all numbers within 2^-50 of each part round to the same one. The products of
 * entries that are rounded to doubles are within 2^-51. */
static bool round_floats(roots_pair x, float ret[2])
{
	const roots_pair below = x - 0x1p-50, above = x + 0x1p-50;

	ret[0] = (float)below[0];
	ret[1] = (float)below[1];
	return ret[0] == (float)above[0] && ret[1] == (float)above[1];
}

/* The same for doubles and sums of `exact`, multiples of 2^-52, and `rest`: within 2^-74 of x. The rest's products are within
 * 2^-76, since half of each is below 2^-26. */
static bool round_doubles(roots_pair exact, roots_pair rest, double ret[2])
{
	const roots_pair x = exact + rest, took = x - exact, lost = (exact - (x - took)) + (rest - took);
	const roots_pair below = x + (lost - 0x1p-74), above = x + (lost + 0x1p-74);

	ret[0] = below[0];
	ret[1] = below[1];
	return below[0] == above[0] && below[1] == above[1];
}

/* Multiplies complex numbers, a cosine and a sine each. */
static roots_pair multiply_pairs(roots_pair a, roots_pair b)
{
	return a * b[0] + (roots_pair){-a[1], a[0]} * b[1];
}

/* Stores the cosine and the sine of t parts, rounded once to numbers of the precision. */
static void round_part(const struct roots *roots, uint64_t t, void *ret_pair)
{
	const struct roots_entry *a = high_entry(roots, t), *b = low_entry(roots, t);
	const roots_pair a_all = a->high + a->low;
	float *floats = ret_pair;
	double *doubles = ret_pair;
	long double root[2];

	if (roots->precision == FFT_F32 ? round_floats(multiply_pairs(a_all, b->high + b->low), floats)
					: round_doubles(multiply_pairs(a->high, b->high),
							multiply_pairs(a_all, b->low) + multiply_pairs(a->low, b->high), doubles))
		return;
	round_exactly(roots, t, root);
	for (unsigned part = 0; part < 2; part++)
		if (roots->precision == FFT_F32)
			floats[part] = (float)root[part];
		else
			doubles[part] = (double)root[part];
}

/* Entry t of the low table is of t parts of a quarter, entry t of the high one of t 2^shift. */
int roots_step(struct roots *roots)
{
	const size_t total = roots->n_low + roots->n_high;

	for (unsigned i = 0; i < ENTRIES_PER_STEP && roots->ready < total; i++, roots->ready++) {
		const size_t at = roots->ready;

		if (at < roots->n_low)
			set_entry(roots->low, at, 1, roots->quarter);
		else
			set_entry(roots->low + roots->n_low, at - roots->n_low, (uint64_t)1 << roots->shift, roots->quarter);
	}
	if (roots->ready < total)
		return 1;
	for (unsigned i = 0; i < ROUNDED_PER_STEP && roots->rounded_ready < roots->n_rounded; i++, roots->rounded_ready++)
		round_part(roots, roots->rounded_ready,
			   (char *)roots->rounded + roots->rounded_ready * pair_bytes(roots->precision));
	return roots->rounded_ready < roots->n_rounded;
}

/* Where a root lies: its angle within an eighth of a turn, and what turns it back. */
struct folded {
	uint64_t t;
	bool exchange; /* cosine and sine */
	unsigned quarters;
};

/* Of cosine and sine in each quarter of a turn, once these are exchanged. */
static const float signs[4][2] = {{1, -1}, {-1, -1}, {-1, 1}, {1, 1}};

/* A quarter of a turn exchanges cosine and sine, and so does the reflection of angles beyond an eighth. */
static struct folded fold(const struct roots *roots, uint64_t k)
{
	const uint64_t quarter = roots->quarter, turn = (k < roots->n ? k : k % roots->n) * roots->step;
	const unsigned quarters = (turn >= quarter) + (turn >= 2 * quarter) + (turn >= 3 * quarter);
	const uint64_t rest = turn - quarters * quarter;
	const bool reflect = 2 * rest > quarter;

	return (struct folded){reflect ? quarter - rest : rest, reflect ^ (quarters & 1), quarters};
}

void roots_at(const struct roots *roots, uint64_t k, long double ret_root[2])
{
	const struct folded at = fold(roots, k);
	long double pair[2];

	round_exactly(roots, at.t, pair);
	ret_root[0] = signs[at.quarters][0] * pair[at.exchange];
	ret_root[1] = signs[at.quarters][1] * pair[!at.exchange];
}

/* Returns the rounded pair of t parts, which may lie in *room. */
static const void *find_rounded(const struct roots *roots, uint64_t t, double room[2])
{
	if (roots->rounded)
		return (const char *)roots->rounded + t * pair_bytes(roots->precision);
	round_part(roots, t, room);
	return room;
}

/* Works on a copy, which the numbers that it stores cannot change. */
void roots_put(const struct roots *roots, const uint64_t *k, size_t count, size_t stride, void *ret_re, void *ret_im)
{
	const struct roots own = *roots;
	double room[2];

#define PUT(real)                                                                                                      \
	for (size_t i = 0; i < count; i++) {                                                                           \
		const struct folded at = fold(&own, k[i]);                                                             \
		const real *pair = find_rounded(&own, at.t, room);                                                     \
                                                                                                                       \
		((real *)ret_re)[i * stride] = (real)signs[at.quarters][0] * pair[at.exchange];                        \
		((real *)ret_im)[i * stride] = (real)signs[at.quarters][1] * pair[!at.exchange];                       \
	}
	if (own.precision == FFT_F32)
		PUT(float)
	else
		PUT(double)
#undef PUT
}

void roots_rounded(const struct roots *roots, uint64_t k, double ret_root[2])
{
	float floats[2];

	if (roots->precision == FFT_F64) {
		roots_put(roots, &k, 1, 1, &ret_root[0], &ret_root[1]);
		return;
	}
	roots_put(roots, &k, 1, 1, &floats[0], &floats[1]);
	ret_root[0] = (double)floats[0];
	ret_root[1] = (double)floats[1];
}
