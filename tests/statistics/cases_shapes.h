/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions whose parameters are read for each sample, and their distribution functions by GSL, closed forms and
 * sums. */
#ifndef TRNSCI_TESTS_STATISTICS_CASES_SHAPES_H
#define TRNSCI_TESTS_STATISTICS_CASES_SHAPES_H

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_zeta.h>

#include "distributions/statistics.h"

static double below_rayleigh(double x, const union dist_value *p)
{
	return gsl_cdf_rayleigh_P(x, p[0].real);
}

static double below_logistic(double x, const union dist_value *p)
{
	return gsl_cdf_logistic_P(x - p[0].real, p[1].real);
}

static double below_pareto(double x, const union dist_value *p)
{
	return x < 0 ? 0 : -expm1(-p[0].real * log1p(x));
}

static double below_power(double x, const union dist_value *p)
{
	return x <= 0 ? 0 : x >= 1 ? 1 : pow(x, p[0].real);
}

static double below_triangular(double x, const union dist_value *p)
{
	const double left = p[0].real, mode = p[1].real, right = p[2].real, base = right - left;

	if (x <= left || x >= right)
		return x >= right;
	return x < mode ? (x - left) * (x - left) / base / (mode - left)
			: 1 - (right - x) * (right - x) / base / (right - mode);
}

/* 1/2 + x / (2 pi) + sum I_j(kappa) / I_0(kappa) sin(j x) / (pi j), x measured from mu. */
static double below_vonmises(double x, const union dist_value *p)
{
	const double pi = 3.14159265358979323846, kappa = p[1].real, i0 = gsl_sf_bessel_I0_scaled(kappa);
	const double from = remainder(-pi - p[0].real, 2 * pi), to = remainder(x - p[0].real, 2 * pi);
	double at[2];

	for (int k = 0; k < 2; k++) {
		const double y = k ? to : from;

		at[k] = 0.5 + y / (2 * pi);
		for (int j = 1; j < 80; j++) {
			const double share = gsl_sf_bessel_In_scaled(j, kappa) / i0;

			at[k] += share * sin(j * y) / (pi * j);
			if (share < 1e-18)
				break;
		}
	}
	const double below = at[1] - at[0];

	return below < -1e-9 ? below + 1 : fmin(fmax(below, 0), 1);
}

static double below_wald(double x, const union dist_value *p)
{
	const double mean = p[0].real, scale = p[1].real, root = sqrt(scale / x);

	return x <= 0 ? 0
		      : gsl_cdf_ugaussian_P(root * (x / mean - 1)) +
				exp(2 * scale / mean + log(gsl_cdf_ugaussian_P(-root * (x / mean + 1))));
}

static double below_f(double x, const union dist_value *p)
{
	return gsl_cdf_fdist_P(x, p[0].real, p[1].real);
}

/* Sums over the Poisson number: of chi-squared distributions, and of F's as betas. */
static double below_noncentral(double x, double df, double nonc, double dfden)
{
	const double half = nonc / 2, y = dfden > 0 ? df * x / (df * x + dfden) : 0;
	const int most = (int)(half + 12 * sqrt(half + 1) + 30);
	double sum = 0;

	for (int j = 0; j < most; j++) {
		const double share = half > 0 ? gsl_ran_poisson_pdf((unsigned)j, half) : j == 0;

		if (share > 1e-18)
			sum += share * (dfden > 0 ? gsl_cdf_beta_P(y, df / 2 + j, dfden / 2)
						  : gsl_cdf_chisq_P(x, df + 2 * j));
	}
	return fmin(sum, 1);
}

static double below_noncentral_chisquare(double x, const union dist_value *p)
{
	return below_noncentral(x, p[0].real, p[1].real, 0);
}

static double below_noncentral_f(double x, const union dist_value *p)
{
	return below_noncentral(x, p[0].real, p[2].real, p[1].real);
}

static double below_zipf(double x, const union dist_value *p)
{
	return x < 1 ? 0 : 1 - gsl_sf_hzeta(p[0].real, x + 1) / gsl_sf_zeta(p[0].real);
}

static double below_logseries(double x, const union dist_value *p)
{
	double sum = 0, term = 1;

	for (int j = 1; j <= x && term > 1e-18; j++) {
		term *= p[0].real;
		sum += term / j;
	}
	return fmin(sum / -log1p(-p[0].real), 1);
}

static double below_negative_binomial(double x, const union dist_value *p)
{
	return x < 0 ? 0 : gsl_cdf_beta_P(p[1].real, p[0].real, x + 1);
}

static double below_hypergeometric(double x, const union dist_value *p)
{
	const double good = (double)p[0].natural, bad = (double)p[1].natural, drawn = (double)p[2].natural;
	const double least = drawn > bad ? drawn - bad : 0, most = drawn < good ? drawn : good;

	return x < least  ? 0
	       : x >= most ? 1
			   : gsl_cdf_hypergeometric_P((unsigned)x, (unsigned)good, (unsigned)bad, (unsigned)drawn);
}

/* multinomial's shares; the second parameter of a case says which component is looked at. */
enum { SHARES = 5 };
static const double shares[SHARES] = {0.1, 0, 0.4, 0.3, 0.2};

static double below_multinomial(double x, const union dist_value *p)
{
	const double n = (double)p[0].natural, share = shares[p[1].natural];

	return x < 0 ? 0 : x >= n ? 1 : gsl_cdf_beta_Q(share, x + 1, n - x);
}

#define NUMBERS(a, b, c)                                                                                               \
	{                                                                                                              \
		{.natural = a}, {.natural = b}, {.natural = c}                                                         \
	}
#define OUTCOME(n, which, share) {{.natural = n}, {.natural = which}}, below_multinomial, n * share, n * share * (1 - share)

static const struct dist_case shape_cases[] = {
	{DIST_RAYLEIGH, DTYPE_F32, {{1}}, below_rayleigh, 1.2533141373155003, 0.42920367320510344},
	{DIST_RAYLEIGH, DTYPE_F64, {{0.3}}, below_rayleigh, 0.37599424119465006, 0.038628330588459314},
	{DIST_RAYLEIGH, DTYPE_F64, {{70}}, below_rayleigh, NAN, NAN},
	{DIST_LOGISTIC, DTYPE_F32, {{0}, {1}}, below_logistic, 0, 3.289868133696453},
	{DIST_LOGISTIC, DTYPE_F64, {{3}, {0.1}}, below_logistic, 3, 0.03289868133696453},
	{DIST_LOGISTIC, DTYPE_F64, {{-1}, {20}}, below_logistic, -1, 1315.9472534785811},
	{DIST_PARETO, DTYPE_F32, {{3}}, below_pareto, NAN, NAN},
	{DIST_PARETO, DTYPE_F64, {{0.5}}, below_pareto, NAN, NAN},
	{DIST_PARETO, DTYPE_F64, {{30}}, below_pareto, 1.0 / 29, 30.0 / (29 * 29 * 28)},
	{DIST_POWER, DTYPE_F32, {{3}}, below_power, 0.75, 0.0375},
	{DIST_POWER, DTYPE_F64, {{0.2}}, below_power, 1.0 / 6, 0.2 / (1.2 * 1.2 * 2.2)},
	{DIST_POWER, DTYPE_F64, {{50}}, below_power, NAN, NAN},
	{DIST_TRIANGULAR, DTYPE_F32, {{0}, {0.5}, {1}}, below_triangular, 0.5, 1.0 / 24},
	{DIST_TRIANGULAR, DTYPE_F64, {{-3}, {-3}, {8}}, below_triangular, 2.0 / 3, 121.0 / 18},
	{DIST_TRIANGULAR, DTYPE_F64, {{1}, {3}, {3}}, below_triangular, 7.0 / 3, 4.0 / 18},
	{DIST_VONMISES, DTYPE_F32, {{0}, {1}}, below_vonmises, NAN, NAN},
	{DIST_VONMISES, DTYPE_F64, {{2}, {0.1}}, below_vonmises, NAN, NAN},
	{DIST_VONMISES, DTYPE_F64, {{-1}, {40}}, below_vonmises, NAN, NAN},
	{DIST_VONMISES, DTYPE_F64, {{0.5}, {0}}, below_vonmises, NAN, NAN},
	{DIST_VONMISES, DTYPE_F64, {{1}, {0.45}}, below_vonmises, NAN, NAN},
	{DIST_WALD, DTYPE_F32, {{1}, {1}}, below_wald, 1, 1},
	{DIST_WALD, DTYPE_F64, {{3}, {0.5}}, below_wald, NAN, NAN},
	{DIST_WALD, DTYPE_F64, {{0.1}, {8}}, below_wald, 0.1, 0.000125},
	{DIST_F, DTYPE_F32, {{5}, {20}}, below_f, NAN, NAN},
	{DIST_F, DTYPE_F64, {{0.5}, {3}}, below_f, NAN, NAN},
	{DIST_F, DTYPE_F64, {{40}, {0.7}}, below_f, NAN, NAN},
	{DIST_NONCENTRAL_CHISQUARE, DTYPE_F32, {{3}, {2}}, below_noncentral_chisquare, 5, 14},
	{DIST_NONCENTRAL_CHISQUARE, DTYPE_F64, {{0.5}, {30}}, below_noncentral_chisquare, 30.5, 121},
	{DIST_NONCENTRAL_CHISQUARE, DTYPE_F64, {{1}, {7}}, below_noncentral_chisquare, 8, 30},
	{DIST_NONCENTRAL_CHISQUARE, DTYPE_F64, {{1.01}, {0.5}}, below_noncentral_chisquare, NAN, NAN},
	{DIST_NONCENTRAL_CHISQUARE, DTYPE_F64, {{10}, {0}}, below_noncentral_chisquare, 10, 20},
	{DIST_NONCENTRAL_F, DTYPE_F32, {{3}, {20}, {2}}, below_noncentral_f, NAN, NAN},
	{DIST_NONCENTRAL_F, DTYPE_F64, {{1}, {5}, {15}}, below_noncentral_f, NAN, NAN},
	{DIST_NONCENTRAL_F, DTYPE_F64, {{10}, {8}, {0}}, below_noncentral_f, NAN, NAN},
	{DIST_ZIPF, DTYPE_I64, {{2}}, below_zipf, NAN, NAN},
	{DIST_ZIPF, DTYPE_I64, {{1.2}}, below_zipf, NAN, NAN},
	{DIST_ZIPF, DTYPE_I64, {{7}}, below_zipf, NAN, NAN},
	{DIST_LOGSERIES, DTYPE_I64, {{0.5}}, below_logseries, 1.4426950408889634, 0.80402114800402},
	{DIST_LOGSERIES, DTYPE_I64, {{0.99}}, below_logseries, NAN, NAN},
	{DIST_LOGSERIES, DTYPE_I64, {{0.01}}, below_logseries, NAN, NAN},
	{DIST_NEGATIVE_BINOMIAL, DTYPE_I64, {{5}, {0.3}}, below_negative_binomial, 35.0 / 3, 350.0 / 9},
	{DIST_NEGATIVE_BINOMIAL, DTYPE_I64, {{0.5}, {0.01}}, below_negative_binomial, 49.5, 4950},
	{DIST_NEGATIVE_BINOMIAL, DTYPE_I64, {{200}, {0.9}}, below_negative_binomial, NAN, NAN},
	{DIST_HYPERGEOMETRIC, DTYPE_I64, NUMBERS(10, 20, 5), below_hypergeometric, 5.0 / 3, 250.0 / 261},
	{DIST_HYPERGEOMETRIC, DTYPE_I64, NUMBERS(30, 7, 33), below_hypergeometric, NAN, NAN},
	{DIST_HYPERGEOMETRIC, DTYPE_I64, NUMBERS(100, 200, 120), below_hypergeometric, 40, 16.053511705685619},
	{DIST_HYPERGEOMETRIC, DTYPE_I64, NUMBERS(3000, 1000, 2500), below_hypergeometric, NAN, NAN},
	{DIST_HYPERGEOMETRIC, DTYPE_I64, NUMBERS(12, 50000, 20000), below_hypergeometric, NAN, NAN},
	{DIST_MULTINOMIAL, DTYPE_I64, OUTCOME(20, 0, 0.1)},
	{DIST_MULTINOMIAL, DTYPE_I64, OUTCOME(20, 4, 0.2)},
	{DIST_MULTINOMIAL, DTYPE_I64, OUTCOME(1000, 2, 0.4)},
	{DIST_MULTINOMIAL, DTYPE_I64, OUTCOME(5, 3, 0.3)},
};

#endif
