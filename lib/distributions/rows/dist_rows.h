/* SPDX-License-Identifier: Apache-2.0 */
/* The one description of every distribution.
 *
 * Everything else is expanded from these rows: dist_row.c makes the table that all code looks into (dist_row.h),
 * dist_kernel.h the table of kernels, and the engine's table of operations takes its draws from them, and with that the wire,
 * the command line, its help and the documents. A row is what stands under an identifier:
 *
 * _ROW: the identifier, the name, the result's shape parameter, dtypes, the default dtype, help.
 *
 * _PARAMETERS: P(name, type, unit, default (NULL: required), range, choices, help), in the order of struct draw's. Types: F64,
 * U64, INT, CHOICE, and ANY for a list of numbers. A range is least, greatest, whether the least itself is excluded.
 *
 * _SAMPLING: S(bits of a uniform for samples of at most 32 bits, of 64 bits (0: no such samples), a number of thousandths below
 * the probability that an attempt is accepted, for all allowed parameters (1000: no kernel rejects; of randint it is below by
 * 2^-64), the resolution and the reach that follow in words, what numpy allows where it differs, what else a caller has to know,
 * such as the source of the method ("", or sentences after a blank)). The comment above it proves the acceptance.
 * tests/distributions/check_ranges.c walks every parameter over its range: samples have the exact distribution but for that
 * resolution and the rounding to the dtype.
 *
 * _KERNELS: K(kernel, dtypes) for each kernel that no other row has: KERNEL_f32, KERNEL_f64 and so on in one of *_body.h.
 *
 * _DRAW: the members of struct dist_row that say how a draw is made. Its functions stand in check_body.h and plan_body.h.
 *
 * The list at the end is the order of the documents, and means nothing else. */
#ifndef TRNSCI_DISTRIBUTIONS_DISTRIBUTION_ROWS_H
#define TRNSCI_DISTRIBUTIONS_DISTRIBUTION_ROWS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Ranges. Numbers of RANGE_OF_TYPE and RANGE_SCALE, which samples can be as great as, are also finite in the dtype. */
#define RANGE_OF_TYPE  0, 0, false /* that of the type; of numbers, finite ones */
#define RANGE_POSITIVE 0, DBL_MAX, true
#define RANGE_SCALE    0, DBL_MAX, false
#define RANGE_INFINITE -(double)INFINITY, (double)INFINITY, false /* also inf and -inf */

/* clang-format off */
/* The dtypes of a kernel: F(its function, dtype). */
#define DIST_FLOATS(F, kernel)   F(kernel##_f32, F32) F(kernel##_f64, F64)
#define DIST_STAGES(F, kernel)   DIST_FLOATS(F, kernel) F(kernel##_f64, I64) /* they make float64, by the words' width */
#define DIST_HALVES(F, kernel)   F(kernel##_bf16, BF16) F(kernel##_f16, F16)
#define DIST_REALS(F, kernel)    DIST_FLOATS(F, kernel) DIST_HALVES(F, kernel)
#define DIST_COUNTS(F, kernel)   F(kernel##_i64, I64)
#define DIST_FLAGS(F, kernel)    F(kernel##_i8, I8) F(kernel##_i32, I32)
#define DIST_SIGNS(F, kernel)    DIST_FLAGS(F, kernel) DIST_FLOATS(F, kernel)
#define DIST_INTEGERS(F, kernel) F(kernel##_i32, I32) F(kernel##_i32, U32) F(kernel##_i64, I64) F(kernel##_i64, U64)

/* What several have. */
#define LOCATION_SCALE_PARAMETERS(P) \
	P(loc, F64, "", "0", RANGE_OF_TYPE, NULL, "centre of the distribution") \
	P(scale, F64, "", "1", RANGE_SCALE, NULL, "scale of the distribution")
#define DEGREES_PARAMETERS(P) P(df, F64, "", NULL, RANGE_POSITIVE, NULL, "degrees of freedom")
#define FREEDOM_PARAMETERS(P) \
	P(dfnum, F64, "", NULL, RANGE_POSITIVE, NULL, "degrees of freedom of the numerator") \
	P(dfden, F64, "", NULL, RANGE_POSITIVE, NULL, "degrees of freedom of the denominator")
#define NONCENTRALITY_PARAMETERS(P) P(nonc, F64, "", "1", 0, 1e15, false, NULL, "noncentrality: sum of the squared means")

#define BITS_ROW(ROW) ROW(BITS, bits, shape, "u32|u64", "u32", "the stream's words themselves, or pairs of them")
#define BITS_PARAMETERS(P)
#define BITS_SAMPLING(S) S(32, 64, 1000, "Made of words of 32 bits (u32) or 64 bits (u64).", "", " A sample of u32 is one word of the stream, one of u64 two words, the low half first.")
#define BITS_KERNELS(K)
#define BITS_DRAW .direct = DIRECT_BITS, .word_ps = {500, 900, 5000}

#define UNIFORM_ROW(ROW) ROW(UNIFORM, uniform, shape, "f32|f64|bf16|f16", "f32", "uniform numbers in [low, high)")
#define UNIFORM_PARAMETERS(P) \
	P(low, F64, "", "0", RANGE_OF_TYPE, NULL, "least value") \
	P(high, F64, "", "1", RANGE_OF_TYPE, NULL, "upper bound, never reached; above low")
#define UNIFORM_SAMPLING(S) S(24, 53, 1000, "Made of 24 bits (f32), 53 (f64), 8 (bf16) or 11 (f16).", "", " Multiples of 2^-24 (f32), 2^-53 (f64), 2^-8 (bf16) or 2^-11 (f16) in [0, 1), moved to [low, high) with one rounding.")
#define UNIFORM_KERNELS(K) K(uniform, DIST_HALVES) K(uniform_per_sample, DIST_REALS)
#define UNIFORM_DRAW \
	.direct = DIRECT_UNIFORM, .numbers = KERNEL(uniform, "w", .plan = plan_uniform), \
	.samples = KERNEL(uniform_per_sample, "w"), .check = check_uniform, .check_all = all_uniform, \
	.word_ps = {600, 1000, 6000}

#define NORMAL_ROW(ROW) ROW(NORMAL, normal, shape, "f32|f64|bf16|f16", "f32", "normal numbers by Box and Muller's method; f32 ends at 5.88 sigma, see method")
#define NORMAL_PARAMETERS(P) \
	P(mean, F64, "", "0", RANGE_OF_TYPE, NULL, "mean of the distribution") \
	P(std, F64, "", "1", RANGE_SCALE, NULL, "standard deviation of the distribution") \
	P(method, CHOICE, "", "boxmuller", RANGE_OF_TYPE, "boxmuller|boxmuller64", \
	  "how uniforms become normals: boxmuller ends at 5.88 sigma in f32 (of 10^10 samples 41 should lie beyond) and at 8.65 in f64; boxmuller64 reaches 9.4 and takes 1.7 times as long in f32")
#define NORMAL_SAMPLING(S) \
	S(24, 53, 1000, \
	  "boxmuller is made of uniforms of 24 bits (f32, bf16, f16) or 53 bits (f64): no sample lies beyond 5.88 or 8.65 standard deviations, where 4.1e-9 (41 of 10^10) or 5e-18 of a normal distribution are. The radius of boxmuller64 has 64 bits: 9.4, beyond which are 4e-21.", \
	  "", " Samples 2j and 2j + 1 are a pair: the cosine and the sine of one angle times one radius. Source: G. E. P. Box, M. E. Muller, Ann. Math. Statist. 29 (1958) 610.")
#define NORMAL_KERNELS(K) K(normal, DIST_HALVES) K(normal64, DIST_HALVES) K(radius64, DIST_FLOATS) K(normal_per_sample, DIST_REALS) K(normal64_per_sample, DIST_REALS)
#define NORMAL_DRAW \
	.direct = DIRECT_NORMAL, .numbers = KERNEL(normal, "n", .plan = plan_normal), \
	.samples = KERNEL(normal_per_sample, "n", .plan = plan_normal_samples), .word_ps = {1200, 2400, 25000}

#define EXPONENTIAL_ROW(ROW) ROW(EXPONENTIAL, exponential, shape, "f32|f64", "f32", "exponential numbers")
/* 1 / rate is finite. */
#define EXPONENTIAL_PARAMETERS(P) P(rate, F64, "", "1", DBL_MIN, DBL_MAX, false, NULL, "1 / mean")
#define EXPONENTIAL_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 22.2 / rate or 44.4 / rate.", " numpy takes scale = 1 / rate from 0 on.", "")
#define EXPONENTIAL_KERNELS(K) K(exponential, DIST_FLOATS) K(exponential_per_sample, DIST_FLOATS)
#define EXPONENTIAL_DRAW .numbers = KERNEL(exponential, "w", .plan = plan_exponential), .samples = KERNEL(exponential_per_sample, "w")

#define LAPLACE_ROW(ROW) ROW(LAPLACE, laplace, shape, "f32|f64", "f32", "double exponential numbers")
#define LAPLACE_PARAMETERS(P) LOCATION_SCALE_PARAMETERS(P)
#define LAPLACE_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 22.2 or 44.4 scales.", "", "")
#define LAPLACE_KERNELS(K) K(laplace, DIST_FLOATS) K(laplace_per_sample, DIST_FLOATS)
#define LAPLACE_DRAW .numbers = KERNEL(laplace, "w", .plan = plan_laplace), .samples = KERNEL(laplace_per_sample, "w")

#define LOGNORMAL_ROW(ROW) ROW(LOGNORMAL, lognormal, shape, "f32|f64", "f32", "numbers whose logarithm is normal")
#define LOGNORMAL_PARAMETERS(P) \
	P(mean, F64, "", "0", -1e6, 1e6, false, NULL, "mean of the logarithm") \
	P(std, F64, "", "1", 0, 1e6, false, NULL, "standard deviation of the logarithm")
#define LOGNORMAL_SAMPLING(S) S(24, 53, 1000, "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64): no logarithm lies beyond 5.88 or 8.65 standard deviations.", " numpy takes any mean, and sigma from 0 on.", "")
#define LOGNORMAL_KERNELS(K) K(lognormal, DIST_FLOATS) K(lognormal_per_sample, DIST_FLOATS)
#define LOGNORMAL_DRAW .numbers = KERNEL(lognormal, "n", .plan = plan_location_scale), .samples = KERNEL(lognormal_per_sample, "n")

#define GUMBEL_ROW(ROW) ROW(GUMBEL, gumbel, shape, "f32|f64", "f32", "Gumbel (extreme value) numbers")
#define GUMBEL_PARAMETERS(P) LOCATION_SCALE_PARAMETERS(P)
#define GUMBEL_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 22.9 or 44.4 scales above loc, nor 3.1 or 3.8 below.", "", "")
#define GUMBEL_KERNELS(K) K(gumbel, DIST_FLOATS) K(gumbel_per_sample, DIST_FLOATS)
#define GUMBEL_DRAW .numbers = KERNEL(gumbel, "w", .plan = plan_location_scale), .samples = KERNEL(gumbel_per_sample, "w")

#define WEIBULL_ROW(ROW) ROW(WEIBULL, weibull, dims, "f32|f64", "f32", "Weibull numbers")
#define WEIBULL_PARAMETERS(P) \
	P(shape, F64, "", "1", RANGE_POSITIVE, NULL, "exponent of the distribution (f32 samples can be inf below 0.033 with scale 1)") \
	P(scale, F64, "", "1", RANGE_SCALE, NULL, "scale of the distribution")
#define WEIBULL_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond scale 22.9^(1 / shape) or scale 44.4^(1 / shape).", " numpy takes a shape of 0, too.", "")
#define WEIBULL_KERNELS(K) K(weibull, DIST_FLOATS) K(weibull_per_sample, DIST_FLOATS)
#define WEIBULL_DRAW .numbers = KERNEL(weibull, "w", .plan = plan_weibull), .samples = KERNEL(weibull_per_sample, "w")

#define CAUCHY_ROW(ROW) ROW(CAUCHY, cauchy, shape, "f32|f64", "f32", "Cauchy numbers")
#define CAUCHY_PARAMETERS(P) LOCATION_SCALE_PARAMETERS(P)
#define CAUCHY_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 2.7e9 or 5.9e18 scales.", "", "")
#define CAUCHY_KERNELS(K) K(cauchy, DIST_FLOATS) K(cauchy_per_sample, DIST_FLOATS)
#define CAUCHY_DRAW .numbers = KERNEL(cauchy, "w", .plan = plan_location_scale), .samples = KERNEL(cauchy_per_sample, "w")

#define STUDENT_T_ROW(ROW) ROW(STUDENT_T, student_t, shape, "f32|f64", "f32", "Student's t numbers")
#define STUDENT_T_PARAMETERS(P) \
	P(df, F64, "", NULL, RANGE_POSITIVE, NULL, "degrees of freedom (f32 samples can be infinite below 0.2)")
#define STUDENT_T_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond sqrt(df (2^(66 / df) - 1)) or sqrt(df (2^(128 / df) - 1)).", "", " Source: R. W. Bailey, Math. Comp. 62 (1994) 779.")
#define STUDENT_T_KERNELS(K) K(student_t, DIST_FLOATS) K(student_t_per_sample, DIST_FLOATS)
#define STUDENT_T_DRAW .numbers = KERNEL(student_t, "ww", .plan = plan_student_t), .samples = KERNEL(student_t_per_sample, "ww")

#define TRUNCATED_NORMAL_ROW(ROW) ROW(TRUNCATED_NORMAL, truncated_normal, shape, "f32|f64", "f32", "normal numbers truncated to an interval")
#define TRUNCATED_NORMAL_PARAMETERS(P) \
	P(mean, F64, "", "0", RANGE_OF_TYPE, NULL, "mean of the whole distribution") \
	P(std, F64, "", "1", RANGE_SCALE, NULL, "standard deviation of the whole distribution") \
	P(low, F64, "std", "-2", RANGE_INFINITE, NULL, "least value, in standard deviations from the mean") \
	P(high, F64, "std", "2", RANGE_INFINITE, NULL, \
	  "greatest value, in standard deviations from the mean; above low")
#define TRUNCATED_NORMAL_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): a tail has the probability 2^-33 or 2^-64 of its interval at the end.", "", "")
#define TRUNCATED_NORMAL_KERNELS(K) K(truncated, DIST_FLOATS) K(truncated_far, DIST_FLOATS) K(truncated_narrow, DIST_FLOATS) K(truncated_per_sample, DIST_FLOATS) K(truncated_far_per_sample, DIST_FLOATS) K(truncated_narrow_per_sample, DIST_FLOATS)
#define TRUNCATED_NORMAL_DRAW \
	.numbers = KERNEL(truncated, "w", .plan = plan_truncated), \
	.samples = KERNEL(truncated_per_sample, "w", .plan = plan_truncated_samples), .n_fixed = 2, .check = check_truncated, \
	.check_all = all_truncated

#define GAMMA_ROW(ROW) ROW(GAMMA, gamma, dims, "f32|f64", "f32", "gamma numbers")
#define GAMMA_PARAMETERS(P) \
	P(shape, F64, "", NULL, RANGE_POSITIVE, NULL, "shape of the distribution") \
	P(scale, F64, "", "1", RANGE_SCALE, NULL, "scale of the distribution")
/* Marsaglia and Tsang's method accepts e^d sqrt(d / (2 pi)) Gamma(d + 1/3) d^(-d - 1/3), d = shape - 1/3, which rises with d: 0.9517 at
 * shape 1. Smaller shapes are raised by 1. */
#define GAMMA_SAMPLING(S) \
	S(24, 53, 951, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits: of large shapes no sample lies beyond 5.88 or 8.65 standard deviations.", \
	  " numpy takes a shape of 0, too.", " Source: G. Marsaglia, W. W. Tsang, ACM TOMS 26 (2000) 363.")
#define GAMMA_KERNELS(K) K(gamma, DIST_FLOATS) K(gamma_boosted, DIST_FLOATS) K(gamma_per_sample, DIST_FLOATS)
#define GAMMA_DRAW .numbers = KERNEL(gamma, "nw", .plan = plan_gamma), .samples = KERNEL(gamma_per_sample, "nww")

#define CHI_SQUARED_ROW(ROW) ROW(CHI_SQUARED, chi_squared, shape, "f32|f64", "f32", "chi-squared numbers")
#define CHI_SQUARED_PARAMETERS(P) DEGREES_PARAMETERS(P)
/* That of gamma, above. */
#define CHI_SQUARED_SAMPLING(S) \
	S(24, 53, 951, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits: of large shapes no sample lies beyond 5.88 or 8.65 standard deviations.", \
	  "", " A gamma number of shape df / 2 and scale 2.")
#define CHI_SQUARED_KERNELS(K) K(chi_squared_per_sample, DIST_FLOATS)
#define CHI_SQUARED_DRAW .numbers = KERNEL(gamma, "nw", .plan = plan_chi_squared), .samples = KERNEL(chi_squared_per_sample, "nww")

#define BETA_ROW(ROW) ROW(BETA, beta, shape, "f32|f64", "f32", "beta numbers in [0, 1]; rounding can give 0 and 1 themselves")
#define BETA_PARAMETERS(P) \
	P(alpha, F64, "", NULL, RANGE_POSITIVE, NULL, "first parameter") \
	P(beta, F64, "", NULL, RANGE_POSITIVE, NULL, "second parameter")
/* Both gammas at once: 0.951^2. */
#define BETA_SAMPLING(S) \
	S(24, 53, 904, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  "", " From two gamma numbers.")
#define BETA_KERNELS(K) K(beta, DIST_FLOATS) K(beta_boosted, DIST_FLOATS) K(beta_per_sample, DIST_FLOATS)
#define BETA_DRAW .numbers = KERNEL(beta, "nwnw", .plan = plan_beta), .samples = KERNEL(beta_per_sample, "nwwnww")

#define POISSON_ROW(ROW) ROW(POISSON, poisson, shape, "i64", "i64", "Poisson counts")
#define POISSON_PARAMETERS(P) P(lam, F64, "", "1", 0, 1e15, false, NULL, "mean of the distribution")
/* From a mean of 10 on, Hoermann's PTRS accepts 1 / (1.1239 + 1.1328 / (b - 3.4)), b = 0.931 + 2.53 sqrt(mean): 0.7526 there, and
 * rising. Smaller means are inverted. */
#define POISSON_SAMPLING(S) \
	S(0, 50, 750, \
	  "Numbers are made of words of 64 bits by a table, arrays and means above 40000 by float64 arithmetic: a probability counts to 2^-50, and values that are less likely may be missing.", \
	  " numpy takes lam up to 9.2e18.", " Source for wide distributions: W. Hoermann, Insurance: Mathematics and Economics 12 (1993) 39.")
#define POISSON_KERNELS(K) K(poisson, DIST_COUNTS) K(discrete, DIST_COUNTS) K(poisson_per_sample, DIST_COUNTS)
#define POISSON_DRAW \
	.numbers = KERNEL(poisson, "ww", .plan = plan_poisson), .samples = KERNEL(poisson_per_sample, "ww"), \
	.table = TABLE_DISCRETE, .discrete = poisson_values

#define BINOMIAL_ROW(ROW) ROW(BINOMIAL, binomial, shape, "i64", "i64", "number of successes in a number of trials")
#define BINOMIAL_PARAMETERS(P) \
	P(trials, U64, "trials", NULL, 0, 0x1p52, false, NULL, "number of trials") \
	P(p, F64, "", "0.5", 0, 1, false, NULL, "probability of success")
/* From a mean of 10 on, Hoermann's BTRS accepts 1 / ((2.83 + 5.1 / b) s P(mode)), s = sqrt(n p q), b = 1.15 + 2.53 s. P(mode) is
 * at most 1 / (sqrt(2 e) s) (F. Herzog, Am. Math. Monthly 54 (1947) 485), b at least 6.8: 0.65. Smaller means are inverted. */
#define BINOMIAL_SAMPLING(S) \
	S(0, 50, 650, \
	  "Numbers are made of words of 64 bits by a table, arrays and wide distributions by float64 arithmetic: a probability counts to 2^-50, and values that are less likely may be missing.", \
	  " numpy takes trials up to 2^63 - 1.", " Source for wide distributions: W. Hoermann, J. Statist. Comput. Simul. 46 (1993) 101.")
#define BINOMIAL_KERNELS(K) K(binomial, DIST_COUNTS) K(binomial_per_sample, DIST_COUNTS)
#define BINOMIAL_DRAW \
	.numbers = KERNEL(binomial, "ww", .plan = plan_binomial), .samples = KERNEL(binomial_per_sample, "ww"), \
	.table = TABLE_DISCRETE, .discrete = binomial_values

#define GEOMETRIC_ROW(ROW) ROW(GEOMETRIC, geometric, shape, "i64", "i64", "number of trials up to the first success")
/* The greatest sample, 64 ln 2 / p = 44.4 / p, is below 2^63. */
#define GEOMETRIC_PARAMETERS(P) P(p, F64, "", "0.5", 0x1p-57, 1, false, NULL, "probability of success")
#define GEOMETRIC_SAMPLING(S) S(0, 64, 1000, "Made of words of 64 bits: the greatest sample is 44.4 / p. Samples beyond 2^53 are float64 numbers.", " numpy takes any p above 0, and stores 2^63 - 1 for what is greater.", "")
#define GEOMETRIC_KERNELS(K) K(geometric, DIST_COUNTS) K(geometric_per_sample, DIST_COUNTS)
#define GEOMETRIC_DRAW .numbers = KERNEL(geometric, "w", .plan = plan_geometric), .samples = KERNEL(geometric_per_sample, "w")

#define BERNOULLI_ROW(ROW) ROW(BERNOULLI, bernoulli, shape, "i8|i32", "i8", "1 with probability p, else 0")
#define BERNOULLI_PARAMETERS(P) P(p, F64, "", "0.5", 0, 1, false, NULL, "probability of success")
/* A word of 32 bits decides all but 2^-32. After four attempts a sample is decided. */
#define BERNOULLI_SAMPLING(S) \
	S(128, 0, 750, \
	  "Made of 128 bits: p counts to 2^-128.", \
	  "", "")
#define BERNOULLI_KERNELS(K) K(bernoulli, DIST_FLAGS) K(bernoulli_per_sample, DIST_FLAGS)
#define BERNOULLI_DRAW .numbers = KERNEL(bernoulli, "w", .plan = plan_bernoulli), .samples = KERNEL(bernoulli_per_sample, "w")

#define RANDINT_ROW(ROW) ROW(RANDINT, randint, shape, "i64|i32|u64|u32", "i64", "integers in [low, high), all equally likely")
/* Struct draw has both modulo 2^64: the least of i64 stands for 2^63, 0 of u64 for 2^64. */
#define RANDINT_PARAMETERS(P) \
	P(low, INT, "", "0", RANGE_OF_TYPE, NULL, "least value") \
	P(high, INT, "", NULL, RANGE_OF_TYPE, NULL, \
	  "upper bound, never reached; above low, at most the dtype's greatest value plus 1: " \
	  "18446744073709551616 (as text) for all of u64")
/* Of 2^w words, range floor(2^w / range) are accepted, which is more than half. */
#define RANDINT_SAMPLING(S) \
	S(32, 64, 500, \
	  "Exact: a word of 32 bits (i32, u32) or 64 bits (i64, u64) is rejected where it would favour a value.", \
	  "", " Source: D. Lemire, ACM TOMACS 29 (2019) 3.")
#define RANDINT_KERNELS(K) K(randint, DIST_INTEGERS) K(randint_per_sample, DIST_INTEGERS)
#define RANDINT_DRAW \
	.numbers = KERNEL(randint, "w", .plan = plan_randint), .samples = KERNEL(randint_per_sample, "w"), .check = check_randint, \
	.check_all = all_randint

#define PERMUTATION_ROW(ROW) ROW(PERMUTATION, permutation, shape, "i64", "i64", "a permutation of 0 .. items - 1")
#define PERMUTATION_PARAMETERS(P) \
	P(items, U64, "items", "0", 0, 0x1p62, false, NULL, \
	  "size of the permutation; 0: the samples of the whole draw. Longer draws continue with another")
/* A shuffle of up to 1024 items rejects a word with probability below 2^-54, and reads up to 64. The network of more items
 * walks until it lands inside. */
#define PERMUTATION_SAMPLING(S) \
	S(0, 64, 1000, \
	  "Up to 1024 items every order is equally likely, to 2^-64; of more, a keyed bijection reaches some of the orders.", \
	  "", "")
#define PERMUTATION_KERNELS(K)
#define PERMUTATION_DRAW .way = WAY_PERMUTATION, .zero_is_all = true, .check = check_permutation

#define CATEGORICAL_ROW(ROW) ROW(CATEGORICAL, categorical, shape, "i64", "i64", "indices with given weights")
#define CATEGORICAL_PARAMETERS(P) \
	P(weights, ANY, "", NULL, RANGE_OF_TYPE, NULL, \
	  "weight of each of 0, 1, ...: an array of numbers >= 0, not all 0")
#define CATEGORICAL_SAMPLING(S) S(0, 64, 1000, "Made of words of 64 bits: an index counts to 2^-64.", "", " Source: M. D. Vose, IEEE Trans. Software Eng. 17 (1991) 972.")
#define CATEGORICAL_KERNELS(K) K(alias, DIST_COUNTS)
#define CATEGORICAL_DRAW .numbers = KERNEL(alias, "w", .plan = plan_table), .table = TABLE_ALIAS

#define RADEMACHER_ROW(ROW) ROW(RADEMACHER, rademacher, shape, "i8|i32|f32|f64", "i8", "-1 or 1")
#define RADEMACHER_PARAMETERS(P)
#define RADEMACHER_SAMPLING(S) S(1, 1, 1000, "Exact: the top bit of a word.", "", "")
#define RADEMACHER_KERNELS(K) K(rademacher, DIST_SIGNS)
#define RADEMACHER_DRAW .numbers = KERNEL(rademacher, "w")

#define DIRICHLET_ROW(ROW) ROW(DIRICHLET, dirichlet, shape, "f32|f64", "f32", "shares that sum to 1; a sample has a component for each alpha")
#define DIRICHLET_PARAMETERS(P) \
	P(alpha, ANY, "", NULL, RANGE_OF_TYPE, NULL, "parameter of each component: an array of numbers > 0")
/* That of gamma, above. */
#define DIRICHLET_SAMPLING(S) \
	S(24, 53, 951, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  "", " The result has one dimension more than shape: the components of a sample, as many as alpha has numbers.")
#define DIRICHLET_KERNELS(K) K(gamma_log, DIST_FLOATS)
#define DIRICHLET_DRAW \
	.way = WAY_SHARES, .is_vector = true, .numbers = KERNEL(gamma_log, "nww", .plan = plan_dirichlet), .table = TABLE_GAMMA, \
	.check = check_dirichlet

#define SPHERE_ROW(ROW) ROW(SPHERE, sphere, shape, "f32|f64", "f32", "points on the unit sphere")
#define SPHERE_PARAMETERS(P) P(dimensions, U64, "", "3", 1, DIST_MAX_COMPONENTS, false, NULL, "components of a point")
#define SPHERE_SAMPLING(S) S(24, 53, 1000, "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64).", "", " The result has one dimension more than shape: the components of a point.")
#define SPHERE_KERNELS(K)
#define SPHERE_DRAW .way = WAY_SPHERE, .is_vector = true

#define RAYLEIGH_ROW(ROW) ROW(RAYLEIGH, rayleigh, shape, "f32|f64", "f32", "Rayleigh numbers")
#define RAYLEIGH_PARAMETERS(P) P(scale, F64, "", "1", RANGE_SCALE, NULL, "mode of the distribution")
#define RAYLEIGH_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 6.76 or 9.42 scales.", "", "")
#define RAYLEIGH_KERNELS(K) K(rayleigh_per_sample, DIST_FLOATS)
#define RAYLEIGH_DRAW .samples = KERNEL(rayleigh_per_sample, "w")

#define LOGISTIC_ROW(ROW) ROW(LOGISTIC, logistic, shape, "f32|f64", "f32", "logistic numbers")
#define LOGISTIC_PARAMETERS(P) LOCATION_SCALE_PARAMETERS(P)
#define LOGISTIC_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 22.9 or 44.4 scales.", "", "")
#define LOGISTIC_KERNELS(K) K(logistic_per_sample, DIST_FLOATS)
#define LOGISTIC_DRAW .samples = KERNEL(logistic_per_sample, "w")

#define PARETO_ROW(ROW) ROW(PARETO, pareto, shape, "f32|f64", "f32", "Pareto numbers less 1 (Lomax), as numpy's")
#define PARETO_PARAMETERS(P) \
	P(a, F64, "", NULL, RANGE_POSITIVE, NULL, "shape of the distribution (f32 samples can be infinite below 0.5)")
#define PARETO_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies beyond 2^(33 / a) - 1 or 2^(64 / a) - 1.", "", " scipy's pareto and a Pareto number of scale m are m times 1 more.")
#define PARETO_KERNELS(K) K(pareto_per_sample, DIST_FLOATS)
#define PARETO_DRAW .samples = KERNEL(pareto_per_sample, "w")

#define POWER_ROW(ROW) ROW(POWER, power, shape, "f32|f64", "f32", "numbers in [0, 1] of density a x^(a - 1)")
#define POWER_PARAMETERS(P) P(a, F64, "", NULL, RANGE_POSITIVE, NULL, "shape of the distribution")
#define POWER_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): no sample lies below 2^(-33 / a) or 2^(-64 / a).", "", "")
#define POWER_KERNELS(K) K(power_per_sample, DIST_FLOATS)
#define POWER_DRAW .samples = KERNEL(power_per_sample, "w")

#define TRIANGULAR_ROW(ROW) ROW(TRIANGULAR, triangular, shape, "f32|f64", "f32", "numbers of a triangular density")
#define TRIANGULAR_PARAMETERS(P) \
	P(left, F64, "", "0", RANGE_OF_TYPE, NULL, "lower limit") \
	P(mode, F64, "", "0.5", RANGE_OF_TYPE, NULL, "value of the greatest density, from left to right") \
	P(right, F64, "", "1", RANGE_OF_TYPE, NULL, "upper limit, above left")
#define TRIANGULAR_SAMPLING(S) S(32, 64, 1000, "Made of uniforms of 32 bits (f32) or 64 bits (f64): in f64 a distance from an end counts to 2^-53 of the width.", "", "")
#define TRIANGULAR_KERNELS(K) K(triangular_per_sample, DIST_FLOATS)
#define TRIANGULAR_DRAW .samples = KERNEL(triangular_per_sample, "w"), .check = check_triangular, .check_all = all_triangular

#define VONMISES_ROW(ROW) ROW(VONMISES, vonmises, shape, "f32|f64", "f32", "angles in [-pi, pi] by von Mises' distribution")
#define VONMISES_PARAMETERS(P) \
	P(mu, F64, "rad", "0", RANGE_OF_TYPE, NULL, "mode of the distribution, an angle") \
	P(kappa, F64, "", "1", 0, 1e15, false, NULL, "concentration; 0: all angles are equally likely")
/* Best and Fisher: at least 0.6577, its limit for a great kappa (their table 1). */
#define VONMISES_SAMPLING(S) S(32, 64, 650, "Made of uniforms of 32 bits (f32) or 64 bits (f64).", " numpy takes kappa from 0 on.", " Source: D. J. Best, N. I. Fisher, Applied Statistics 28 (1979) 152.")
#define VONMISES_KERNELS(K) K(vonmises_per_sample, DIST_FLOATS)
#define VONMISES_DRAW .samples = KERNEL(vonmises_per_sample, "ww")

#define WALD_ROW(ROW) ROW(WALD, wald, shape, "f32|f64", "f32", "Wald (inverse normal) numbers")
#define WALD_PARAMETERS(P) \
	P(mean, F64, "", "1", RANGE_POSITIVE, NULL, "mean of the distribution") \
	P(scale, F64, "", "1", RANGE_POSITIVE, NULL, "scale of the distribution")
#define WALD_SAMPLING(S) \
	S(24, 53, 1000, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  "", " Source: J. R. Michael, W. R. Schucany, R. W. Haas, The American Statistician 30 (1976) 88.")
#define WALD_KERNELS(K) K(wald_per_sample, DIST_FLOATS)
#define WALD_DRAW .samples = KERNEL(wald_per_sample, "nw")

#define F_ROW(ROW) ROW(F, f, shape, "f32|f64", "f32", "Fisher's F numbers")
#define F_PARAMETERS(P) FREEDOM_PARAMETERS(P)
/* Both gammas at once: 0.951^2. */
#define F_SAMPLING(S) \
	S(24, 53, 904, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  "", " A ratio of two gamma numbers.")
#define F_KERNELS(K) K(ratio_per_sample, DIST_FLOATS)
#define F_DRAW .way = WAY_STAGES, .second = KERNEL(ratio_per_sample, "nwwnww", .parameters = ratio_parameters)

#define NONCENTRAL_CHISQUARE_ROW(ROW) ROW(NONCENTRAL_CHISQUARE, noncentral_chisquare, shape, "f32|f64", "f32", "noncentral chi-squared numbers")
#define NONCENTRAL_CHISQUARE_PARAMETERS(P) DEGREES_PARAMETERS(P) NONCENTRALITY_PARAMETERS(P)
/* The Poisson stage's, below; the gamma's is 0.951. */
#define NONCENTRAL_CHISQUARE_SAMPLING(S) \
	S(24, 53, 750, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  " numpy takes nonc from 0 on.", " Above one degree of freedom a chi-squared number over df - 1 and the square of a normal number of mean sqrt(nonc); else over df and twice a Poisson number of mean nonc / 2.")
#define NONCENTRAL_CHISQUARE_KERNELS(K) K(poisson_stage, DIST_STAGES) K(noncentral_per_sample, DIST_FLOATS)
#define NONCENTRAL_CHISQUARE_DRAW \
	.way = WAY_STAGES, .first = KERNEL(poisson_stage, "ww", .parameters = noncentral_means_below), \
	.second = KERNEL(noncentral_per_sample, "nwwn", .parameters = noncentral_parameters)

#define NONCENTRAL_F_ROW(ROW) ROW(NONCENTRAL_F, noncentral_f, shape, "f32|f64", "f32", "noncentral F numbers")
#define NONCENTRAL_F_PARAMETERS(P) FREEDOM_PARAMETERS(P) NONCENTRALITY_PARAMETERS(P)
/* The Poisson stage's, below; two gammas at once: 0.904. */
#define NONCENTRAL_F_SAMPLING(S) \
	S(24, 53, 750, \
	  "Made of normals of boxmuller, whose uniforms have 24 bits (f32) or 53 bits (f64), and of uniforms of 32 or 64 bits.", \
	  " numpy takes nonc from 0 on.", " A ratio of two chi-squared numbers, the first over dfnum and twice a Poisson number of mean nonc / 2 degrees of freedom.")
#define NONCENTRAL_F_KERNELS(K)
#define NONCENTRAL_F_DRAW \
	.way = WAY_STAGES, .first = KERNEL(poisson_stage, "ww", .parameters = noncentral_means), \
	.second = KERNEL(ratio_per_sample, "nwwnww", .parameters = noncentral_ratio_parameters)

#define ZIPF_ROW(ROW) ROW(ZIPF, zipf, shape, "i64", "i64", "Zipf (zeta) counts")
#define ZIPF_PARAMETERS(P) P(a, F64, "", NULL, 1, DBL_MAX, true, NULL, "exponent: x has probability x^-a / zeta(a)")
/* With s = a - 1 the acceptance is (1 - 2^-s) sum(k^-a), which is at least (1 - 2^-s) ((1 - 2^(-63 s)) / s + 1/2): 0.655 at s = 1/16,
 * and above 0.69 from s = 1/8 on. Below s = 1/16 both sides are divided by 1 - 2^(-63 s): at least ln 2, its limit for s = 0. */
#define ZIPF_SAMPLING(S) \
	S(0, 64, 650, \
	  "Made of words of 64 bits. Samples are conditional on what int64 holds: the probability of x is x^-a over the sum up to 2^63 - 1. Those beyond 2^53 are float64 numbers.", \
	  " numpy, too, rejects what int64 does not hold.", " Source: L. Devroye, Non-Uniform Random Variate Generation (1986), X.6.1.")
#define ZIPF_KERNELS(K) K(zipf_per_sample, DIST_COUNTS)
#define ZIPF_DRAW .samples = KERNEL(zipf_per_sample, "ww")

#define LOGSERIES_ROW(ROW) ROW(LOGSERIES, logseries, shape, "i64", "i64", "logarithmic series counts")
#define LOGSERIES_PARAMETERS(P) P(p, F64, "", "0.5", 0, 0x1.fffffffffffffp-1, false, NULL, "shape, below 1: x has probability -p^x / (x ln(1 - p))")
#define LOGSERIES_SAMPLING(S) \
	S(0, 64, 1000, \
	  "Made of words of 64 bits: the greatest sample is 1 + 44.4 / -ln p. Samples beyond 2^53 are float64 numbers.", \
	  "", " Source: A. W. Kemp, Applied Statistics 30 (1981) 249.")
#define LOGSERIES_KERNELS(K) K(logseries_per_sample, DIST_COUNTS)
#define LOGSERIES_DRAW .samples = KERNEL(logseries_per_sample, "ww")

#define NEGATIVE_BINOMIAL_ROW(ROW) ROW(NEGATIVE_BINOMIAL, negative_binomial, shape, "i64", "i64", "failures before a number of successes")
#define NEGATIVE_BINOMIAL_PARAMETERS(P) \
	P(successes, F64, "", NULL, 0, 1e15, true, NULL, "number of successes, which need not be whole") \
	P(p, F64, "", "0.5", 0, 1, true, NULL, \
	  "probability of success; (successes + 9.6 sqrt(successes) + 46) (1 - p) / p is at most 2^63 - 2^36, so that a sample " \
	  "passes 2^63 with probability below 2^-64")
/* The Poisson stage's, above; the gamma's is 0.951. */
#define NEGATIVE_BINOMIAL_SAMPLING(S) \
	S(0, 53, 750, \
	  "Made of a normal of boxmuller, whose uniforms have 53 bits, and words of 64 bits: the mean reaches 8.57 standard deviations of its gamma number. Samples beyond 2^53 are float64 numbers.", \
	  " numpy takes more successes, and refuses a mean and 10 deviations above 9.2e18.", " A Poisson number whose mean is a gamma number of shape successes and scale (1 - p) / p.")
#define NEGATIVE_BINOMIAL_KERNELS(K) K(gamma_stage, DIST_STAGES)
#define NEGATIVE_BINOMIAL_DRAW \
	.way = WAY_STAGES, .first = KERNEL(gamma_stage, "nww", .parameters = success_gammas), \
	.second = KERNEL(poisson_per_sample, "ww", .parameters = success_means), .check = check_negative_binomial, \
	.check_all = all_storable

#define HYPERGEOMETRIC_ROW(ROW) ROW(HYPERGEOMETRIC, hypergeometric, shape, "i64", "i64", "good ones among items drawn without replacement")
#define HYPERGEOMETRIC_PARAMETERS(P) \
	P(ngood, U64, "items", NULL, 0, 1e15, false, NULL, "good items") \
	P(nbad, U64, "items", NULL, 0, 1e15, false, NULL, "bad items") \
	P(nsample, U64, "items", NULL, 0, 2e15, false, NULL, "items that are drawn, at most ngood + nbad")
/* The ratio of uniforms accepts 1 / (2 P(mode) w), w = 1.7155 sqrt(v + 1/2) + 0.899, of a variance v. Below v = 5/2, and of fewer than 10
 * draws, numbers are inverted. Above, P(mode) is that of a sum of independent trials (V. A. Vatutin, V. G. Mikhailov, Theory Probab.
 * Appl. 27 (1983) 734): at most 0.4689 / sqrt(v) (J.-B. Baillon, R. Cominetti, J. Vaisman, Combin. Probab. Comput. 25 (2016) 352),
 * which proves 1/2 from v = 6.6 on. From 5/2 to 6.6 the least of all populations up to 400 items, and of a grid up to 10^9, is 0.5039,
 * at v = 5/2 in Poisson's limit. */
#define HYPERGEOMETRIC_SAMPLING(S) \
	S(0, 44, 500, \
	  "Made of words of 64 bits by float64 arithmetic: a probability counts to 2^-44, and values that are less likely may be missing.", \
	  " numpy takes ngood + nbad up to 1e9.", " Source for more than 10 items: E. Stadlober, J. Comput. Appl. Math. 31 (1990) 181.")
#define HYPERGEOMETRIC_KERNELS(K) K(hypergeometric, DIST_COUNTS) K(hypergeometric_per_sample, DIST_COUNTS)
#define HYPERGEOMETRIC_DRAW \
	.numbers = KERNEL(hypergeometric, "ww", .plan = plan_hypergeometric), .samples = KERNEL(hypergeometric_per_sample, "ww"), \
	.table = TABLE_HYPERGEOMETRIC, .check = check_hypergeometric, .check_all = all_possible

#define MULTINOMIAL_ROW(ROW) ROW(MULTINOMIAL, multinomial, shape, "i64", "i64", "how often each of several outcomes occurs; a sample has a component for each")
#define MULTINOMIAL_PARAMETERS(P) \
	P(trials, U64, "trials", NULL, 0, 0x1p52, false, NULL, "number of trials") \
	P(shares, ANY, "", NULL, RANGE_OF_TYPE, NULL, \
	  "share of each outcome: an array of numbers >= 0, not all 0; numpy's pvals")
/* Binomial's, above. */
#define MULTINOMIAL_SAMPLING(S) \
	S(0, 50, 650, \
	  "Made of words of 64 bits by float64 arithmetic: a probability counts to 2^-50, and values that are less likely may be missing.", \
	  " numpy takes trials up to 2^63 - 1, and pvals whose sum is at most 1.", " The result has one dimension more than shape: the counts of a sample, which sum to trials. Each is a binomial number of the trials that those before it have left.")
#define MULTINOMIAL_KERNELS(K)
#define MULTINOMIAL_DRAW .way = WAY_OUTCOMES, .is_vector = true, .table = TABLE_MULTINOMIAL, .check = check_shares

/* All of them, in the order of the documents. */
#define DISTRIBUTION_ROWS(ROW) \
	BITS_ROW(ROW) UNIFORM_ROW(ROW) NORMAL_ROW(ROW) EXPONENTIAL_ROW(ROW) LAPLACE_ROW(ROW) LOGNORMAL_ROW(ROW) \
	GUMBEL_ROW(ROW) WEIBULL_ROW(ROW) CAUCHY_ROW(ROW) STUDENT_T_ROW(ROW) TRUNCATED_NORMAL_ROW(ROW) GAMMA_ROW(ROW) \
	CHI_SQUARED_ROW(ROW) BETA_ROW(ROW) POISSON_ROW(ROW) BINOMIAL_ROW(ROW) GEOMETRIC_ROW(ROW) BERNOULLI_ROW(ROW) \
	RANDINT_ROW(ROW) PERMUTATION_ROW(ROW) CATEGORICAL_ROW(ROW) RADEMACHER_ROW(ROW) DIRICHLET_ROW(ROW) SPHERE_ROW(ROW) \
	RAYLEIGH_ROW(ROW) LOGISTIC_ROW(ROW) PARETO_ROW(ROW) POWER_ROW(ROW) TRIANGULAR_ROW(ROW) VONMISES_ROW(ROW) \
	WALD_ROW(ROW) F_ROW(ROW) NONCENTRAL_CHISQUARE_ROW(ROW) NONCENTRAL_F_ROW(ROW) ZIPF_ROW(ROW) LOGSERIES_ROW(ROW) \
	NEGATIVE_BINOMIAL_ROW(ROW) HYPERGEOMETRIC_ROW(ROW) MULTINOMIAL_ROW(ROW)
/* clang-format on */

#endif
