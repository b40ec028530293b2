/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of a law against the law itself: moments within four standard errors, and Kolmogorov and Smirnov's test of
 * F(sample), F being somebody else's. A discrete sample is spread evenly over its step of F, which makes the
 * transformed sample exactly uniform. Seeds are fixed: a right generator passes every time. */
#ifndef TRNSCI_TESTS_DIST_STATISTICS_H
#define TRNSCI_TESTS_DIST_STATISTICS_H

#include <math.h>

#include "dist/draw.h"
#include "rng/support.h"

struct law_case {
	enum law law;
	enum dtype dtype;
	union law_value parameters[LAW_PARAMETERS];
	double (*below)(double x, const union law_value *p); /* P(X <= x) */
	double mean, variance;                               /* NAN: none, or not looked at */
};

/* Q(a, x), the gamma distribution above x, for large a: the first two terms of Temme's uniform expansion (SIAM J. Math.
 * Anal. 10 (1979) 757), error below 1 / a^1.5. GSL gives up there. */
static inline double gamma_above(double a, double x)
{
	const double t = (x - a) / a, half = t - log1p(t), eta = t < 0 ? -sqrt(2 * half) : sqrt(2 * half);
	const double first = fabs(t) < 1e-3 ? -1.0 / 3 + eta / 12 : 1 / t - 1 / eta;

	return 0.5 * erfc(eta * sqrt(a / 2)) + exp(-a * half) / sqrt(2 * 3.14159265358979323846 * a) * first;
}

/* P-value of a Kolmogorov-Smirnov distance scaled by sqrt(n). */
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

/* Kolmogorov and Smirnov's distance of n numbers (sorted here) from the uniform law, times sqrt(n). */
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
	default:
		return ((const int8_t *)samples)[i];
	}
}

static inline void describe(const struct law_case *c, char text[120])
{
	const union law_value *p = c->parameters;

	if (c->law == LAW_RANDINT)
		snprintf(text, 120, "%s %s (%lld %lld)", law_name(c->law), dtype_name(c->dtype),
			 (long long)p[0].integer, (long long)p[1].integer);
	else if (c->law == LAW_BINOMIAL)
		snprintf(text, 120, "%s %s (%llu %g)", law_name(c->law), dtype_name(c->dtype),
			 (unsigned long long)p[0].natural, p[1].real);
	else
		snprintf(text, 120, "%s %s (%g %g %g %g)", law_name(c->law), dtype_name(c->dtype), p[0].real, p[1].real,
			 p[2].real, p[3].real);
}

/* Distances of mean and variance from what they should be, in standard errors (the variance's from the sample). */
static inline void moments(const struct law_case *c, const void *samples, size_t n, double *ret_mean,
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

/* A prepared draw of the case. */
static inline struct draw case_draw(const struct law_case *c, uint64_t stream, void **ret_table)
{
	struct draw draw = {.law = c->law, .dtype = c->dtype, .stream = {GENERATOR_THREEFRY4X32, 20261120, stream}};
	struct law_fault fault;

	memcpy(draw.parameters, c->parameters, sizeof draw.parameters);
	if (draw_prepare(&draw, NULL, 0, ret_table, &fault))
		fail_msg("%s: parameter %u: %s", law_name(c->law), fault.parameter, fault.text);
	return draw;
}

static inline void check_case(const struct law_case *c, uint64_t stream)
{
	const size_t n = full_check() ? 2000000 : 60000;
	const bool discrete = c->dtype != DTYPE_F32 && c->dtype != DTYPE_F64;
	struct draw_kernels kernels;
	char text[120];
	void *table, *samples = malloc(n * dtype_size(c->dtype));
	double *u = malloc(n * sizeof *u), mean = 0, variance = 0;
	const struct draw draw = case_draw(c, stream, &table);
	uint64_t seed = 1 + stream;

	describe(c, text);
	draw_select(cpu_detect(), &kernels);
	draw_fill(&kernels, &draw, 1000003, n, samples);
	for (size_t i = 0; i < n; i++) {
		const double x = as_real(c->dtype, samples, i), top = c->below(x, c->parameters);
		const double bottom = discrete ? c->below(x - 1, c->parameters) : top;

		u[i] = bottom + (top - bottom) * ((double)(next_case(&seed) >> 11) * 0x1p-53);
		if (!(u[i] >= 0 && u[i] <= 1))
			fail_msg("%s: sample %zu is %.17g, where the distribution is %.17g", text, i, x, u[i]);
	}
	const double distance = ks_uniform(u, n), p_value = ks_tail(distance);

	if (!isnan(c->mean))
		moments(c, samples, n, &mean, &variance);
	if (full_check())
		printf("# %-52s mean %+5.2f se  variance %+5.2f se  KS %.3f  p %.4f\n", text, mean, variance, distance,
		       p_value);
	if (p_value < 1e-4 || fabs(mean) > 4 || fabs(variance) > 4)
		fail_msg("%s: mean off by %.2f and variance by %.2f standard errors, KS p = %.3g; allowed 4, 4, 1e-4 "
			 "(stream %llu)",
			 text, mean, variance, p_value, (unsigned long long)stream);
	free(samples);
	free(u);
	free(table);
}

static inline void check_cases(const struct law_case *cases, size_t n, uint64_t first_stream)
{
	for (size_t i = 0; i < n; i++)
		check_case(&cases[i], first_stream + i);
}

#endif
