/* SPDX-License-Identifier: Apache-2.0 */
/* Whether orders of n items are equally likely: each of the n! (n <= 7), parity, and the values of two places. */
#ifndef TRNSCI_TESTS_DISTRIBUTIONS_ORDERS_H
#define TRNSCI_TESTS_DISTRIBUTIONS_ORDERS_H

#include <math.h>

#include "rng/support.h"

enum {
	ORDERS_MOST_ITEMS = 65,
	ORDERS_MOST_RANKED = 7,
	ORDERS_MOST_RANKS = 5040,
	/* Of orders_count(n) orders of n items, n <= ORDERS_MOST_ITEMS. */
	ORDERS_MOST_BYTES = 2 * 7 * 100800 + 2 * 65 * 25000,
};

static inline void chi_is_fair(const char *what, const double *counts, size_t n_cells, double expected)
{
	double chi = 0;

	for (size_t i = 0; i < n_cells; i++)
		chi += (counts[i] - expected) * (counts[i] - expected) / expected;
	/* Wilson and Hilferty: nearly normal. */
	const double df = (double)n_cells - 1;
	const double z = (cbrt(chi / df) - (1 - 2 / (9 * df))) / sqrt(2 / (9 * df));

	if (full_check())
		printf("# %s: chi-square %.1f of %.0f, z = %+.2f\n", what, chi, df, z);
	if (fabs(z) > 4)
		fail_msg("%s: chi-square %.1f with %.0f degrees of freedom, z = %.2f, allowed 4", what, chi, df, z);
}

/* A multiple of 100: at least 20 for each rank, 6 for each pair of values, and enough that a bias of parity by 2 %
 * shows. */
static inline size_t orders_count(unsigned n)
{
	size_t ranks = 1, most = 6 * (size_t)n * (n - 1);

	for (unsigned i = 2; i <= n && n <= ORDERS_MOST_RANKED; i++)
		ranks *= i;
	most = most < 20 * ranks ? 20 * ranks : most;
	most = most < 20000 ? 20000 : most;
	return (most + 99) / 100 * 100;
}

/* Returns the next size to check: every size in the full check, else those up to 17 and some around powers of 2. */
static inline unsigned orders_next(unsigned n)
{
	if (full_check() || n < 17 || n == 31 || n == 32 || n >= 63)
		return n + 1;
	return n == 17 ? 31 : 63;
}

/* Returns the rank of the order among all n!, and in *ret_odd whether it has an odd number of inversions. */
static inline size_t order_rank(const uint16_t *order, unsigned n, unsigned *ret_odd)
{
	size_t rank = 0;

	*ret_odd = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned less = 0;

		for (unsigned j = i + 1; j < n; j++)
			less += order[j] < order[i];
		rank = rank * (n - i) + less;
		*ret_odd ^= less & 1;
	}
	return rank;
}

/* The values of places i and j, n (n - 1) pairs of them. */
static inline void pairs_are_fair(const char *what, unsigned n, size_t count, const uint16_t *orders, unsigned i,
				  unsigned j)
{
	static double counts[ORDERS_MOST_ITEMS * ORDERS_MOST_ITEMS];
	const size_t n_pairs = (size_t)n * (n - 1);

	memset(counts, 0, sizeof counts);
	for (size_t k = 0; k < count; k++) {
		const unsigned a = orders[k * n + i], b = orders[k * n + j];

		assert_true(a < n && b < n && a != b);
		counts[a * (n - 1) + b - (b > a)]++;
	}
	chi_is_fair(what, counts, n_pairs, (double)count / (double)n_pairs);
}

/* Checks `count` orders of n items, which stand one after the other. */
static inline void orders_are_fair(const char *what, unsigned n, size_t count, const uint16_t *orders)
{
	static double ranks[ORDERS_MOST_RANKS];
	double parity[2] = {0};
	size_t n_ranks = 1;
	char text[80];

	memset(ranks, 0, sizeof ranks);
	for (unsigned i = 2; i <= n && n <= ORDERS_MOST_RANKED; i++)
		n_ranks *= i;
	for (size_t k = 0; k < count; k++) {
		unsigned odd;
		const size_t rank = order_rank(orders + k * n, n, &odd);

		parity[odd]++;
		if (n <= ORDERS_MOST_RANKED)
			ranks[rank]++;
	}
	snprintf(text, sizeof text, "%s, %u items: parity", what, n);
	chi_is_fair(text, parity, 2, (double)count / 2);
	snprintf(text, sizeof text, "%s, %u items: orders", what, n);
	if (n > 2 && n <= ORDERS_MOST_RANKED)
		chi_is_fair(text, ranks, n_ranks, (double)count / (double)n_ranks);
	snprintf(text, sizeof text, "%s, %u items: pairs", what, n);
	pairs_are_fair(text, n, count, orders, 0, n - 1);
	if (n > 2)
		pairs_are_fair(text, n, count, orders, n / 2 - 1, n / 2);
}

#endif
