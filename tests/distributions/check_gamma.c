/* SPDX-License-Identifier: Apache-2.0 */
/* Gamma, chi-squared and beta where parameters are so small that powers underflow, and neighbouring samples. */
#include "distributions/statistics.h"

/* Finite, in range, and with the mean of the distribution, where every power underflows. */
static void tiny_parameters_stay_in_range(void **state)
{
	static const struct {
		enum distribution distribution;
		double a, b, mean;
	} rows[] = {
		{DIST_GAMMA, 1e-3, 1, 0},       {DIST_GAMMA, 1e-300, 1, 0},       {DIST_GAMMA, 0x1p-1074, 1, 0},
		{DIST_BETA, 1e-3, 1e-3, 0.5},   {DIST_BETA, 1e-10, 1e-10, 0.5},   {DIST_BETA, 1e-308, 1e-308, 0.5},
		{DIST_BETA, 1e-6, 3e-6, 0.25},  {DIST_BETA, 0x1p-1074, 1e300, 0}, {DIST_BETA, 1e300, 1e300, 0.5},
		{DIST_BETA, 1e-200, 2, 0},      {DIST_GAMMA, 1e12, 1e-12, 1},     {DIST_BETA, 1e300, 0x1p-1074, 1},
		{DIST_CHI_SQUARED, 1e-5, 0, 0},
	};
	static double x[40000];
	struct draw_kernels kernels;

	(void)state;
	draw_select(cpu_detect(), &kernels);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct dist_case c = {.distribution = rows[i].distribution,
					    .dtype = DTYPE_F64,
					    .parameters = {{rows[i].a}, {rows[i].b}}};
		void *table;
		const struct draw draw = case_draw(&c, 300 + i, &table);
		double sum = 0;

		draw_fill(&kernels, &draw, 0, 40000, x);
		for (size_t j = 0; j < 40000; j++) {
			if (!(x[j] >= 0 && x[j] < INFINITY && (c.distribution != DIST_BETA || x[j] <= 1)))
				fail_msg("%s(%g, %g): sample %zu is %g", dist_name(c.distribution), rows[i].a,
					 rows[i].b, j, x[j]);
			sum += x[j] / 40000;
		}
		if (fabs(sum - rows[i].mean) > 0.012)
			fail_msg("%s(%g, %g): mean %g, expected %g", dist_name(c.distribution), rows[i].a, rows[i].b,
				 sum, rows[i].mean);
	}
}

/* Neighbours are independent, the pairs that share a Box-Muller evaluation too. */
static void neighbours_are_independent(void **state)
{
	const size_t n = 200000;
	const struct dist_case c = {.distribution = DIST_GAMMA, .dtype = DTYPE_F64, .parameters = {{2}, {1}}};
	struct draw_kernels kernels;
	double *x = malloc(n * sizeof *x), odd = 0, even = 0;
	void *table;
	const struct draw draw = case_draw(&c, 400, &table);

	(void)state;
	draw_select(cpu_detect(), &kernels);
	draw_fill(&kernels, &draw, 0, n, x);
	for (size_t i = 0; i + 2 < n; i += 2) {
		even += (x[i] - 2) * (x[i + 1] - 2);
		odd += (x[i + 1] - 2) * (x[i + 2] - 2);
	}
	/* Each product has mean 0 and variance 4. */
	const double unit = 2 * sqrt((double)n / 2);

	if (fabs(even) > 4 * unit || fabs(odd) > 4 * unit)
		fail_msg("correlations of neighbours: %.2f and %.2f standard errors", even / unit, odd / unit);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiny_parameters_stay_in_range),
		cmocka_unit_test(neighbours_are_independent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
