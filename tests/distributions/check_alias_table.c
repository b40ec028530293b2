/* SPDX-License-Identifier: Apache-2.0 */
/* Alias tables. */
#include "distributions/tables/alias_table.h"

#include "distributions/statistics.h"

/* The shares of each index add up to its weight, as exactly as a double can hold it. */
static void shares_match_weights(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_match_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
