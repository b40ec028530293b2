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
 * dist_check.c.
 *
 * How its samples are made follows under the name IDENTIFIER_SAMPLING: S(bits of a uniform for samples of at most 32 bits,
 * of 64 bits (0: no such samples), a number of thousandths below the probability that an attempt is accepted, for all allowed
 * parameters (1000: no kernel rejects; of randint it is below by 2^-64), the resolution and the reach that follow in words, what numpy
 * allows where it differs ("", or a sentence after a blank)). The comment above it proves the acceptance.
 * tests/distributions/check_ranges.c walks every parameter over its range: samples have the exact distribution but for that resolution
 * and the rounding to the dtype. */
#ifndef TRNSCI_DISTRIBUTIONS_DISTRIBUTION_ROWS_H
#define TRNSCI_DISTRIBUTIONS_DISTRIBUTION_ROWS_H

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
	ROW(NORMAL, normal, shape, "f32|f64|bf16|f16", "f32", "normal numbers by Box and Muller's method; f32 ends at 5.88 sigma, see method") \
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
	  "how uniforms become normals: boxmuller ends at 5.88 sigma in f32 (of 10^10 samples 41 should lie beyond) and at 8.65 in f64; boxmuller64 reaches 9.4 and takes 1.7 times as long in f32")
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
/* The greatest sample, 64 ln 2 / p = 44.4 / p, is below 2^63. */
#define GEOMETRIC_PARAMETERS(P) P(p, F64, "", "0.5", 0x1p-57, 1, false, NULL, "probability of success")
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
	P(p, F64, "", "0.5", 0, 1, true, NULL, \
	  "probability of success; (successes + 9.6 sqrt(successes) + 46) (1 - p) / p is at most 2^63 - 2^36, so that a sample " \
	  "passes 2^63 with probability below 2^-64")
#define HYPERGEOMETRIC_PARAMETERS(P) \
	P(ngood, U64, "items", NULL, 0, 1e15, false, NULL, "good items") \
	P(nbad, U64, "items", NULL, 0, 1e15, false, NULL, "bad items") \
	P(nsample, U64, "items", NULL, 0, 2e15, false, NULL, "items that are drawn, at most ngood + nbad")
#define MULTINOMIAL_PARAMETERS(P) \
	P(trials, U64, "trials", NULL, 0, 0x1p52, false, NULL, "number of trials") \
	P(shares, ANY, "", NULL, RANGE_OF_TYPE, NULL, \
	  "share of each outcome: an array of numbers >= 0, not all 0; numpy's pvals")

/* How samples are made. */
#define BITS_SAMPLING(S) S(32, 64, 1000, "Made of words of 32 bits (u32) or 64 bits (u64).", "")
#define UNIFORM_SAMPLING(S) S(24, 53, 1000, "Made of 24 bits (f32), 53 (f64), 8 (bf16) or 11 (f16).", "")
#define NORMAL_SAMPLING(S) \
	S(24, 53, 1000, \
	  "boxmuller is made of uniforms of 24 bits (f32, bf16, f16) or 53 bits (f64): no sample lies beyond 5.88 or 8.65 standard deviations, where 4.1e-9 (41 of 10^10) or 5e-18 of a normal distribution are. The radius of boxmuller64 has 64 bits: 9.4, beyond which are 4e-21.", \
	  "")
#define EXPONENTIAL_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 22.2 / rate or 44.4 / rate.", " numpy takes scale = 1 / rate from 0 on.")
#define LAPLACE_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 22.2 or 44.4 scales.", "")
#define LOGNORMAL_SAMPLING(S) S(24, 53, 1000, "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64): no logarithm lies beyond 5.88 or 8.65 standard deviations.", " numpy takes any mean, and sigma from 0 on.")
#define GUMBEL_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 22.9 or 44.4 scales above loc, nor 3.1 or 3.8 below.", "")
#define WEIBULL_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond scale 22.9^(1 / shape) or scale 44.4^(1 / shape).", " numpy takes a shape of 0, too.")
#define CAUCHY_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 2.7e9 or 5.9e18 scales.", "")
#define STUDENT_T_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond sqrt(df (2^(66 / df) - 1)) or sqrt(df (2^(128 / df) - 1)).", "")
#define TRUNCATED_NORMAL_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): a tail has the probability 2^-33 or 2^-64 of its interval at the end.", "")
/* Marsaglia and Tsang's method accepts e^d sqrt(d / (2 pi)) Gamma(d + 1/3) d^(-d - 1/3), d = shape - 1/3, which rises with d: 0.9517 at
 * shape 1. Smaller shapes are raised by 1. */
#define GAMMA_SAMPLING(S) \
	S(24, 53, 951, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits: of large shapes no sample lies beyond 5.88 or 8.65 standard deviations.", \
	  " numpy takes a shape of 0, too.")
/* That of gamma, above. */
#define CHI_SQUARED_SAMPLING(S) \
	S(24, 53, 951, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits: of large shapes no sample lies beyond 5.88 or 8.65 standard deviations.", \
	  "")
/* Both gammas at once: 0.951^2. */
#define BETA_SAMPLING(S) \
	S(24, 53, 904, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  "")
/* From a mean of 10 on, Hoermann's PTRS accepts 1 / (1.1239 + 1.1328 / (b - 3.4)), b = 0.931 + 2.53 sqrt(mean): 0.7526 there, and
 * rising. Smaller means are inverted. */
#define POISSON_SAMPLING(S) \
	S(0, 50, 750, \
	  "Numbers are made of words of 64 bits by a table, arrays and means above 40000 by float64 arithmetic: a probability counts to 2^-50, and values that are less likely may be missing.", \
	  " numpy takes lam up to 9.2e18.")
/* From a mean of 10 on, Hoermann's BTRS accepts 1 / ((2.83 + 5.1 / b) s P(mode)), s = sqrt(n p q), b = 1.15 + 2.53 s. P(mode) is
 * at most 1 / (sqrt(2 e) s) (F. Herzog, Am. Math. Monthly 54 (1947) 485), b at least 6.8: 0.65. Smaller means are inverted. */
#define BINOMIAL_SAMPLING(S) \
	S(0, 50, 650, \
	  "Numbers are made of words of 64 bits by a table, arrays and wide distributions by float64 arithmetic: a probability counts to 2^-50, and values that are less likely may be missing.", \
	  " numpy takes trials up to 2^63 - 1.")
#define GEOMETRIC_SAMPLING(S) S(0, 64, 1000, "Made of words of 64 bits: the greatest sample is 44.4 / p. Samples beyond 2^53 are float64 numbers.", " numpy takes any p above 0, and stores 2^63 - 1 for what is greater.")
/* A word of 32 bits decides all but 2^-32. After four attempts a sample is decided. */
#define BERNOULLI_SAMPLING(S) \
	S(128, 0, 750, \
	  "Made of 128 bits: p counts to 2^-128.", \
	  "")
/* Of 2^w words, range floor(2^w / range) are accepted, which is more than half. */
#define RANDINT_SAMPLING(S) \
	S(32, 64, 500, \
	  "Exact: a word of 32 bits (i32, u32) or 64 bits (i64, u64) is rejected where it would favour a value.", \
	  "")
/* A shuffle of up to 1024 items rejects a word with probability below 2^-54, and reads up to 64. The network of more items
 * walks until it lands inside. */
#define PERMUTATION_SAMPLING(S) \
	S(0, 64, 1000, \
	  "Up to 1024 items every order is equally likely, to 2^-64; of more, a keyed bijection reaches some of the orders.", \
	  "")
#define CATEGORICAL_SAMPLING(S) S(0, 64, 1000, "Made of words of 64 bits: an index counts to 2^-64.", "")
#define RADEMACHER_SAMPLING(S) S(1, 1, 1000, "Exact: the top bit of a word.", "")
/* That of gamma, above. */
#define DIRICHLET_SAMPLING(S) \
	S(24, 53, 951, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  "")
#define SPHERE_SAMPLING(S) S(24, 53, 1000, "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64).", "")
#define RAYLEIGH_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 6.76 or 9.42 scales.", "")
#define LOGISTIC_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 22.9 or 44.4 scales.", "")
#define PARETO_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 2^(33 / a) - 1 or 2^(64 / a) - 1.", "")
#define POWER_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies below 2^(-33 / a) or 2^(-64 / a).", "")
#define TRIANGULAR_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): in f64 a distance from an end counts to 2^-53 of the width.", "")
/* Best and Fisher: at least 0.6577, its limit for a great kappa (their table 1). */
#define VONMISES_SAMPLING(S) S(32, 64, 650, "Made of uniforms of 32 bits (f32) or 64 bits (f64).", " numpy takes kappa from 0 on.")
#define WALD_SAMPLING(S) \
	S(24, 53, 1000, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  "")
/* Both gammas at once: 0.951^2. */
#define F_SAMPLING(S) \
	S(24, 53, 904, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  "")
/* The Poisson stage's, below; the gamma's is 0.951. */
#define NONCENTRAL_CHISQUARE_SAMPLING(S) \
	S(24, 53, 750, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  " numpy takes nonc from 0 on.")
/* The Poisson stage's, below; two gammas at once: 0.904. */
#define NONCENTRAL_F_SAMPLING(S) \
	S(24, 53, 750, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  " numpy takes nonc from 0 on.")
/* With s = a - 1 the acceptance is (1 - 2^-s) sum(k^-a), which is at least (1 - 2^-s) ((1 - 2^(-63 s)) / s + 1/2): 0.655 at s = 1/16,
 * and above 0.69 from s = 1/8 on. Below s = 1/16 both sides are divided by 1 - 2^(-63 s): at least ln 2, its limit for s = 0. */
#define ZIPF_SAMPLING(S) \
	S(0, 64, 650, \
	  "Made of words of 64 bits. Samples are conditional on what int64 holds: the probability of x is x^-a over the sum up to 2^63 - 1. Those beyond 2^53 are float64 numbers.", \
	  " numpy, too, rejects what int64 does not hold.")
#define LOGSERIES_SAMPLING(S) \
	S(0, 64, 1000, \
	  "Made of words of 64 bits: the greatest sample is 1 + 44.4 / -ln p. Samples beyond 2^53 are float64 numbers.", \
	  "")
/* The Poisson stage's, above; the gamma's is 0.951. */
#define NEGATIVE_BINOMIAL_SAMPLING(S) \
	S(0, 53, 750, \
	  "Made of a normal of boxmuller, whose uniforms have 53 bits, and words of 64 bits: the mean reaches 8.57 standard deviations of its gamma number. Samples beyond 2^53 are float64 numbers.", \
	  " numpy takes more successes, and refuses a mean and 10 deviations above 9.2e18.")
/* The ratio of uniforms accepts 1 / (2 P(mode) w), w = 1.7155 sqrt(v + 1/2) + 0.899, of a variance v. Below v = 5/2, and of fewer than 10
 * draws, numbers are inverted. Above, P(mode) is that of a sum of independent trials (V. A. Vatutin, V. G. Mikhailov, Theory Probab.
 * Appl. 27 (1983) 734): at most 0.4689 / sqrt(v) (J.-B. Baillon, R. Cominetti, J. Vaisman, Combin. Probab. Comput. 25 (2016) 352),
 * which proves 1/2 from v = 6.6 on. From 5/2 to 6.6 the least of all populations up to 400 items, and of a grid up to 10^9, is 0.5039,
 * at v = 5/2 in Poisson's limit. */
#define HYPERGEOMETRIC_SAMPLING(S) \
	S(0, 44, 500, \
	  "Made of words of 64 bits by float64 arithmetic: a probability counts to 2^-44, and values that are less likely may be missing.", \
	  " numpy takes ngood + nbad up to 1e9.")
/* Binomial's, above. */
#define MULTINOMIAL_SAMPLING(S) \
	S(0, 50, 650, \
	  "Made of words of 64 bits by float64 arithmetic: a probability counts to 2^-50, and values that are less likely may be missing.", \
	  " numpy takes trials up to 2^63 - 1, and pvals whose sum is at most 1.")
/* clang-format on */

#endif
