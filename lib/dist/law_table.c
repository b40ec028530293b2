/* SPDX-License-Identifier: Apache-2.0 */
/* Building the tables of discrete laws. */
#include "dist/law_table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* p 2^64, for p in [0, 1), to the nearest. */
static uint64_t share_of(double p)
{
	const double scaled = rint(ldexp(p, 64));

	return scaled >= 0x1p64 ? UINT64_MAX : (uint64_t)scaled;
}

static void guide_build(struct discrete_table *table)
{
	unsigned j = 0;

	for (uint64_t bucket = 0; bucket < 1u << DISCRETE_GUIDE_BITS; bucket++) {
		while (table->last[j] < bucket << (64 - DISCRETE_GUIDE_BITS))
			j++;
		table->guide[bucket] = (uint16_t)j;
	}
}

/* The shares of low .. high, without the mode's; their sum. */
static uint64_t shares_build(double (*ratio)(double k, const double *parameters), const double *parameters, int64_t low,
			     int64_t high, int64_t mode, double at_mode, uint64_t *ret_shares)
{
	double p = at_mode;
	uint64_t sum = 0;

	for (int64_t k = mode; k < high; k++) {
		p *= ratio((double)k, parameters);
		ret_shares[k + 1 - low] = share_of(p);
		sum += ret_shares[k + 1 - low];
	}
	p = at_mode;
	for (int64_t k = mode; k > low; k--) {
		p /= ratio((double)(k - 1), parameters);
		ret_shares[k - 1 - low] = share_of(p);
		sum += ret_shares[k - 1 - low];
	}
	return sum;
}

void discrete_table_build(double (*ratio)(double k, const double *parameters), const double *parameters, int64_t low,
			  int64_t high, int64_t mode, double at_mode, struct discrete_table *ret_table)
{
	uint64_t *const last = ret_table->last, sum = shares_build(ratio, parameters, low, high, mode, at_mode, last);

	assert(low <= mode && mode <= high && high - low < DISCRETE_VALUES);
	last[mode - low] = -sum;
	if (sum == 0) {
		/* The mode has all 2^64 words. */
		low = high = mode;
		last[0] = 0;
	}
	ret_table->first = low;
	ret_table->n = (unsigned)(high - low) + 1;
	/* From shares to the last word of each; a value without a word ends where the one before it does. */
	uint64_t end = 0;

	for (unsigned j = 0; j < ret_table->n; j++) {
		end += last[j];
		last[j] = last[j] > 0 ? end - 1 : j > 0 ? last[j - 1] : 0;
	}
	last[ret_table->n - 1] = UINT64_MAX;
	guide_build(ret_table);
}

/* Weights of mean 1, columns below 1 and above sorted to the two ends of a list, each filled from one above. */
static void alias_fill(double *shares, uint32_t *list, size_t n, struct alias_table *table)
{
	size_t n_small = 0, n_large = 0;

	for (size_t i = 0; i < n; i++) {
		table->columns[i] = (struct alias_column){UINT64_MAX, i}; /* filled by itself alone */
		if (shares[i] < 1)
			list[n_small++] = (uint32_t)i;
		else
			list[n - ++n_large] = (uint32_t)i;
	}
	while (n_small > 0 && n_large > 0) {
		const uint32_t small = list[--n_small], large = list[n - n_large];

		table->columns[small] = (struct alias_column){share_of(shares[small]), large};
		shares[large] -= 1 - shares[small];
		if (shares[large] < 1) {
			n_large--;
			list[n_small++] = large;
		}
	}
}

struct alias_table *alias_table_new(const double *weights, size_t n)
{
	struct alias_table *table = malloc(sizeof *table + n * sizeof *table->columns);
	double *shares = malloc(n * sizeof *shares), most = 0, sum = 0;
	uint32_t *list = malloc(n * sizeof *list);

	assert(n > 0 && n <= ALIAS_MOST);
	if (!table || !shares || !list) {
		free(table);
		table = NULL;
		goto out;
	}
	table->n = n;
	for (size_t i = 0; i < n; i++)
		most = weights[i] > most ? weights[i] : most;
	for (size_t i = 0; i < n; i++)
		sum += weights[i] / most;
	for (size_t i = 0; i < n; i++)
		shares[i] = weights[i] / most / (sum / (double)n);
	alias_fill(shares, list, n, table);
out:
	free(shares);
	free(list);
	return table;
}
