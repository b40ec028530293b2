/* SPDX-License-Identifier: Apache-2.0 */
/* Probabilities from the mode outwards by their ratios, then cumulated as shares of 2^64.
 *
 * From the mode outwards probabilities fall. Each step adds a few roundings to their relative error, and those many
 * steps away hold few of the words. */
#include "distributions/tables/discrete_table.h"

#include <assert.h>
#include <math.h>

#include "distributions/tables/word_share.h"
#include "math/special.h"

/* What a table takes: its guide, and each of its values. */
enum { TABLE_NS = 8000, VALUE_NS = 12 };

/* P(k + 1) / P(k); parameters: mean. */
static double poisson_ratio(double k, const double *parameters)
{
	return parameters[0] / (k + 1);
}

/* P(k + 1) / P(k); parameters: trials and odds, p / (1 - p). */
static double binomial_ratio(double k, const double *parameters)
{
	return (parameters[0] - k) / (k + 1) * parameters[1];
}

/* Returns a distance from the mean beyond which a Poisson or binomial number of that variance lies with probability
 * below 2^-65 (Bernstein's inequality). */
static double reach_of(double variance)
{
	return 16 + sqrt(225 + 91 * variance);
}

/* Cuts the distribution at `reach` to either side of the mode; values are 0 .. last. */
static void cut_at_reach(struct discrete *discrete, double reach, double last)
{
	discrete->low = discrete->mode > reach ? floor(discrete->mode - reach) : 0;
	discrete->high = discrete->mode + reach < last ? floor(discrete->mode + reach) : last;
}

struct discrete discrete_poisson(double mean)
{
	struct discrete poisson = {.ratio = poisson_ratio, .parameters = {mean, 0}, .mode = floor(mean)};

	poisson.at_mode = special_poisson(poisson.mode, mean);
	cut_at_reach(&poisson, reach_of(mean), 0x1p62);
	return poisson;
}

struct discrete discrete_binomial(double trials, double p)
{
	const double q = 1 - p, top = floor((trials + 1) * p), only = p > 0 ? trials : 0;
	struct discrete binomial = {.ratio = binomial_ratio, .parameters = {trials, p / q}};

	if (p >= 1 || p <= 0) {
		binomial.mode = only;
		binomial.at_mode = 1;
		cut_at_reach(&binomial, 0, only);
	} else {
		binomial.mode = top < trials ? top : trials;
		binomial.at_mode = special_binomial(binomial.mode, trials, p);
		cut_at_reach(&binomial, reach_of(trials * p * q), trials);
	}
	return binomial;
}

bool discrete_fits(const struct discrete *discrete)
{
	return discrete->high - discrete->low < DISCRETE_VALUES;
}

uint64_t discrete_table_cost_ns(const struct discrete *discrete)
{
	return TABLE_NS + VALUE_NS * (uint64_t)(discrete->high - discrete->low);
}

/* Writes the share of each value except the mode, from low on, and returns the sum of these shares. */
static uint64_t build_shares(const struct discrete *discrete, uint64_t *ret_shares)
{
	const int64_t low = (int64_t)discrete->low, high = (int64_t)discrete->high, mode = (int64_t)discrete->mode;
	double p = discrete->at_mode;
	uint64_t sum = 0;

	for (int64_t k = mode; k < high; k++) {
		p *= discrete->ratio((double)k, discrete->parameters);
		ret_shares[k + 1 - low] = word_share(p);
		sum += ret_shares[k + 1 - low];
	}
	p = discrete->at_mode;
	for (int64_t k = mode; k > low; k--) {
		p /= discrete->ratio((double)(k - 1), discrete->parameters);
		ret_shares[k - 1 - low] = word_share(p);
		sum += ret_shares[k - 1 - low];
	}
	return sum;
}

/* Replaces the table's shares by the last word of each value. A value without words ends where the one before it does.
 */
static void cumulate_shares(struct discrete_table *table)
{
	uint64_t *const last = table->last;
	uint64_t end = 0;

	for (unsigned j = 0; j < table->n; j++) {
		end += last[j];
		last[j] = last[j] > 0 ? end - 1 : j > 0 ? last[j - 1] : 0;
	}
	last[table->n - 1] = UINT64_MAX;
}

/* Finds for each value of a word's top bits where the search begins. */
static void build_guide(struct discrete_table *table)
{
	unsigned j = 0;

	for (uint64_t bucket = 0; bucket < 1u << DISCRETE_GUIDE_BITS; bucket++) {
		while (table->last[j] < bucket << (64 - DISCRETE_GUIDE_BITS))
			j++;
		table->guide[bucket] = (uint16_t)j;
	}
}

void discrete_table_build(const struct discrete *discrete, struct discrete_table *ret_table)
{
	const int64_t low = (int64_t)discrete->low, high = (int64_t)discrete->high, mode = (int64_t)discrete->mode;

	assert(low <= mode && mode <= high && discrete_fits(discrete));
	const uint64_t sum = build_shares(discrete, ret_table->last);

	if (sum == 0) {
		/* All 2^64 words belong to the mode. */
		ret_table->first = mode;
		ret_table->n = 1;
		ret_table->last[0] = 0;
	} else {
		ret_table->first = low;
		ret_table->n = (unsigned)(high - low) + 1;
		ret_table->last[mode - low] = -sum;
	}
	cumulate_shares(ret_table);
	build_guide(ret_table);
}
