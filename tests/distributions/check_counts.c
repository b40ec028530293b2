/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson and binomial numbers at the ends of their parameters. */
#include "distributions/statistics.h"

/* Parameters at which one number has all of the probability, or nearly all. */
static void degenerate_parameters_give_one_number(void **state)
{
	static const struct {
		enum distribution distribution;
		union dist_value a, b;
		int64_t value;
	} rows[] = {
		{DIST_POISSON, {0}, {0}, 0},
		{DIST_POISSON, {1e-300}, {0}, 0},
		{DIST_BINOMIAL, {.natural = 0}, {0.5}, 0},
		{DIST_BINOMIAL, {.natural = 17}, {0}, 0},
		{DIST_BINOMIAL, {.natural = 17}, {1}, 17},
		{DIST_BINOMIAL, {.natural = 1ull << 52}, {1}, INT64_C(1) << 52},
		{DIST_BINOMIAL, {.natural = 1ull << 52}, {1e-300}, 0},
		{DIST_GEOMETRIC, {1}, {0}, 1},
	};
	static int64_t x[5000];
	struct draw_kernels kernels;

	(void)state;
	draw_select(cpu_detect(), &kernels);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct dist_case c = {
			.distribution = rows[i].distribution, .dtype = DTYPE_I64, .parameters = {rows[i].a, rows[i].b}};
		void *table;
		const struct draw draw = case_draw(&c, i, &table);

		draw_fill(&kernels, &draw, 0, 5000, x);
		for (size_t j = 0; j < 5000; j++)
			if (x[j] != rows[i].value)
				fail_msg("%s, row %zu: sample %zu is %lld, expected %lld", dist_name(c.distribution), i,
					 j, (long long)x[j], (long long)rows[i].value);
		free(table);
	}
}

static void huge_parameters_keep_mean_and_spread(void **state)
{
	static const struct dist_case huge[] = {
		{DIST_POISSON, DTYPE_I64, {{1e15}}, NULL, 1e15, 1e15},
		{DIST_BINOMIAL, DTYPE_I64, {{.natural = 1ull << 52}, {0.5}}, NULL, 0x1p51, 0x1p50},
		{DIST_BINOMIAL, DTYPE_I64, {{.natural = 1ull << 52}, {1e-10}}, NULL, 0x1p52 * 1e-10, 0x1p52 * 1e-10},
	};
	static int64_t x[50000];
	struct draw_kernels kernels;

	(void)state;
	draw_select(cpu_detect(), &kernels);
	for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
		double mean, variance;
		void *table;
		const struct draw draw = case_draw(&huge[i], 600 + i, &table);

		draw_fill(&kernels, &draw, 0, 50000, x);
		moments(&huge[i], x, 50000, &mean, &variance);
		if (fabs(mean) > 4 || fabs(variance) > 4)
			fail_msg("%s, row %zu: mean off by %.2f, variance by %.2f standard errors",
				 dist_name(huge[i].distribution), i, mean, variance);
		free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(degenerate_parameters_give_one_number),
		cmocka_unit_test(huge_parameters_keep_mean_and_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
