/* SPDX-License-Identifier: Apache-2.0 */
/* The one description of every distribution: dtypes, parameters, defaults, ranges and help.
 *
 * Everything else is expanded from these rows: dist_check.c checks what they state, and the engine's table of
 * operations takes its draws from them, and with that the wire, the command line, its help and the documents. A new
 * distribution is one row here, one kernel, one test.
 *
 * ROW(identifier, name, the result's shape parameter, dtypes, default dtype, help). The parameters of a row follow
 * under the name IDENTIFIER_PARAMETERS, in the order of struct draw's: P(name, type, unit, default (NULL: required),
 * range, choices, help). Types: F64, U64, INT, CHOICE, and ANY for a list of numbers. A range is least, greatest,
 * whether the least itself is excluded; combinations of parameters, and ranges that depend on the dtype, are checked by
 * dist_check.c. */
#ifndef TRNSCI_DIST_DISTRIBUTION_ROWS_H
#define TRNSCI_DIST_DISTRIBUTION_ROWS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Ranges. Both bounds 0: that of the type; of numbers, finite ones. */
#define RANGE_OF_TYPE  0, 0, false
#define RANGE_POSITIVE 0, DBL_MAX, true
#define RANGE_SCALE    0, DBL_MAX, false
#define RANGE_INFINITE -(double)INFINITY, (double)INFINITY, false /* also inf and -inf */

/* clang-format off */
#define DISTRIBUTION_ROWS(ROW) \
	ROW(BITS, bits, shape, "u32|u64", "u32", "the stream's words themselves, or pairs of them") \
	ROW(UNIFORM, uniform, shape, "f32|f64|bf16|f16", "f32", "uniform numbers in [low, high)") \
	ROW(NORMAL, normal, shape, "f32|f64|bf16|f16", "f32", "normal numbers by Box and Muller's method") \
	ROW(EXPONENTIAL, exponential, shape, "f32|f64", "f32", "exponential numbers") \
	ROW(LAPLACE, laplace, shape, "f32|f64", "f32", "double exponential numbers") \
	ROW(LOGNORMAL, lognormal, shape, "f32|f64", "f32", "numbers whose logarithm is normal") \
	ROW(GUMBEL, gumbel, shape, "f32|f64", "f32", "Gumbel (extreme value) numbers") \
	ROW(WEIBULL, weibull, dims, "f32|f64", "f32", "Weibull numbers") \
	ROW(CAUCHY, cauchy, shape, "f32|f64", "f32", "Cauchy numbers") \
	ROW(STUDENT_T, student_t, shape, "f32|f64", "f32", "Student's t numbers") \
	ROW(TRUNCATED_NORMAL, truncated_normal, shape, "f32|f64", "f32", "normal numbers truncated to an interval") \
	ROW(GAMMA, gamma, dims, "f32|f64", "f32", "gamma numbers") \
	ROW(CHI_SQUARED, chi_squared, shape, "f32|f64", "f32", "chi-squared numbers") \
	ROW(BETA, beta, shape, "f32|f64", "f32", "beta numbers in [0, 1]; rounding can give 0 and 1 themselves") \
	ROW(POISSON, poisson, shape, "i64", "i64", "Poisson counts") \
	ROW(BINOMIAL, binomial, shape, "i64", "i64", "number of successes in a number of trials") \
	ROW(GEOMETRIC, geometric, shape, "i64", "i64", "number of trials up to the first success") \
	ROW(BERNOULLI, bernoulli, shape, "i8|i32", "i8", "1 with probability p, else 0") \
	ROW(RANDINT, randint, shape, "i64|i32|u64|u32", "i64", "integers in [low, high), all equally likely") \
	ROW(PERMUTATION, permutation, shape, "i64", "i64", "a permutation of 0 .. items - 1") \
	ROW(CATEGORICAL, categorical, shape, "i64", "i64", "indices with given weights") \
	ROW(RADEMACHER, rademacher, shape, "i8|i32|f32|f64", "i8", "-1 or 1") \
	ROW(DIRICHLET, dirichlet, shape, "f32|f64", "f32", "shares that sum to 1; a sample has a component for each alpha") \
	ROW(SPHERE, sphere, shape, "f32|f64", "f32", "points on the unit sphere") \
	ROW(RAYLEIGH, rayleigh, shape, "f32|f64", "f32", "Rayleigh numbers") \
	ROW(LOGISTIC, logistic, shape, "f32|f64", "f32", "logistic numbers") \
	ROW(PARETO, pareto, shape, "f32|f64", "f32", "Pareto numbers less 1 (Lomax), as numpy's") \
	ROW(POWER, power, shape, "f32|f64", "f32", "numbers in [0, 1] of density a x^(a - 1)") \
	ROW(TRIANGULAR, triangular, shape, "f32|f64", "f32", "numbers of a triangular density") \
	ROW(VONMISES, vonmises, shape, "f32|f64", "f32", "angles in [-pi, pi] by von Mises' distribution") \
	ROW(WALD, wald, shape, "f32|f64", "f32", "Wald (inverse normal) numbers") \
	ROW(F, f, shape, "f32|f64", "f32", "Fisher's F numbers") \
	ROW(NONCENTRAL_CHISQUARE, noncentral_chisquare, shape, "f32|f64", "f32", "noncentral chi-squared numbers") \
	ROW(NONCENTRAL_F, noncentral_f, shape, "f32|f64", "f32", "noncentral F numbers") \
	ROW(ZIPF, zipf, shape, "i64", "i64", "Zipf (zeta) counts") \
	ROW(LOGSERIES, logseries, shape, "i64", "i64", "logarithmic series counts") \
	ROW(NEGATIVE_BINOMIAL, negative_binomial, shape, "i64", "i64", "failures before a number of successes") \
	ROW(HYPERGEOMETRIC, hypergeometric, shape, "i64", "i64", "good ones among items drawn without replacement") \
	ROW(MULTINOMIAL, multinomial, shape, "i64", "i64", "how often each of several outcomes occurs; a sample has a component for each")

/* What several have. */
#define LOCATION_SCALE_PARAMETERS(P) \
	P(loc, F64, "", "0", RANGE_OF_TYPE, NULL, "centre of the distribution") \
	P(scale, F64, "", "1", RANGE_SCALE, NULL, "scale of the distribution")
#define DEGREES_PARAMETERS(P) P(df, F64, "", NULL, RANGE_POSITIVE, NULL, "degrees of freedom")

#define BITS_PARAMETERS(P)
#define UNIFORM_PARAMETERS(P) \
	P(low, F64, "", "0", RANGE_OF_TYPE, NULL, "least value") \
	P(high, F64, "", "1", RANGE_OF_TYPE, NULL, "upper bound, never reached; above low")
#define NORMAL_PARAMETERS(P) \
	P(mean, F64, "", "0", RANGE_OF_TYPE, NULL, "mean of the distribution") \
	P(std, F64, "", "1", RANGE_SCALE, NULL, "standard deviation of the distribution") \
	P(method, CHOICE, "", "boxmuller", RANGE_OF_TYPE, "boxmuller|boxmuller64", \
	  "how uniforms become normals: boxmuller reaches 5.88 sigma in f32, boxmuller64 9.4")
/* 1 / rate is finite. */
#define EXPONENTIAL_PARAMETERS(P) P(rate, F64, "", "1", DBL_MIN, DBL_MAX, false, NULL, "1 / mean")
#define LAPLACE_PARAMETERS(P) LOCATION_SCALE_PARAMETERS(P)
#define LOGNORMAL_PARAMETERS(P) \
	P(mean, F64, "", "0", -1e6, 1e6, false, NULL, "mean of the logarithm") \
	P(std, F64, "", "1", 0, 1e6, false, NULL, "standard deviation of the logarithm")
#define GUMBEL_PARAMETERS(P) LOCATION_SCALE_PARAMETERS(P)
#define WEIBULL_PARAMETERS(P) \
	P(shape, F64, "", "1", RANGE_POSITIVE, NULL, "exponent of the distribution (f32 samples can be inf below 0.033 with scale 1)") \
	P(scale, F64, "", "1", RANGE_SCALE, NULL, "scale of the distribution")
#define CAUCHY_PARAMETERS(P) LOCATION_SCALE_PARAMETERS(P)
#define STUDENT_T_PARAMETERS(P) \
	P(df, F64, "", NULL, RANGE_POSITIVE, NULL, "degrees of freedom (f32 samples can be infinite below 0.2)")
#define TRUNCATED_NORMAL_PARAMETERS(P) \
	P(mean, F64, "", "0", RANGE_OF_TYPE, NULL, "mean of the whole distribution") \
	P(std, F64, "", "1", RANGE_SCALE, NULL, "standard deviation of the whole distribution") \
	P(low, F64, "std", "-2", RANGE_INFINITE, NULL, "least value, in standard deviations from the mean") \
	P(high, F64, "std", "2", RANGE_INFINITE, NULL, \
	  "greatest value, in standard deviations from the mean; above low")
#define GAMMA_PARAMETERS(P) \
	P(shape, F64, "", NULL, RANGE_POSITIVE, NULL, "shape of the distribution") \
	P(scale, F64, "", "1", RANGE_SCALE, NULL, "scale of the distribution")
#define CHI_SQUARED_PARAMETERS(P) DEGREES_PARAMETERS(P)
#define BETA_PARAMETERS(P) \
	P(alpha, F64, "", NULL, RANGE_POSITIVE, NULL, "first parameter") \
	P(beta, F64, "", NULL, RANGE_POSITIVE, NULL, "second parameter")
#define POISSON_PARAMETERS(P) P(lam, F64, "", "1", 0, 1e15, false, NULL, "mean of the distribution")
#define BINOMIAL_PARAMETERS(P) \
	P(trials, U64, "trials", NULL, 0, 0x1p52, false, NULL, "number of trials") \
	P(p, F64, "", "0.5", 0, 1, false, NULL, "probability of success")
#define GEOMETRIC_PARAMETERS(P) P(p, F64, "", "0.5", 0, 1, true, NULL, "probability of success")
#define BERNOULLI_PARAMETERS(P) P(p, F64, "", "0.5", 0, 1, false, NULL, "probability of success")
/* Struct draw has both modulo 2^64: the least of i64 stands for 2^63, 0 of u64 for 2^64. */
#define RANDINT_PARAMETERS(P) \
	P(low, INT, "", "0", RANGE_OF_TYPE, NULL, "least value") \
	P(high, INT, "", NULL, RANGE_OF_TYPE, NULL, \
	  "upper bound, never reached; above low, at most the dtype's greatest value plus 1: " \
	  "18446744073709551616 (as text) for all of u64")
#define PERMUTATION_PARAMETERS(P) \
	P(items, U64, "items", "0", 0, 0x1p62, false, NULL, \
	  "size of the permutation; 0: the samples of the whole draw. Longer draws continue with another")
#define CATEGORICAL_PARAMETERS(P) \
	P(weights, ANY, "", NULL, RANGE_OF_TYPE, NULL, \
	  "weight of each of 0, 1, ...: an array of numbers >= 0, not all 0")
#define RADEMACHER_PARAMETERS(P)
#define DIRICHLET_PARAMETERS(P) \
	P(alpha, ANY, "", NULL, RANGE_OF_TYPE, NULL, "parameter of each component: an array of numbers > 0")
#define SPHERE_PARAMETERS(P) P(dimensions, U64, "", "3", 1, DIST_MAX_COMPONENTS, false, NULL, "components of a point")
#define RAYLEIGH_PARAMETERS(P) P(scale, F64, "", "1", RANGE_SCALE, NULL, "mode of the distribution")
#define LOGISTIC_PARAMETERS(P) LOCATION_SCALE_PARAMETERS(P)
#define PARETO_PARAMETERS(P) \
	P(a, F64, "", NULL, RANGE_POSITIVE, NULL, "shape of the distribution (f32 samples can be infinite below 0.5)")
#define POWER_PARAMETERS(P) P(a, F64, "", NULL, RANGE_POSITIVE, NULL, "shape of the distribution")
#define TRIANGULAR_PARAMETERS(P) \
	P(left, F64, "", "0", RANGE_OF_TYPE, NULL, "lower limit") \
	P(mode, F64, "", "0.5", RANGE_OF_TYPE, NULL, "value of the greatest density, from left to right") \
	P(right, F64, "", "1", RANGE_OF_TYPE, NULL, "upper limit, above left")
#define VONMISES_PARAMETERS(P) \
	P(mu, F64, "rad", "0", RANGE_OF_TYPE, NULL, "mode of the distribution, an angle") \
	P(kappa, F64, "", "1", 0, 1e15, false, NULL, "concentration; 0: all angles are equally likely")
#define WALD_PARAMETERS(P) \
	P(mean, F64, "", "1", RANGE_POSITIVE, NULL, "mean of the distribution") \
	P(scale, F64, "", "1", RANGE_POSITIVE, NULL, "scale of the distribution")
#define FREEDOM_PARAMETERS(P) \
	P(dfnum, F64, "", NULL, RANGE_POSITIVE, NULL, "degrees of freedom of the numerator") \
	P(dfden, F64, "", NULL, RANGE_POSITIVE, NULL, "degrees of freedom of the denominator")
#define F_PARAMETERS(P) FREEDOM_PARAMETERS(P)
#define NONCENTRALITY_PARAMETERS(P) P(nonc, F64, "", "1", 0, 1e15, false, NULL, "noncentrality: sum of the squared means")
#define NONCENTRAL_CHISQUARE_PARAMETERS(P) DEGREES_PARAMETERS(P) NONCENTRALITY_PARAMETERS(P)
#define NONCENTRAL_F_PARAMETERS(P) FREEDOM_PARAMETERS(P) NONCENTRALITY_PARAMETERS(P)
#define ZIPF_PARAMETERS(P) P(a, F64, "", NULL, 1, DBL_MAX, true, NULL, "exponent: x has probability x^-a / zeta(a)")
#define LOGSERIES_PARAMETERS(P) P(p, F64, "", "0.5", 0, 0x1.fffffffffffffp-1, false, NULL, "shape, below 1: x has probability -p^x / (x ln(1 - p))")
#define NEGATIVE_BINOMIAL_PARAMETERS(P) \
	P(successes, F64, "", NULL, 0, 1e15, true, NULL, "number of successes, which need not be whole") \
	P(p, F64, "", "0.5", 0x1p-52, 1, false, NULL, "probability of success")
#define HYPERGEOMETRIC_PARAMETERS(P) \
	P(ngood, U64, "items", NULL, 0, 1e15, false, NULL, "good items") \
	P(nbad, U64, "items", NULL, 0, 1e15, false, NULL, "bad items") \
	P(nsample, U64, "items", NULL, 0, 2e15, false, NULL, "items that are drawn, at most ngood + nbad")
#define MULTINOMIAL_PARAMETERS(P) \
	P(trials, U64, "trials", NULL, 0, 0x1p52, false, NULL, "number of trials") \
	P(shares, ANY, "", NULL, RANGE_OF_TYPE, NULL, \
	  "share of each outcome: an array of numbers >= 0, not all 0; numpy's pvals")
/* clang-format on */

#endif
