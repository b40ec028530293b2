/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of a hypergeometric distribution's probabilities, from the mode outwards by the ratio of neighbours. */
#include "distributions/tables/hypergeometric_table.h"

#include <math.h>
#include <stdlib.h>

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

struct hypergeometric hypergeometric_reduce(double good, double bad, double sample)
{
	const double few = lesser(good, bad), all = good + bad;

	return (struct hypergeometric){few, all - few, lesser(sample, all - sample)};
}

/* From a variance of 5/2 on, with room for rounding. */
bool hypergeometric_fits(const struct hypergeometric *h)
{
	const double all = h->few + h->many;

	return h->drawn >= HYPERGEOMETRIC_SMALL && lesser(h->few, h->drawn) < HYPERGEOMETRIC_VALUES &&
	       h->drawn * (h->few / all) * (h->many / all) * ((all - h->drawn) / (all - 1)) > 2.6;
}

size_t hypergeometric_table_bytes(size_t n)
{
	return sizeof(struct hypergeometric_table) + n * sizeof(double);
}

struct hypergeometric_table *hypergeometric_table_alloc(const struct hypergeometric *h)
{
	const size_t n = (size_t)lesser(h->few, h->drawn) + 1;
	struct hypergeometric_table *table = malloc(hypergeometric_table_bytes(n));

	if (table)
		table->n = n;
	return table;
}

/* Returns P(x + 1) / P(x). */
static double ratio_at(const struct hypergeometric *h, double x)
{
	return (h->few - x) * (h->drawn - x) / ((x + 1) * (h->many - h->drawn + x + 1));
}

/* A product of 2,048 rounded ratios is right to 2^-39. One that underflows belongs to a value that no u accepts: u is at
 * least 2^-64. */
void hypergeometric_table_build(const struct hypergeometric *h, struct hypergeometric_table *table)
{
	const double top = floor((h->drawn + 1) * (h->few + 1) / (h->few + h->many + 2));
	const size_t mode = (size_t)top;
	double p = 1;

	table->accept[mode] = HYPERGEOMETRIC_ACCEPT;
	for (size_t x = mode; x + 1 < table->n; x++) {
		p *= ratio_at(h, (double)x);
		table->accept[x + 1] = sqrt(p) * HYPERGEOMETRIC_ACCEPT;
	}
	p = 1;
	for (size_t x = mode; x > 0; x--) {
		p /= ratio_at(h, (double)(x - 1));
		table->accept[x - 1] = sqrt(p) * HYPERGEOMETRIC_ACCEPT;
	}
}
