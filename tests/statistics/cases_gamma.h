/* SPDX-License-Identifier: Apache-2.0 */
/* Gamma, chi-squared and beta, and their distribution functions by GSL. */
#ifndef TRNSCI_TESTS_STATISTICS_CASES_GAMMA_H
#define TRNSCI_TESTS_STATISTICS_CASES_GAMMA_H

#include <gsl/gsl_cdf.h>

#include "distributions/statistics.h"
#include "statistics/gamma_above.h"

static double below_gamma(double x, const union dist_value *p)
{
	const double a = p[0].real, y = x / p[1].real;

	return a < 1e5 ? gsl_cdf_gamma_P(y, a, 1) : 1 - gamma_above(a, y);
}

static double below_chi_squared(double x, const union dist_value *p)
{
	return gsl_cdf_chisq_P(x, p[0].real);
}

static double below_beta(double x, const union dist_value *p)
{
	return gsl_cdf_beta_P(x, p[0].real, p[1].real);
}

static const struct dist_case gamma_cases[] = {
	{DIST_GAMMA, DTYPE_F32, {{1}, {1}}, below_gamma, 1, 1},
	{DIST_GAMMA, DTYPE_F64, {{1}, {1}}, below_gamma, 1, 1},
	{DIST_GAMMA, DTYPE_F32, {{2.5}, {3}}, below_gamma, 7.5, 22.5},
	{DIST_GAMMA, DTYPE_F64, {{100}, {0.01}}, below_gamma, 1, 0.01},
	{DIST_GAMMA, DTYPE_F64, {{1e6}, {1}}, below_gamma, 1e6, 1e6},
	{DIST_GAMMA, DTYPE_F32, {{0.5}, {1}}, below_gamma, 0.5, 0.5},
	{DIST_GAMMA, DTYPE_F64, {{0.1}, {2}}, below_gamma, 0.2, 0.4},
	{DIST_GAMMA, DTYPE_F64, {{0.01}, {1}}, below_gamma, 0.01, 0.01},
	{DIST_CHI_SQUARED, DTYPE_F32, {{1}}, below_chi_squared, 1, 2},
	{DIST_CHI_SQUARED, DTYPE_F64, {{3}}, below_chi_squared, 3, 6},
	{DIST_CHI_SQUARED, DTYPE_F32, {{50}}, below_chi_squared, 50, 100},
	{DIST_BETA, DTYPE_F32, {{1}, {1}}, below_beta, 0.5, 1.0 / 12},
	{DIST_BETA, DTYPE_F64, {{2}, {5}}, below_beta, 2.0 / 7, 10.0 / 392},
	{DIST_BETA, DTYPE_F32, {{0.5}, {0.5}}, below_beta, 0.5, 0.125},
	{DIST_BETA, DTYPE_F64, {{0.1}, {3}}, below_beta, 0.1 / 3.1, 0.3 / (9.61 * 4.1)},
	{DIST_BETA, DTYPE_F64, {{300}, {200}}, below_beta, 0.6, 60000.0 / (250000.0 * 501)},
};

#endif
