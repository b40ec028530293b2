/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one double, for the constants and tables of distributions; no libm. Samples are made by kernels. */
#ifndef TRNSCI_MATH_SPECIAL_H
#define TRNSCI_MATH_SPECIAL_H

/* Return e^x and e^x - 1. */
double special_exp(double x);
double special_expm1(double x);

/* Returns ln(1 + x), x > -1. */
double special_log1p(double x);

/* Returns a / b as a fraction between 1/2 and 2, and its exponent. a and b are finite and above 0. */
double special_quotient(double a, double b, double *ret_exponent);

/* Returns the probability that a standard normal is below x, x >= -38, with full relative precision below 0. */
double special_normal(double x);

/* Returns the correction to Stirling's formula: ln k! - (k + 1/2) ln k + k - ln(2 pi) / 2, k > 0. */
double special_stirling(double k);

/* Returns the deviance x ln(x / m) + m - x of x >= 0 from its mean m > 0, without cancellation.
 * Source: C. Loader, "Fast and accurate computation of binomial probabilities" (2000). */
double special_deviance(double x, double m);

/* Return the probability of k under a Poisson and a binomial distribution, by Loader's saddle-point expansion. */
double special_poisson(double k, double mean);
double special_binomial(double k, double trials, double p);

#endif
