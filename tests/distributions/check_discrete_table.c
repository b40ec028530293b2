/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of discrete distributions: every word has a value, and every value its share of the 2^64 words. */
#include "distributions/tables/discrete_table.h"

#include "distributions/statistics.h"

static double geometric_ratio(double k, const double *parameters)
{
	(void)k;
	return parameters[0];
}

/* Builds the table of a distribution on low .. high in which each value has `ratio` times the probability of the last.
 */
static void build_geometric(double ratio, double low, double high, double mode, double at_mode,
			    struct discrete_table *ret_table)
{
	const struct discrete geometric = {geometric_ratio, {ratio, 0}, mode, at_mode, low, high};

	discrete_table_build(&geometric, ret_table);
}

static void every_word_has_a_value(void **state)
{
	static struct discrete_table table;

	(void)state;
	build_geometric(0.5, 0, 100, 0, 0.5, &table);
	/* 2^-65 rounds to no word: its one goes to the mode. */
	for (unsigned j = 0; j < 60; j++)
		assert_true(table.last[j] == UINT64_MAX - (1ull << (63 - j)) + 1);
	assert_true(table.last[table.n - 1] == UINT64_MAX);
	build_geometric(0.01, -3, 1000, -3, 0.99, &table);
	assert_true(table.first == -3 && table.guide[0] == 0 && table.last[table.n - 1] == UINT64_MAX);
	/* What is left over goes to the mode, wherever it is. */
	build_geometric(1, 5, 12, 9, 0.125, &table);
	for (unsigned j = 0; j < 8; j++)
		assert_true(table.last[j] == (j + 1) * (1ull << 61) - 1);
	build_geometric(0.5, 7, 9, 7, 1, &table);
	for (unsigned bucket = 0; bucket < 1u << DISCRETE_GUIDE_BITS; bucket++)
		assert_true(table.last[table.guide[bucket]] >= (uint64_t)bucket << (64 - DISCRETE_GUIDE_BITS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_has_a_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
