/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson and binomial numbers on both sides of where tables end, and their distribution functions by GSL. */
#ifndef TRNSCI_TESTS_STATISTICS_CASES_COUNTS_H
#define TRNSCI_TESTS_STATISTICS_CASES_COUNTS_H

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "distributions/statistics.h"
#include "statistics/gamma_above.h"

static double below_poisson(double k, const union dist_value *p)
{
	const double mean = p[0].real;

	return k < 0 ? 0 : mean < 1e4 ? gsl_cdf_poisson_P((unsigned)k, mean) : gamma_above(k + 1, mean);
}

static double below_binomial(double k, const union dist_value *p)
{
	const double n = (double)p[0].natural, q = 1 - p[1].real, spread = sqrt(n * p[1].real * q);

	/* Edgeworth's expansion to the skewness: what is left out is of the order of 1 / variance. */
	if (n > 1e7) {
		const double z = (k + 0.5 - n * p[1].real) / spread, skewness = (q - p[1].real) / spread;

		return gsl_cdf_ugaussian_P(z) - gsl_ran_ugaussian_pdf(z) * skewness * (z * z - 1) / 6;
	}
	return k < 0 ? 0 : k >= n ? 1 : gsl_cdf_beta_Q(p[1].real, k + 1, n - k);
}

#define BINOMIAL(n, p) {{.natural = (n)}, {p}}, below_binomial, (double)(n) * (p), (double)(n) * (p) * (1 - (p))

static const struct dist_case counts_cases[] = {
	{DIST_POISSON, DTYPE_I64, {{0.01}}, below_poisson, 0.01, 0.01},
	{DIST_POISSON, DTYPE_I64, {{1}}, below_poisson, 1, 1},
	{DIST_POISSON, DTYPE_I64, {{7.3}}, below_poisson, 7.3, 7.3},
	{DIST_POISSON, DTYPE_I64, {{100}}, below_poisson, 100, 100},
	{DIST_POISSON, DTYPE_I64, {{2000}}, below_poisson, 2000, 2000},
	{DIST_POISSON, DTYPE_I64, {{3000.5}}, below_poisson, 3000.5, 3000.5},
	{DIST_POISSON, DTYPE_I64, {{40000}}, below_poisson, 40000, 40000},
	{DIST_POISSON, DTYPE_I64, {{50000.5}}, below_poisson, 50000.5, 50000.5},
	{DIST_POISSON, DTYPE_I64, {{1e6}}, below_poisson, 1e6, 1e6},
	{DIST_POISSON, DTYPE_I64, {{1e9}}, below_poisson, 1e9, 1e9},
	{DIST_BINOMIAL, DTYPE_I64, BINOMIAL(1, 0.3)},
	{DIST_BINOMIAL, DTYPE_I64, BINOMIAL(20, 0.5)},
	{DIST_BINOMIAL, DTYPE_I64, BINOMIAL(1000, 0.003)},
	{DIST_BINOMIAL, DTYPE_I64, BINOMIAL(10000, 0.9)},
	{DIST_BINOMIAL, DTYPE_I64, BINOMIAL(20000, 0.5)},
	{DIST_BINOMIAL, DTYPE_I64, BINOMIAL(1000000, 0.01)},
	{DIST_BINOMIAL, DTYPE_I64, BINOMIAL(1000000, 0.83)},
	{DIST_BINOMIAL, DTYPE_I64, BINOMIAL(9000000, 0.005)},
	{DIST_BINOMIAL, DTYPE_I64, BINOMIAL(UINT64_C(1000000000), 0.4)},
};

#endif
