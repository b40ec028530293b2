/* SPDX-License-Identifier: Apache-2.0 */
/* Building the tables of discrete distributions. */
#include "dist/dist_table.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

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

/* ---- alias tables ---- */

enum { SUMMING, SHARING, SORTING, FILLING, MADE };

struct alias_table *alias_table_alloc(size_t n)
{
	struct alias_table *table = malloc(sizeof *table + n * sizeof *table->columns);

	assert(n > 0 && n <= ALIAS_MOST);
	if (table)
		table->n = n;
	return table;
}

void alias_maker_init(struct alias_maker *maker, const void *weights, double most, struct alias_table *table)
{
	*maker = (struct alias_maker){.table = table, .weights = weights, .most = most, .phase = SUMMING};
}

static double weight(const struct alias_maker *maker, size_t i)
{
	double x;

	memcpy(&x, (const char *)maker->weights + i * sizeof x, sizeof x);
	return x;
}

/* Columns of shares below 1 and above to the two ends of a list. */
static void sort(struct alias_maker *maker, size_t i)
{
	maker->table->columns[i] = (struct alias_column){UINT64_MAX, i}; /* filled by itself alone */
	if (maker->shares[i] < 1)
		maker->list[maker->n_small++] = (uint32_t)i;
	else
		maker->list[maker->table->n - ++maker->n_large] = (uint32_t)i;
}

/* One below is filled from one above. */
static void fill(struct alias_maker *maker)
{
	double *const shares = maker->shares;
	const uint32_t small = maker->list[--maker->n_small], large = maker->list[maker->table->n - maker->n_large];

	maker->table->columns[small] = (struct alias_column){share_of(shares[small]), large};
	shares[large] -= 1 - shares[small];
	if (shares[large] < 1) {
		maker->n_large--;
		maker->list[maker->n_small++] = large;
	}
}

static void make_one(struct alias_maker *maker, size_t i)
{
	switch (maker->phase) {
	case SUMMING:
		maker->sum += weight(maker, i) / maker->most;
		break;
	case SHARING: /* of mean 1 */
		maker->shares[i] = weight(maker, i) / maker->most / (maker->sum / (double)maker->table->n);
		break;
	case SORTING:
		sort(maker, i);
		break;
	default:
		fill(maker);
	}
}

static bool is_filled(const struct alias_maker *maker)
{
	return maker->phase == FILLING && (maker->n_small == 0 || maker->n_large == 0);
}

int alias_maker_piece(struct alias_maker *maker)
{
	const size_t n = maker->table->n, end = n - maker->at < ALIAS_PIECE ? n : maker->at + ALIAS_PIECE;

	if (!maker->shares) {
		maker->shares = malloc(n * sizeof *maker->shares);
		maker->list = malloc(n * sizeof *maker->list);
		if (!maker->shares || !maker->list)
			return -ERROR_NO_MEMORY;
	}
	while (maker->at < end && !is_filled(maker))
		make_one(maker, maker->at++);
	/* Each filling ends a column, so there are fewer than n. */
	if (maker->at == n || is_filled(maker)) {
		maker->phase++;
		maker->at = 0;
	}
	return maker->phase != MADE;
}

void alias_maker_end(struct alias_maker *maker)
{
	free(maker->shares);
	free(maker->list);
	maker->shares = NULL;
	maker->list = NULL;
}

struct alias_table *alias_table_new(const double *weights, size_t n)
{
	struct alias_table *table = alias_table_alloc(n);
	struct alias_maker maker;
	double most = 0;
	int more;

	if (!table)
		return NULL;
	for (size_t i = 0; i < n; i++)
		most = weights[i] > most ? weights[i] : most;
	alias_maker_init(&maker, weights, most, table);
	do
		more = alias_maker_piece(&maker);
	while (more > 0);
	alias_maker_end(&maker);
	if (more < 0)
		free(table);
	return more < 0 ? NULL : table;
}
