/* SPDX-License-Identifier: Apache-2.0 */
/* Tables by which narrow Poisson and binomial distributions are inverted: one 64-bit word to one value.
 *
 * Probabilities are held as shares of 2^64, so a word is compared with them exactly. */
#ifndef TRNSCI_DISTRIBUTIONS_DISCRETE_TABLE_H
#define TRNSCI_DISTRIBUTIONS_DISCRETE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* The most values of a table: enough for a standard deviation of about 200. */
	DISCRETE_VALUES = 4096,
	DISCRETE_GUIDE_BITS = 12,
};

/* Value first + j belongs to the words in (last[j - 1], last[j]]. guide[b] is the j of the least word whose top bits
 * are b: the search begins there. */
struct discrete_table {
	int64_t first;
	unsigned n;
	uint16_t guide[1 << DISCRETE_GUIDE_BITS];
	uint64_t last[DISCRETE_VALUES];
};

/* A distribution on the integers low .. high, by its probability at the mode and the ratio P(k + 1) / P(k). The
 * integers are doubles because a bound may be infinite in effect (2^62). */
struct discrete {
	double (*ratio)(double k, const double *parameters);
	double parameters[2], mode, at_mode, low, high;
};

/* Describe a Poisson distribution (mean from 0) and a binomial one (p in [0, 1]), cut where the probability of all that
 * lies beyond is below 2^-65. */
struct discrete discrete_poisson(double mean);
struct discrete discrete_binomial(double trials, double p);

/* Returns whether a table can hold the distribution. */
bool discrete_fits(const struct discrete *discrete);

/* Builds the table of a distribution that fits, in a few nanoseconds for each value. Values of probability below 2^-65
 * get no words; the words that rounding leaves over go to the mode. */
void discrete_table_build(const struct discrete *discrete, struct discrete_table *ret_table);

/* Returns about how many nanoseconds discrete_table_build takes. */
uint64_t discrete_table_cost_ns(const struct discrete *discrete);

#endif
