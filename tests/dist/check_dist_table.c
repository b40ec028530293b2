/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of discrete distributions: every word has a value, and every value its share of 2^64 words. */
#include "dist/dist_table.h"

#include "dist/statistics.h"

/* The shares of an alias table add up to the weights, exactly to what a double tells. */
static void alias_shares(void **state)
{
	static const struct {
		double weights[8];
		size_t n;
	} rows[] = {
		{{1}, 1},
		{{1, 1, 1, 1}, 4},
		{{0.5, 0, 3, 1e-9, 0, 7}, 6},
		{{1e-300, 1e300, 1}, 3},
		{{0x1p-1022, 0x1p-1022, 0}, 3},
		{{1e308, 1e308, 1e308, 1e308, 1e308}, 5},
		{{0, 0, 0, 0, 0, 0, 0, 2}, 8},
	};

	(void)state;
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct alias_table *table = alias_table_new(rows[r].weights, rows[r].n);
		double shares[8] = {0}, most = 0, sum = 0;

		for (size_t i = 0; i < rows[r].n; i++)
			most = fmax(most, rows[r].weights[i]);
		for (size_t i = 0; i < rows[r].n; i++) {
			const double below = (double)table->columns[i].below * 0x1p-64;

			assert_true(table->columns[i].other < rows[r].n);
			shares[i] += below / (double)rows[r].n;
			shares[table->columns[i].other] += (1 - below) / (double)rows[r].n;
			sum += rows[r].weights[i] / most;
		}
		for (size_t i = 0; i < rows[r].n; i++) {
			const double expected = rows[r].weights[i] / most / sum;

			if (fabs(shares[i] - expected) > 1e-15 || (rows[r].weights[i] == 0 && shares[i] != 0))
				fail_msg("row %zu, weight %zu: share %.17g, expected %.17g", r, i, shares[i], expected);
		}
		free(table);
	}
}

static void categorical_frequencies(void **state)
{
	enum { COUNT = 400000 };
	static int64_t x[COUNT];
	static const double weights[] = {3, 0, 1, 0.25, 10, 2, 0, 5};
	struct draw draw = {DIST_CATEGORICAL, DTYPE_I64, {GENERATOR_PHILOX4X32, 4, 4}, {{0}}, NULL};
	struct draw_kernels kernels;
	struct dist_fault fault;
	double counts[8] = {0}, chi = 0;
	void *table;

	(void)state;
	draw_select(cpu_detect(), &kernels);
	assert_int_equal(draw_prepare(&draw, weights, 8, &table, &fault), 0);
	draw_fill(&kernels, &draw, 0, COUNT, x);
	for (size_t i = 0; i < COUNT; i++) {
		assert_true(x[i] >= 0 && x[i] < 8);
		counts[x[i]]++;
	}
	for (size_t i = 0; i < 8; i++) {
		const double expected = COUNT * weights[i] / 21.25;

		assert_true(expected > 0 || counts[i] == 0);
		chi += expected > 0 ? (counts[i] - expected) * (counts[i] - expected) / expected : 0;
	}
	/* Five degrees of freedom: P(chi > 25.7) = 1e-4. */
	if (chi > 25.7)
		fail_msg("categorical: chi-square %.1f with 5 degrees of freedom", chi);
	free(table);
}

static double ratio_of_geometric(double k, const double *parameters)
{
	(void)k;
	return parameters[0];
}

static void discrete_tables_cover_all_words(void **state)
{
	static struct discrete_table table;
	const double halves[] = {0.5}, hundredths[] = {0.01}, same[] = {1};

	(void)state;
	discrete_table_build(ratio_of_geometric, halves, 0, 100, 0, 0.5, &table);
	/* 2^-65 rounds to no word: its one goes to the mode. */
	for (unsigned j = 0; j < 60; j++)
		assert_true(table.last[j] == UINT64_MAX - (1ull << (63 - j)) + 1);
	assert_true(table.last[table.n - 1] == UINT64_MAX);
	discrete_table_build(ratio_of_geometric, hundredths, -3, 1000, -3, 0.99, &table);
	assert_true(table.first == -3 && table.guide[0] == 0 && table.last[table.n - 1] == UINT64_MAX);
	/* What is left over goes to the mode, wherever it is. */
	discrete_table_build(ratio_of_geometric, same, 5, 12, 9, 0.125, &table);
	for (unsigned j = 0; j < 8; j++)
		assert_true(table.last[j] == (j + 1) * (1ull << 61) - 1);
	discrete_table_build(ratio_of_geometric, halves, 7, 9, 7, 1, &table);
	for (unsigned bucket = 0; bucket < 1u << DISCRETE_GUIDE_BITS; bucket++)
		assert_true(table.last[table.guide[bucket]] >= (uint64_t)bucket << (64 - DISCRETE_GUIDE_BITS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alias_shares),
		cmocka_unit_test(categorical_frequencies),
		cmocka_unit_test(discrete_tables_cover_all_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
