/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions by inversion, and their distribution functions by GSL. */
#ifndef TRNSCI_TESTS_STATISTICS_CASES_INVERSION_H
#define TRNSCI_TESTS_STATISTICS_CASES_INVERSION_H

#include <gsl/gsl_cdf.h>

#include "distributions/statistics.h"

#define PI        3.14159265358979323846
#define EULER     0.57721566490153286061
#define SQUARE(x) ((x) * (x))

static double below_uniform(double x, const union dist_value *p)
{
	return (x - p[0].real) / (p[1].real - p[0].real);
}

static double below_normal(double x, const union dist_value *p)
{
	return gsl_cdf_gaussian_P(x - p[0].real, p[1].real);
}

static double below_exponential(double x, const union dist_value *p)
{
	return gsl_cdf_exponential_P(x, 1 / p[0].real);
}

static double below_laplace(double x, const union dist_value *p)
{
	return gsl_cdf_laplace_P(x - p[0].real, p[1].real);
}

static double below_lognormal(double x, const union dist_value *p)
{
	return gsl_cdf_lognormal_P(x, p[0].real, p[1].real);
}

static double below_gumbel(double x, const union dist_value *p)
{
	return gsl_cdf_gumbel1_P((x - p[0].real) / p[1].real, 1, 1);
}

static double below_weibull(double x, const union dist_value *p)
{
	return gsl_cdf_weibull_P(x, p[1].real, p[0].real);
}

static double below_cauchy(double x, const union dist_value *p)
{
	return gsl_cdf_cauchy_P(x - p[0].real, p[1].real);
}

static double below_student_t(double x, const union dist_value *p)
{
	return gsl_cdf_tdist_P(x, p[0].real);
}

/* From whichever side loses less. */
static double below_truncated(double x, const union dist_value *p)
{
	const double z = (x - p[0].real) / p[1].real, a = p[2].real, b = p[3].real;

	if (a > 0)
		return (gsl_cdf_ugaussian_Q(a) - gsl_cdf_ugaussian_Q(z)) /
		       (gsl_cdf_ugaussian_Q(a) - gsl_cdf_ugaussian_Q(b));
	return (gsl_cdf_ugaussian_P(z) - gsl_cdf_ugaussian_P(a)) / (gsl_cdf_ugaussian_P(b) - gsl_cdf_ugaussian_P(a));
}

static double below_geometric(double x, const union dist_value *p)
{
	return x < 1 ? 0 : -expm1(x * log1p(-p[0].real));
}

static const struct dist_case inversion_cases[] = {
	{DIST_UNIFORM, DTYPE_F32, {{-3}, {5}}, below_uniform, 1, 64.0 / 12},
	{DIST_UNIFORM, DTYPE_F64, {{1e6}, {1e6 + 1}}, below_uniform, 1e6 + 0.5, 1.0 / 12},
	{DIST_UNIFORM, DTYPE_F64, {{0}, {1}}, below_uniform, 0.5, 1.0 / 12},
	{DIST_NORMAL, DTYPE_F32, {{0}, {1}}, below_normal, 0, 1},
	{DIST_NORMAL, DTYPE_F64, {{-4}, {0.1}}, below_normal, -4, 0.01},
	{DIST_NORMAL, DTYPE_F32, {{0}, {1}, {.natural = NORMAL_BOXMULLER64}}, below_normal, 0, 1},
	{DIST_NORMAL, DTYPE_F64, {{5}, {2}, {.natural = NORMAL_BOXMULLER64}}, below_normal, 5, 4},
	{DIST_EXPONENTIAL, DTYPE_F32, {{1}}, below_exponential, 1, 1},
	{DIST_EXPONENTIAL, DTYPE_F64, {{1}}, below_exponential, 1, 1},
	{DIST_EXPONENTIAL, DTYPE_F32, {{250}}, below_exponential, 1.0 / 250, 1.0 / 62500},
	{DIST_EXPONENTIAL, DTYPE_F64, {{1e-9}}, below_exponential, 1e9, 1e18},
	{DIST_LAPLACE, DTYPE_F32, {{0}, {1}}, below_laplace, 0, 2},
	{DIST_LAPLACE, DTYPE_F64, {{-2}, {0.3}}, below_laplace, -2, 0.18},
	{DIST_LAPLACE, DTYPE_F32, {{9}, {40}}, below_laplace, 9, 3200},
	{DIST_LOGNORMAL, DTYPE_F32, {{0}, {0.5}}, below_lognormal, 1.1331484530668263, 0.36469585133423665},
	{DIST_LOGNORMAL, DTYPE_F64, {{-3}, {0.25}}, below_lognormal, 0.05136747956725073, 0.00017017623743359082},
	{DIST_LOGNORMAL, DTYPE_F32, {{10}, {0.1}}, below_lognormal, 22136.873914062086, 4924995.804329117},
	{DIST_LOGNORMAL, DTYPE_F32, {{10}, {4}}, below_lognormal, NAN, NAN},
	{DIST_GUMBEL, DTYPE_F32, {{0}, {1}}, below_gumbel, EULER, SQUARE(PI) / 6},
	{DIST_GUMBEL, DTYPE_F64, {{-1}, {2}}, below_gumbel, 2 * EULER - 1, 4 * SQUARE(PI) / 6},
	{DIST_GUMBEL, DTYPE_F64, {{100}, {0.01}}, below_gumbel, 100 + 0.01 * EULER, 1e-4 * SQUARE(PI) / 6},
	{DIST_WEIBULL, DTYPE_F32, {{1}, {1}}, below_weibull, 1, 1},
	{DIST_WEIBULL, DTYPE_F64, {{2}, {3}}, below_weibull, 2.6586807763582736, 1.9314165306146306},
	{DIST_WEIBULL, DTYPE_F32, {{0.1}, {1}}, below_weibull, NAN, NAN},
	{DIST_WEIBULL, DTYPE_F64, {{50}, {7}}, below_weibull, 6.921909422847392, 0.03064178669447004},
	{DIST_CAUCHY, DTYPE_F32, {{0}, {1}}, below_cauchy, NAN, NAN},
	{DIST_CAUCHY, DTYPE_F64, {{0}, {1}}, below_cauchy, NAN, NAN},
	{DIST_CAUCHY, DTYPE_F32, {{-7}, {0.01}}, below_cauchy, NAN, NAN},
	{DIST_CAUCHY, DTYPE_F64, {{3}, {1e6}}, below_cauchy, NAN, NAN},
	{DIST_STUDENT_T, DTYPE_F32, {{5}}, below_student_t, 0, 5.0 / 3},
	{DIST_STUDENT_T, DTYPE_F64, {{30}}, below_student_t, 0, 30.0 / 28},
	{DIST_STUDENT_T, DTYPE_F64, {{1}}, below_student_t, NAN, NAN},
	{DIST_STUDENT_T, DTYPE_F32, {{0.2}}, below_student_t, NAN, NAN},
	{DIST_STUDENT_T, DTYPE_F64, {{1e7}}, below_student_t, 0, 1},
	{DIST_TRUNCATED_NORMAL, DTYPE_F32, {{0}, {1}, {-2}, {2}}, below_truncated, 0, 0.77374130235499998},
	{DIST_TRUNCATED_NORMAL,
	 DTYPE_F64,
	 {{3}, {2}, {-1}, {4}},
	 below_truncated,
	 3.5749034492140539,
	 2.5164976649164239},
	{DIST_TRUNCATED_NORMAL,
	 DTYPE_F64,
	 {{0}, {1}, {0.5}, {0.75}},
	 below_truncated,
	 0.62175288421918018,
	 0.0051911767443525679},
	{DIST_TRUNCATED_NORMAL,
	 DTYPE_F64,
	 {{0}, {1}, {5}, {INFINITY}},
	 below_truncated,
	 5.1865039671258417,
	 0.032696434617112233},
	{DIST_TRUNCATED_NORMAL,
	 DTYPE_F64,
	 {{0}, {1}, {-INFINITY}, {1}},
	 below_truncated,
	 -0.28759997093917838,
	 0.62968628577660535},
	{DIST_TRUNCATED_NORMAL,
	 DTYPE_F64,
	 {{0}, {1}, {-29}, {-20}},
	 below_truncated,
	 -20.049753068527849,
	 0.0024632616150521433},
	{DIST_TRUNCATED_NORMAL,
	 DTYPE_F64,
	 {{0}, {1}, {31}, {31.02}},
	 below_truncated,
	 31.008972913386994,
	 3.2701487883625329e-05},
	{DIST_TRUNCATED_NORMAL,
	 DTYPE_F64,
	 {{0}, {1}, {-36}, {-34}},
	 below_truncated,
	 -34.029361097995022,
	 0.0008605940938743483},
	{DIST_TRUNCATED_NORMAL,
	 DTYPE_F32,
	 {{0}, {1}, {35}, {INFINITY}},
	 below_truncated,
	 35.028524970596685,
	 0.0008123551683826409},
	{DIST_GEOMETRIC, DTYPE_I64, {{0.5}}, below_geometric, 2, 2},
	{DIST_GEOMETRIC, DTYPE_I64, {{0.01}}, below_geometric, 100, 9900},
	{DIST_GEOMETRIC, DTYPE_I64, {{0.93}}, below_geometric, 1 / 0.93, 0.07 / SQUARE(0.93)},
	{DIST_GEOMETRIC, DTYPE_I64, {{1e-7}}, below_geometric, 1e7, 1e14 * (1 - 1e-7)},
};

#endif
