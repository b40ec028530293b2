/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of coloured noise, against sums in wider arithmetic: taps, response, std, the deviation that is stated. */
#include "colored/colored_design.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static const long double turn = 6.283185307179586476925286766559005768L;

static struct colored_design exponent_design(double exponent, uint64_t length)
{
	return (struct colored_design){.kind = COLORED_BY_EXPONENT,
				       .fs = 1,
				       .high = 0.5,
				       .exponent = exponent,
				       .flat_below = 1 / (double)length,
				       .length = length,
				       .std = 1,
				       .least_std = 1e-280,
				       .most_std = 1e280};
}

static struct colored_filter make(const struct colored_design *design, bool is_wide)
{
	struct colored_builder builder;
	struct colored_filter filter;
	int more;

	assert_int_equal(colored_builder_begin(design, is_wide, &builder, &filter), 0);
	do
		more = colored_builder_step(&builder);
	while (more > 0);
	assert_int_equal(more, 0);
	colored_builder_free(&builder);
	return filter;
}

/* Returns tap j, from the spectrum by the inverse transform's sum. */
static long double tap_of(const struct colored_filter *f, uint64_t j)
{
	const uint64_t n = f->block, at = (j + n - (f->length - 1)) % n;
	const double *h = f->spectrum;
	long double sum = 0;

	for (uint64_t k = 0; k <= n / 2; k++) {
		const long double angle = turn * (long double)(k * at % n) / (long double)n;

		sum += (k == 0 || k == n / 2 ? 1 : 2) * (h[2 * k] * cosl(angle) - h[2 * k + 1] * sinl(angle));
	}
	return sum / (long double)n;
}

/* Returns tap j of the design as its head describes it, but for its scale. */
static long double expected_tap(const struct colored_design *d, uint64_t j)
{
	const uint64_t n = colored_block(d->length), middle = d->length / 2, m = j > middle ? j - middle : middle - j;
	long double sum = 0;

	for (uint64_t k = 0; k <= n / 2; k++) {
		const long double f = (long double)k / (long double)n;
		const long double a = powl(f > d->flat_below ? f : (long double)d->flat_below, -(long double)d->exponent / 2);

		sum += (k == 0 || k == n / 2 ? 1 : 2) * a * cosl(turn * (long double)(k * m % n) / (long double)n);
	}
	return sum / (long double)n * (0.5L + 0.5L * cosl(turn * (long double)m / (long double)d->length));
}

static void taps_are_those_of_the_design(void **state)
{
	static const double exponents[] = {-4, -1, 0.5, 2, 4};
	static const uint64_t lengths[] = {16, 65, 500};

	(void)state;
	for (size_t e = 0; e < 5; e++)
		for (size_t l = 0; l < 3; l++) {
			const struct colored_design design = exponent_design(exponents[e], lengths[l]);
			struct colored_filter filter = make(&design, true);
			long double squares = 0;

			for (uint64_t j = 0; j < lengths[l]; j++)
				squares += powl(expected_tap(&design, j), 2);
			for (uint64_t j = 0; j < lengths[l]; j++) {
				const long double expected = expected_tap(&design, j) / sqrtl(squares), got = tap_of(&filter, j);

				if (fabsl(got - expected) > 4e-15L)
					fail_msg("exponent %g, tap %zu of %zu: expected %.17Lg, got %.17Lg", exponents[e], (size_t)j,
						 (size_t)lengths[l], expected, got);
			}
			assert_true(fabs(filter.std - 1) < 1e-15);
			colored_filter_free(&filter);
		}
}

/* |H|^2 at f, in decibels above the density, but for one constant. */
static double off_at(const struct colored_design *d, const double *taps, double f)
{
	long double re = 0, im = 0;

	for (uint64_t j = 0; j < d->length; j++) {
		const long double angle = turn * fmodl((long double)f * (long double)j, 1);

		re += taps[j] * cosl(angle);
		im += taps[j] * sinl(angle);
	}
	return (double)(10 * log10l((re * re + im * im) * powl(f, (long double)d->exponent)));
}

/* Between grid points, too. What is constant is found at 0.1. */
static void responses_follow_the_density(void **state)
{
	static const uint64_t lengths[] = {64, 301, 1024};

	(void)state;
	for (double exponent = -4; exponent <= 4; exponent += 0.5)
		for (size_t l = 0; l < 3; l++) {
			const uint64_t length = lengths[l];
			const struct colored_design design = exponent_design(exponent, length);
			const double bound = fabs(exponent) <= 3 ? 0.1 : 0.2;
			struct colored_builder builder;
			struct colored_filter filter;
			double least = INFINITY, most = -INFINITY;

			assert_int_equal(colored_builder_begin(&design, true, &builder, &filter), 0);
			while (colored_builder_step(&builder) > 0)
				;
			for (double f = 10 / (double)length; f <= 0.45; f *= 1.05) {
				const double off = off_at(&design, builder.taps, f);

				least = off < least ? off : least;
				most = off > most ? off : most;
			}
			if (most - least > bound)
				fail_msg("exponent %g, %zu taps: the response spreads over %g dB, allowed is %g", exponent, (size_t)length,
					 most - least, bound);
			if (!(filter.deviation <= bound) || filter.deviation < (most - least) / 2)
				fail_msg("exponent %g, %zu taps: deviation is stated as %g dB, allowed is %g to %g", exponent,
					 (size_t)length, filter.deviation, (most - least) / 2, bound);
			colored_builder_free(&builder);
			colored_filter_free(&filter);
		}
}

/* The variance is the integral of the one-sided density. 1 from 0 to 100, falling as 1/f^2 to 1/16 at 400, 0 from 600 on. */
static void tables_are_absolute(void **state)
{
	static const double table[] = {0, 3, 100, 3, 400, 3.0 / 16};
	const struct colored_design design = {.kind = COLORED_BY_PSD,
					      .fs = 2000,
					      .high = 600,
					      .table = table,
					      .n_table = 3,
					      .length = 4096,
					      .least_std = 1e-280,
					      .most_std = 1e280};
	const double variance = 3 * (100 + 1e4 * (1.0 / 100 - 1.0 / 400)) + 3.0 / 16 * 200;
	struct colored_filter filter = make(&design, true);
	const double *h = filter.spectrum;

	(void)state;
	assert_true(fabs(filter.std * filter.std / variance - 1) < 2e-3);
	for (uint64_t k = 1; k <= filter.block / 2; k++) {
		const double f = 2000.0 * (double)k / (double)filter.block;
		const double p = (h[2 * k] * h[2 * k] + h[2 * k + 1] * h[2 * k + 1]) * 2 / 2000;
		const double expected = f < 100 ? 3 : f < 400 ? 3e4 / (f * f) : f <= 600 ? 3.0 / 16 : 0;

		if (fabs(f - 100) > 2 && fabs(f - 600) > 2 && fabs(p - expected) > 3e-3 * (expected + 1e-3))
			fail_msg("%g Hz: expected %g, got %g", f, expected, p);
	}
	colored_filter_free(&filter);
}

/* Taps as they are given, and scaled. */
static void taps_are_used_as_given(void **state)
{
	static const double taps[] = {3, 0, -4};
	struct colored_design design = {
		.kind = COLORED_BY_TAPS, .fs = 1, .high = 0.5, .table = taps, .n_table = 3, .length = 3, .least_std = 1e-280, .most_std = 1e280};

	(void)state;
	for (unsigned scaled = 0; scaled < 2; scaled++) {
		struct colored_filter filter;

		design.std = scaled ? 10 : 0;
		filter = make(&design, true);
		for (uint64_t j = 0; j < 3; j++)
			assert_true(fabsl(tap_of(&filter, j) - taps[j] * (scaled ? 2 : 1)) < 1e-14L);
		assert_true(fabs(filter.std - (scaled ? 10 : 5)) < 1e-14 && isnan(filter.deviation));
		colored_filter_free(&filter);
	}
}

/* The bytes of designs are a promise: FNV-1a of spectra, the same on every machine. */
static void spectra_have_their_bytes(void **state)
{
	static const double table[] = {0.01, 1, 0.1, 7, 0.3, 0.2};
	struct colored_design designs[3] = {exponent_design(1, 4096), exponent_design(-3.3, 333), exponent_design(0, 1000)};
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	(void)state;
	designs[2].kind = COLORED_BY_PSD;
	designs[2].table = table;
	designs[2].n_table = 3;
	for (size_t i = 0; i < 6; i++) {
		struct colored_filter filter = make(&designs[i / 2], i % 2);
		const size_t size = (size_t)(filter.block / 2 + 1) * 2 * (i % 2 ? sizeof(double) : sizeof(float));

		for (size_t k = 0; k < size; k++)
			hash = (hash ^ ((const unsigned char *)filter.spectrum)[k]) * UINT64_C(0x100000001b3);
		colored_filter_free(&filter);
	}
	if (hash != UINT64_C(0xd8828810b88d4d24))
		fail_msg("expected 0xd8828810b88d4d24, got 0x%016llx", (unsigned long long)hash);
}

static void impossible_tables_are_refused(void **state)
{
	static const double above[] = {0.4, 1, 0.45, 0}, great[] = {1e300, 1e300};
	struct colored_design designs[] = {
		{.kind = COLORED_BY_PSD, .fs = 1, .low = 0.46, .high = 0.5, .table = above, .n_table = 2, .length = 100},
		{.kind = COLORED_BY_TAPS, .fs = 1, .high = 0.5, .table = great, .n_table = 2, .length = 2}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct colored_builder builder;
		struct colored_filter filter;
		int more;

		designs[i].least_std = 1e-280;
		designs[i].most_std = 1e280;
		assert_int_equal(colored_builder_begin(&designs[i], true, &builder, &filter), 0);
		do
			more = colored_builder_step(&builder);
		while (more > 0);
		assert_int_equal(more, -ERROR_OUT_OF_RANGE);
		assert_true(i == 0 ? filter.std == 0 : filter.std > 1e300);
		colored_builder_free(&builder);
		colored_filter_free(&filter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taps_are_those_of_the_design), cmocka_unit_test(responses_follow_the_density),
		cmocka_unit_test(tables_are_absolute),          cmocka_unit_test(taps_are_used_as_given),
		cmocka_unit_test(spectra_have_their_bytes),     cmocka_unit_test(impossible_tables_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
