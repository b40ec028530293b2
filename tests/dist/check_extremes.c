/* SPDX-License-Identifier: Apache-2.0 */
/* Samples at the ends of their dtypes: inf, exactly 1 and 0 where PROTOCOL.md and the manual say so. */
#include <float.h>

#include "dist/statistics.h"

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

/* Below 2^-1024 the ratio of beta's two gammas overflows; a gamma itself keeps its denormals. */
static void float64_samples_become_0_as_documented(void **state)
{
	double *x = malloc(N * sizeof *x);
	unsigned zeros = 0, tiny = 0, denormal = 0;

	(void)state;
	draw_samples(DIST_BETA, DTYPE_F64, 0.001, 1, x);
	for (size_t i = 0; i < N; i++) {
		assert_true(x[i] == 0 || (x[i] >= 0x1p-1025 && x[i] <= 1));
		zeros += x[i] == 0;
	}
	draw_samples(DIST_GAMMA, DTYPE_F64, 0.001, 1, x);
	for (size_t i = 0; i < N; i++) {
		tiny += x[i] > 0 && x[i] < 0x1p-1025;
		denormal += x[i] > 0 && x[i] < 0x1p-1060;
	}
	assert_true(zeros > N / 10 && tiny > 1000 && denormal > 100);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(float32_samples_become_infinite_as_documented),
		cmocka_unit_test(beta_samples_become_1_as_documented),
		cmocka_unit_test(float64_samples_become_0_as_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
