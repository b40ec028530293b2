/* SPDX-License-Identifier: Apache-2.0 */
/* The gamma distribution where GSL gives up. */
#ifndef TRNSCI_TESTS_STATISTICS_GAMMA_ABOVE_H
#define TRNSCI_TESTS_STATISTICS_GAMMA_ABOVE_H

#include <math.h>

/* Q(a, x), the gamma distribution above x, for large a: the first two terms of Temme's uniform expansion (SIAM J. Math.
 * Anal. 10 (1979) 757), error below 1 / a^1.5. */
static inline double gamma_above(double a, double x)
{
	const double t = (x - a) / a, half = t - log1p(t), eta = t < 0 ? -sqrt(2 * half) : sqrt(2 * half);
	const double first = fabs(t) < 1e-3 ? -1.0 / 3 + eta / 12 : 1 / t - 1 / eta;

	return 0.5 * erfc(eta * sqrt(a / 2)) + exp(-a * half) / sqrt(2 * 3.14159265358979323846 * a) * first;
}

#endif
