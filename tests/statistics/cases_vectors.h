/* SPDX-License-Identifier: Apache-2.0 */
/* One component of vectors, and its distribution function by GSL. */
#ifndef TRNSCI_TESTS_STATISTICS_CASES_VECTORS_H
#define TRNSCI_TESTS_STATISTICS_CASES_VECTORS_H

#include <gsl/gsl_cdf.h>

#include "distributions/statistics.h"

/* Dirichlet's first parameter says which alphas; its second, and the sphere's, which component. */
enum { ALPHAS = 4 };
static const double alphas[][ALPHAS] = {{1, 1, 1, 1}, {0.1, 2, 5, 0.7}, {300, 20, 0.5, 1}};

static double alphas_sum(uint64_t which)
{
	const double *a = alphas[which];

	return a[0] + a[1] + a[2] + a[3];
}

static double below_dirichlet(double x, const union dist_value *p)
{
	const double a = alphas[p[0].natural][p[1].natural];

	return gsl_cdf_beta_P(x, a, alphas_sum(p[0].natural) - a);
}

/* (x + 1) / 2 is beta((D - 1) / 2, (D - 1) / 2); float32 rounds some x to 1 and above. */
static double below_sphere(double x, const union dist_value *p)
{
	const double a = ((double)p[0].natural - 1) / 2;

	return gsl_cdf_beta_P(fmin(fmax((x + 1) / 2, 0), 1), a, a);
}

#define SHARE(which, component, a, sum)                                                                                \
	{{.natural = which}, {.natural = component}}, below_dirichlet, (a) / (sum),                                    \
		(a) * ((sum) - (a)) / ((sum) * (sum) * ((sum) + 1))
#define COORDINATE(d, component) {{.natural = d}, {.natural = component}}, below_sphere, 0, 1.0 / (d)

static const struct dist_case vector_cases[] = {
	{DIST_DIRICHLET, DTYPE_F32, SHARE(0, 3, 1.0, 4)},     {DIST_DIRICHLET, DTYPE_F64, SHARE(1, 0, 0.1, 7.8)},
	{DIST_DIRICHLET, DTYPE_F64, SHARE(1, 2, 5.0, 7.8)},   {DIST_DIRICHLET, DTYPE_F32, SHARE(2, 0, 300.0, 321.5)},
	{DIST_DIRICHLET, DTYPE_F64, SHARE(2, 2, 0.5, 321.5)}, {DIST_SPHERE, DTYPE_F32, COORDINATE(2, 0)},
	{DIST_SPHERE, DTYPE_F64, COORDINATE(3, 2)},           {DIST_SPHERE, DTYPE_F32, COORDINATE(4, 1)},
	{DIST_SPHERE, DTYPE_F64, COORDINATE(100, 99)},
};

#endif
