/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of samples share: a distribution with parameters and what its samples should be like, moments in standard
 * errors, and Kolmogorov and Smirnov's test. */
#ifndef TRNSCI_TESTS_DISTRIBUTIONS_STATISTICS_H
#define TRNSCI_TESTS_DISTRIBUTIONS_STATISTICS_H

#include <math.h>

#include "distributions/draw/draw_fill.h"
#include "distributions/draw/draw_prepare.h"
#include "rng/support.h"

struct dist_case {
	enum distribution distribution;
	enum dtype dtype;
	union dist_value parameters[DIST_PARAMETERS];
	double (*below)(double x, const union dist_value *p); /* P(X <= x) */
	double mean, variance;                               /* NAN: none, or not looked at */
};

/* Returns the p-value of a Kolmogorov-Smirnov distance scaled by sqrt(n). */
static inline double ks_tail(double scaled)
{
	double sum = 0;

	for (int j = 1; j < 100; j++)
		sum += (j % 2 ? 2 : -2) * exp(-2.0 * j * j * scaled * scaled);
	return scaled < 0.3 ? 1 : sum;
}

static inline int order_of(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts n numbers, and returns their Kolmogorov-Smirnov distance from the uniform distribution, times sqrt(n). */
static inline double ks_uniform(double *u, size_t n)
{
	double most = 0;

	qsort(u, n, sizeof *u, order_of);
	for (size_t i = 0; i < n; i++) {
		const double above = (double)(i + 1) / (double)n - u[i], below_it = u[i] - (double)i / (double)n;

		most = above > most ? above : most;
		most = below_it > most ? below_it : most;
	}
	return most * sqrt((double)n);
}

static inline double as_real(enum dtype dtype, const void *samples, size_t i)
{
	switch (dtype) {
	case DTYPE_F32:
		return ((const float *)samples)[i];
	case DTYPE_F64:
		return ((const double *)samples)[i];
	case DTYPE_I64:
		return (double)((const int64_t *)samples)[i];
	case DTYPE_I32:
		return ((const int32_t *)samples)[i];
	case DTYPE_U64:
		return (double)((const uint64_t *)samples)[i];
	case DTYPE_U32:
		return ((const uint32_t *)samples)[i];
	default:
		return ((const int8_t *)samples)[i];
	}
}

/* Distances of mean and variance from what they should be, in standard errors (the variance's from the sample). */
static inline void moments(const struct dist_case *c, const void *samples, size_t n, double *ret_mean,
			   double *ret_variance)
{
	double sum = 0, squares = 0, fourth = 0;

	for (size_t i = 0; i < n; i++) {
		const double d = as_real(c->dtype, samples, i) - c->mean, dd = d * d;

		sum += d;
		squares += dd;
		fourth += dd * dd;
	}
	const double count = (double)n, spread = sqrt((fourth / count - squares / count * (squares / count)) / count);

	*ret_mean = c->variance > 0 ? sum / count / sqrt(c->variance / count) : sum;
	*ret_variance = spread > 0 ? (squares / count - c->variance) / spread : 0;
}

/* Prepares a draw of the case. `list` is the list of categorical or dirichlet. */
static inline struct draw case_draw_list(const struct dist_case *c, uint64_t stream, const double *list, size_t n_list,
					 void **ret_table)
{
	struct draw draw = {.distribution = c->distribution,
			    .dtype = c->dtype,
			    .stream = {GENERATOR_THREEFRY4X32, 20261120, stream}};
	struct dist_fault fault;

	memcpy(draw.parameters, c->parameters, sizeof draw.parameters);
	if (draw_prepare(&draw, list, n_list, ret_table, &fault))
		fail_msg("%s: parameter %u: %s", dist_name(c->distribution), fault.parameter, fault.text);
	return draw;
}

static inline struct draw case_draw(const struct dist_case *c, uint64_t stream, void **ret_table)
{
	return case_draw_list(c, stream, NULL, 0, ret_table);
}

#endif
