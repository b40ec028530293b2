/* SPDX-License-Identifier: Apache-2.0 */
/* Samples at the ends of their dtypes: inf, exactly 1 and 0 where PROTOCOL.md and the manual say so. */
#include <float.h>

#include "distributions/statistics.h"

enum { N = 1 << 20 };

static void draw_samples(enum distribution distribution, enum dtype dtype, double first, double second, void *ret_x)
{
	const struct dist_case c = {
		.distribution = distribution, .dtype = dtype, .parameters = {{.real = first}, {.real = second}}};
	struct draw_kernels kernels;
	struct draw draw;
	void *table;

	draw_select(cpu_detect(), &kernels);
	draw = case_draw(&c, 1, &table);
	draw_fill(&kernels, &draw, 0, N, ret_x);
	free(table);
}

/* Returns how many of x lie in (low, high). Fails on NaN. */
static unsigned count_f32(const float *x, float low, float high)
{
	unsigned count = 0;

	for (size_t i = 0; i < N; i++) {
		assert_false(isnan(x[i]));
		count += x[i] > low && x[i] < high;
	}
	return count;
}

static unsigned count_equal(const float *x, float value)
{
	unsigned count = 0;

	for (size_t i = 0; i < N; i++)
		count += x[i] == value;
	return count;
}

static void float32_samples_become_infinite_as_documented(void **state)
{
	float *x = malloc(N * sizeof *x);

	(void)state;
	draw_samples(DIST_WEIBULL, DTYPE_F32, 0.02, 1, x);
	assert_true(count_equal(x, INFINITY) > 100 && count_f32(x, -INFINITY, 0) == 0);
	draw_samples(DIST_WEIBULL, DTYPE_F32, 0.033, 1, x);
	assert_int_equal(count_equal(x, INFINITY), 0);
	draw_samples(DIST_STUDENT_T, DTYPE_F32, 0.05, 0, x);
	assert_true(count_equal(x, INFINITY) > 100 && count_equal(x, -INFINITY) > 100);
	draw_samples(DIST_STUDENT_T, DTYPE_F32, 0.2, 0, x);
	assert_int_equal(count_equal(x, INFINITY) + count_equal(x, -INFINITY), 0);
	assert_int_equal(count_f32(x, -FLT_MAX, FLT_MAX), N);
	free(x);
}

static void beta_samples_become_1_as_documented(void **state)
{
	float *x = malloc(N * sizeof *x);

	(void)state;
	draw_samples(DIST_BETA, DTYPE_F32, 0.5, 0.5, x);
	/* P(x > 1 - 2^-25) = 2 / pi asin(2^-12.5), or 1 of 9100. */
	assert_true(count_equal(x, 1) > 60 && count_equal(x, 1) < 180);
	assert_int_equal(count_f32(x, 1, INFINITY) + count_equal(x, INFINITY), 0);
	free(x);
}

/* Of a shape of 0.001 nearly half the samples are below 2^-1075 and become 0, and 0.8 % more are below 2^-1050. */
static void float64_samples_reach_the_least_denormal(void **state)
{
	static const struct {
		enum distribution distribution;
		double constant; /* P(X <= x) = constant x^0.001 */
	} rows[] = {{DIST_BETA, 1}, {DIST_GAMMA, 1.00057737}}; /* 1 / Gamma(1.001) */
	double *x = malloc(N * sizeof *x);

	(void)state;
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		unsigned zeros = 0, denormal = 0;

		draw_samples(rows[r].distribution, DTYPE_F64, 0.001, 1, x);
		for (size_t i = 0; i < N; i++) {
			zeros += x[i] == 0;
			denormal += x[i] > 0 && x[i] <= 0x1p-1050;
		}
		const double none = rows[r].constant * pow(2, -1.075), some = rows[r].constant * pow(2, -1.05) - none;

		assert_true(fabs(zeros - N * none) < 5 * sqrt(N * none) && fabs(denormal - N * some) < 5 * sqrt(N * some));
	}
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(float32_samples_become_infinite_as_documented),
		cmocka_unit_test(beta_samples_become_1_as_documented),
		cmocka_unit_test(float64_samples_reach_the_least_denormal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
