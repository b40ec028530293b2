/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of unity: exact at the quarters, mirrored exactly, on the circle, right against direct evaluation, and
 * rounded once. */
#include "fft/plan/roots.h"

#include <float.h>
#include <math.h>

#include "fixture.h"

static const uint64_t lengths[] = {
	1, 2, 3, 4, 5, 7, 8, 12, 13, 64, 100, 1000, 4096, 65537, 1 << 20, (uint64_t)1 << 31, 2147483629};

static void expect_root(const struct roots *roots, uint64_t k, long double re, long double im, long double allowed)
{
	long double got[2];

	roots_at(roots, k, got);
	if (!(fabsl(got[0] - re) <= allowed && fabsl(got[1] - im) <= allowed))
		fail_msg("n=%llu k=%llu: expected %.20Lg %+.20Lgi, got %.20Lg %+.20Lgi", (unsigned long long)roots->n,
			 (unsigned long long)k, re, im, got[0], got[1]);
}

/* Builds the roots of each precision. */
static void create_both(uint64_t n, struct roots ret_roots[2])
{
	for (enum fft_precision precision = FFT_F32; precision <= FFT_F64; precision++) {
		assert_int_equal(roots_create_rounded(n, precision, &ret_roots[precision]), 0);
		while (roots_step(&ret_roots[precision]) > 0)
			;
	}
}

static void free_both(struct roots roots[2])
{
	roots_free(&roots[FFT_F32]);
	roots_free(&roots[FFT_F64]);
}

/* Fails unless the root rounded to each precision is what its 64 bits round to, the signs of zeros included. */
static void expect_rounded(const struct roots roots[2], uint64_t k)
{
	long double exact[2];
	double got[2][2];

	roots_at(roots, k, exact);
	roots_rounded(&roots[FFT_F32], k, got[FFT_F32]);
	roots_rounded(&roots[FFT_F64], k, got[FFT_F64]);
	for (unsigned part = 0; part < 2; part++)
		if (got[FFT_F64][part] != (double)exact[part] || got[FFT_F32][part] != (double)(float)exact[part] ||
		    !signbit(got[FFT_F64][part]) != !signbit(exact[part]) || !signbit(got[FFT_F32][part]) != !signbit(exact[part]))
			fail_msg("n=%llu k=%llu: %.21Lg is rounded to %.17g and %.9g", (unsigned long long)roots->n,
				 (unsigned long long)k, exact[part], got[FFT_F64][part], got[FFT_F32][part]);
}

/* These are so near the middle of two numbers that products of doubles alone round to the other one: in float64, and the last in
 * float32. */
static const struct {
	uint64_t n, k;
} near_middles[] = {{50000003, 689048}, {50000009, 565027}, {50000013, 3770411}, {50000017, 2109546}, {50000019, 1177310}};

static void check_near_middles(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof near_middles / sizeof *near_middles; i++) {
		struct roots roots[2];

		create_both(near_middles[i].n, roots);
		expect_rounded(roots, near_middles[i].k);
		free_both(roots);
	}
}

/* All roots of short lengths; of long ones the first, whose sines are too small to be rounded from doubles, and some others. */
static void check_rounding(const struct roots *roots)
{
	uint64_t state = fixture_seed;

	for (uint64_t k = 0; k < roots->n && k < 5000; k++)
		expect_rounded(roots, k);
	for (unsigned i = 0; i < 20000 && roots->n > 5000; i++)
		expect_rounded(roots, fixture_next(&state) % roots->n);
}

static void check_quarters(const struct roots *roots)
{
	expect_root(roots, 0, 1, 0, 0);
	expect_root(roots, roots->n, 1, 0, 0);
	if (roots->n % 2 == 0)
		expect_root(roots, roots->n / 2, -1, 0, 0);
	if (roots->n % 4 == 0) {
		expect_root(roots, roots->n / 4, 0, -1, 0);
		expect_root(roots, roots->n / 4 * 3, 0, 1, 0);
	}
}

/* Direct evaluation is good to its own rounding of the angle only: a few units of the last place at 2 pi. */
static void check_values(const struct roots *roots)
{
	const long double two_pi = 6.283185307179586476925286766559005768L;
	uint64_t state = fixture_seed;

	for (unsigned i = 0; i < 300; i++) {
		const uint64_t k = fixture_next(&state) % roots->n;
		const long double angle = two_pi * (long double)k / (long double)roots->n;
		long double mirrored[2];

		expect_root(roots, k, cosl(angle), -sinl(angle), 16 * LDBL_EPSILON);
		roots_at(roots, roots->n - k, mirrored);
		expect_root(roots, k, mirrored[0], -mirrored[1], 0);
		assert_true(fabsl(hypotl(mirrored[0], mirrored[1]) - 1) < 4 * LDBL_EPSILON);
	}
}

static void check_roots(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct roots roots[2];

		create_both(lengths[i], roots);
		check_quarters(roots);
		check_values(roots);
		check_rounding(roots);
		free_both(roots);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_roots), cmocka_unit_test(check_near_middles)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
