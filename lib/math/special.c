/* SPDX-License-Identifier: Apache-2.0 */
/* One lane of the elementary functions, and series built on them. They run once for a draw or a table, so they are
 * short rather than quick. */
#include "math/special.h"

#include "math/elementary_exp.h"
#include "math/elementary_log.h"
#include "math/elementary_split.h"

#define SQRT_TWO_PI 2.5066282746310005024
#define TWO_PI      6.2831853071795864769

double special_exp(double x)
{
	return exp_f64(x);
}

double special_log1p(double x)
{
	return log1p_f64(x);
}

double special_expm1(double x)
{
	return expm1_f64(x);
}

double special_quotient(double a, double b, double *ret_exponent)
{
	const struct split over = split_f64(a), under = split_f64(b);

	*ret_exponent = over.e - under.e;
	return over.m / under.m;
}

/* Returns exp(-x^2 / 2) / sqrt(2 pi), corrected for the rounding of x^2. */
static double normal_density(double x)
{
	const double square = x * x, left = fma(x, x, -square);

	return special_exp(-0.5 * square) * (1 - 0.5 * left) / SQRT_TWO_PI;
}

double special_normal(double x)
{
	const double z = fabs(x);
	double sum = 0;

	if (z < 2) {
		/* 1/2 + density (x + x^3 / 3 + x^5 / 15 + ...): all terms of one sign. */
		for (int k = 81; k >= 3; k -= 2)
			sum = fma(sum, z * z / k, z * z / k);
		const double middle = normal_density(z) * fma(sum, z, z);

		return x < 0 ? 0.5 - middle : 0.5 + middle;
	}
	/* Laplace's continued fraction, from its hundredth term backwards. */
	for (int k = 100; k >= 1; k--)
		sum = k / (z + sum);
	const double tail = normal_density(z) / (z + sum);

	return x < 0 ? tail : 1 - tail;
}

double special_stirling(double k)
{
	double shift = 0;

	/* Below 16 the series is not accurate: go up by S(k) = S(k + 1) + (k + 1/2) ln(1 + 1/k) - 1. */
	for (; k < 16; k++)
		shift += (k + 0.5) * special_log1p(1 / k) - 1;
	const double kk = 1 / (k * k);
	double sum = 1.0 / 1188;

	sum = fma(-sum, kk, 1.0 / 1680);
	sum = fma(-sum, kk, 1.0 / 1260);
	sum = fma(-sum, kk, 1.0 / 360);
	sum = fma(-sum, kk, 1.0 / 12);
	return sum / k + shift;
}

double special_deviance(double x, double m)
{
	const double t = (x - m) / m;
	double sum = 0;

	if (x == 0)
		return m;
	if (fabs(t) > 0.25)
		return x * log_f64(x / m) + m - x;
	/* m ((1 + t) ln(1 + t) - t) = m t^2 (1/2 - t / 6 + t^2 / 12 - ...) */
	for (int j = 28; j >= 2; j--)
		sum = fma(-t, sum, 1.0 / (j * (j - 1)));
	return (x - m) * t * sum;
}

double special_poisson(double k, double mean)
{
	if (k == 0)
		return special_exp(-mean);
	return special_exp(-special_stirling(k) - special_deviance(k, mean)) / sqrt(TWO_PI * k);
}

double special_binomial(double k, double trials, double p)
{
	const double rest = trials - k, q = 1 - p;

	if (k == 0)
		return special_exp(trials * special_log1p(-p));
	if (rest == 0)
		return special_exp(trials * log_f64(p));
	const double corrections = special_stirling(trials) - special_stirling(k) - special_stirling(rest);
	const double deviances = special_deviance(k, trials * p) + special_deviance(rest, trials * q);

	return special_exp(corrections - deviances) * sqrt(trials / (TWO_PI * k) / rest);
}
