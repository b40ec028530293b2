/* SPDX-License-Identifier: Apache-2.0 */
/* What every kernel of distributions is given: its constants, its inputs, and where rejected samples go. */
#ifndef TRNSCI_DISTRIBUTIONS_DIST_CONSTANTS_H
#define TRNSCI_DISTRIBUTIONS_DIST_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distributions/tables/gamma_table.h"

enum {
	DIST_PAD = 32,              /* kernels work on a multiple of these samples */
	DIST_PAD_RETRY = 16,        /* those that reject: on a multiple of these, since most retries are of few samples */
	DIST_BLOCK = 2048,          /* the most samples of a call: of 32-bit words, with one input */
	DIST_BLOCK_REJECTING = 512, /* the same of other kernels */
	DIST_REJECTED_PAD = 16,     /* places that a list of rejected samples has beyond their number */
	DIST_DIGITS = 4,            /* 128 binary digits of a probability, 32 in each */
	/* Kernels whose name has _per_sample read parameter j of sample i from inputs[DIST_PARAMETER_INPUT + j][i]: a
	 * float64, for randint a 64-bit integer. */
	DIST_PARAMETER_INPUT = 6,
};

/* What kernels use of a draw's parameters. Each member is named after the distributions that it belongs to. */
struct dist_constants {
	double scale, shift; /* a sample x becomes x scale + shift */
	union {
		struct {
			double power, scale; /* weibull: 1 / shape, and a scale that is applied together with it */
		} weibull;
		double degrees;              /* student_t: degrees of freedom */
		bool ratio_apart;            /* f: the fourth parameter is the exponent of the third, else missing */
		double mean_trials;          /* geometric: -1 / ln(1 - p) */
		struct truncated_constants { /* truncated_normal; in standard deviations from the mean */
			double low, high;    /* bounds of the result before it is multiplied by sign */
			double below, above; /* probability below low, and above high */
			double width;        /* probability between them; narrow: high - low; far: 1 - ratio */
			double sign;         /* -1: the interval was mirrored */
			double ratio;        /* far: probability above high over probability above low */
		} truncated;
		struct gamma_constants gamma[2]; /* gamma, chi_squared: the first; beta: both */
		struct {                         /* poisson, binomial: see counts_body.h */
			double a, b, centre, quick, accept;
			double mean, rest_mean; /* of k, and of trials - k */
			double trials;          /* poisson: 2^62 */
			double log_top;         /* binomial: Stirling's corrections and deviances at the mode */
		} counts;
		struct {
			double good, bad, sample;
		} hypergeometric;
		struct {
			int64_t low;
			uint64_t range;        /* high - low; 0: 2^64 */
			uint64_t reject_below; /* 2^bits mod range, bits being those of the word */
		} randint;
		struct {
			uint32_t digits[DIST_DIGITS]; /* the binary digits of p, first ones first */
			uint32_t certain;             /* p = 1 */
		} bernoulli;
		struct {
			double most; /* the greatest value of the dtype below high */
		} uniform16;
	};
	const void *table; /* discrete, alias, hypergeometric: struct discrete_table, alias_table, hypergeometric_table */
};

/* Makes n samples, n a multiple of DIST_PAD (of one that rejects: DIST_PAD_RETRY) and at most DIST_BLOCK or
 * DIST_BLOCK_REJECTING. inputs[j][i] is what draw number attempt n_inputs + j gives for sample i. Writes the numbers of
 * rejected samples to ret_rejected in ascending order, and returns how many there are; up to DIST_REJECTED_PAD places
 * behind them may be overwritten. A rejected sample is stored as a possible value. */
typedef size_t dist_function(const struct dist_constants *constants, const void *const inputs[], unsigned attempt,
			     size_t n, void *ret_out, uint16_t *ret_rejected);

#endif
