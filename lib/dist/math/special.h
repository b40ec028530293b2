/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a distribution's parameters, one number at a time: for constants and tables, not for samples; no libm.
 */
#ifndef TRNSCI_DIST_SPECIAL_H
#define TRNSCI_DIST_SPECIAL_H

double special_exp(double x);
double special_expm1(double x);
/* ln(1 + x), x > -1. */
double special_log1p(double x);

/* The normal distribution below x, with full relative precision below 0: x >= -38. */
double special_normal(double x);

/* ln k! - (k + 1/2) ln k + k - ln(2 pi) / 2, k > 0: what Stirling's formula leaves. */
double special_stirling(double k);

/* x ln(x / m) + m - x, x >= 0, m > 0: how far x lies from its mean m, without cancellation.
 * Source: C. Loader, "Fast and accurate computation of binomial probabilities" (2000). */
double special_deviance(double x, double m);

/* The probabilities of k under the Poisson and the binomial distribution, by Loader's saddle-point expansion. */
double special_poisson(double k, double mean);
double special_binomial(double k, double trials, double p);

#endif
