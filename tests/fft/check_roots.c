/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of unity: exact at the quarters, mirrored exactly, on the circle, and right against direct evaluation. */
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
		struct roots roots;

		assert_int_equal(roots_create(lengths[i], &roots), 0);
		while (roots_step(&roots) > 0)
			;
		check_quarters(&roots);
		check_values(&roots);
		roots_free(&roots);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_roots)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
