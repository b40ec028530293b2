/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson and binomial numbers against GSL's distributions, on both sides of where tables end and at their ends. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "dist/statistics.h"

static double below_poisson(double k, const union law_value *p)
{
	const double mean = p[0].real;

	return k < 0 ? 0 : mean < 1e4 ? gsl_cdf_poisson_P((unsigned)k, mean) : gamma_above(k + 1, mean);
}

static double below_binomial(double k, const union law_value *p)
{
	const double n = (double)p[0].natural, q = 1 - p[1].real, spread = sqrt(n * p[1].real * q);

	/* Edgeworth's expansion to the skewness: what is left out is of the order of 1 / variance. */
	if (n > 1e7) {
		const double z = (k + 0.5 - n * p[1].real) / spread, skewness = (q - p[1].real) / spread;

		return gsl_cdf_ugaussian_P(z) - gsl_ran_ugaussian_pdf(z) * skewness * (z * z - 1) / 6;
	}
	return k < 0 ? 0 : k >= n ? 1 : gsl_cdf_beta_Q(p[1].real, k + 1, n - k);
}

#define BINOMIAL(n, p) {{.natural = (n)}, {p}}, below_binomial, (double)(n) * (p), (double)(n) * (p) * (1 - (p))

static const struct law_case cases[] = {
	{LAW_POISSON, DTYPE_I64, {{0.01}}, below_poisson, 0.01, 0.01},
	{LAW_POISSON, DTYPE_I64, {{1}}, below_poisson, 1, 1},
	{LAW_POISSON, DTYPE_I64, {{7.3}}, below_poisson, 7.3, 7.3},
	{LAW_POISSON, DTYPE_I64, {{100}}, below_poisson, 100, 100},
	{LAW_POISSON, DTYPE_I64, {{2000}}, below_poisson, 2000, 2000},
	{LAW_POISSON, DTYPE_I64, {{3000.5}}, below_poisson, 3000.5, 3000.5},
	{LAW_POISSON, DTYPE_I64, {{40000}}, below_poisson, 40000, 40000},
	{LAW_POISSON, DTYPE_I64, {{50000.5}}, below_poisson, 50000.5, 50000.5},
	{LAW_POISSON, DTYPE_I64, {{1e6}}, below_poisson, 1e6, 1e6},
	{LAW_POISSON, DTYPE_I64, {{1e9}}, below_poisson, 1e9, 1e9},
	{LAW_BINOMIAL, DTYPE_I64, BINOMIAL(1, 0.3)},
	{LAW_BINOMIAL, DTYPE_I64, BINOMIAL(20, 0.5)},
	{LAW_BINOMIAL, DTYPE_I64, BINOMIAL(1000, 0.003)},
	{LAW_BINOMIAL, DTYPE_I64, BINOMIAL(10000, 0.9)},
	{LAW_BINOMIAL, DTYPE_I64, BINOMIAL(20000, 0.5)},
	{LAW_BINOMIAL, DTYPE_I64, BINOMIAL(1000000, 0.01)},
	{LAW_BINOMIAL, DTYPE_I64, BINOMIAL(1000000, 0.83)},
	{LAW_BINOMIAL, DTYPE_I64, BINOMIAL(9000000, 0.005)},
	{LAW_BINOMIAL, DTYPE_I64, BINOMIAL(UINT64_C(1000000000), 0.4)},
};

static void against_the_laws(void **state)
{
	(void)state;
	check_cases(cases, sizeof cases / sizeof *cases, 500);
}

/* Where the law is one number or nearly so. */
static void certain_numbers(void **state)
{
	static const struct {
		enum law law;
		union law_value a, b;
		int64_t value;
	} rows[] = {
		{LAW_POISSON, {0}, {0}, 0},
		{LAW_POISSON, {1e-300}, {0}, 0},
		{LAW_BINOMIAL, {.natural = 0}, {0.5}, 0},
		{LAW_BINOMIAL, {.natural = 17}, {0}, 0},
		{LAW_BINOMIAL, {.natural = 17}, {1}, 17},
		{LAW_BINOMIAL, {.natural = 1ull << 52}, {1}, INT64_C(1) << 52},
		{LAW_BINOMIAL, {.natural = 1ull << 52}, {1e-300}, 0},
		{LAW_GEOMETRIC, {1}, {0}, 1},
		{LAW_GEOMETRIC, {1e-300}, {0}, INT64_C(0x7FFFFFFFFFFFFC00)},
	};
	static int64_t x[5000];
	struct draw_kernels kernels;

	(void)state;
	draw_select(cpu_detect(), &kernels);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct law_case c = {
			.law = rows[i].law, .dtype = DTYPE_I64, .parameters = {rows[i].a, rows[i].b}};
		void *table;
		const struct draw draw = case_draw(&c, i, &table);

		draw_fill(&kernels, &draw, 0, 5000, x);
		for (size_t j = 0; j < 5000; j++)
			if (x[j] != rows[i].value)
				fail_msg("%s, row %zu: sample %zu is %lld, expected %lld", law_name(c.law), i, j,
					 (long long)x[j], (long long)rows[i].value);
		free(table);
	}
}

/* The largest parameters keep the mean and the spread. */
static void huge_parameters(void **state)
{
	static const struct law_case huge[] = {
		{LAW_POISSON, DTYPE_I64, {{1e15}}, NULL, 1e15, 1e15},
		{LAW_BINOMIAL, DTYPE_I64, {{.natural = 1ull << 52}, {0.5}}, NULL, 0x1p51, 0x1p50},
		{LAW_BINOMIAL, DTYPE_I64, {{.natural = 1ull << 52}, {1e-10}}, NULL, 0x1p52 * 1e-10, 0x1p52 * 1e-10},
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
				 law_name(huge[i].law), i, mean, variance);
		free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_the_laws),
		cmocka_unit_test(certain_numbers),
		cmocka_unit_test(huge_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
