/* SPDX-License-Identifier: Apache-2.0 */
/* The far ends of distributions by inversion. */
#include "distributions/statistics.h"

#include <float.h>

#include "distributions/rows/dist_kernel.h"

/* Intervals where the normal distribution has underflowed or does not change: within the bounds, finite, and as far
 * along as an exponential (far out) or a uniform (a narrow interval). */
static void truncated_normal_stays_within_extreme_bounds(void **state)
{
	static const struct {
		double low, high, rate; /* of (x - low) in units of the interval; 0: uniform */
	} intervals[] = {
		{1e4, INFINITY, 1e4}, {1e8, INFINITY, 0},         {1e100, INFINITY, 0},     {-INFINITY, -1e5, 0},
		{50, 50.001, 0},      {1, 1 + 0x1p-30, 0},        {0, 0x1p-1000, 0},        {-1e-9, 2e-9, 0},
		{36, 36.00001, 0},    {-1e300, 1e300, 0},         {-INFINITY, INFINITY, 0}, {1e200, 1e201, 0},
		{-38.5, -37.9, 0},    {-0x1p-1074, 0x1p-1074, 0}, {29.999, 40, 0},          {30.001, 40, 0},
	};
	struct draw_kernels kernels;
	static double x[20000];

	(void)state;
	draw_select(cpu_detect(), &kernels);
	for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
		const struct dist_case c = {
			.distribution = DIST_TRUNCATED_NORMAL,
			.dtype = DTYPE_F64,
			.parameters = {{0}, {1}, {intervals[i].low}, {intervals[i].high}},
		};
		void *table;
		const struct draw draw = case_draw(&c, i, &table);
		double sum = 0;

		draw_fill(&kernels, &draw, 0, 20000, x);
		for (size_t j = 0; j < 20000; j++) {
			if (!(x[j] >= intervals[i].low && x[j] <= intervals[i].high && isfinite(x[j])))
				fail_msg("truncated to [%g, %g]: sample %zu is %.17g", intervals[i].low,
					 intervals[i].high, j, x[j]);
			sum += (x[j] - intervals[i].low) / 20000;
		}
		if (intervals[i].rate > 0 && !(fabs(sum * intervals[i].rate - 1) < 0.03))
			fail_msg("truncated to [%g, %g]: mean excess %g, expected %g", intervals[i].low,
				 intervals[i].high, sum, 1 / intervals[i].rate);
	}
}

/* Half of a narrow interval, anywhere, holds half of the samples and a little more on the side of 0. */
static void narrow_truncated_normal_is_balanced(void **state)
{
	static const double starts[] = {0, 0.3, -0.5, 7, -20, 36, 100};
	static double x[40000];
	struct draw_kernels kernels;

	(void)state;
	draw_select(cpu_detect(), &kernels);
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		const double a = starts[i], width = 0x1p-12 / (1 + fabs(a));
		const struct dist_case c = {
			.distribution = DIST_TRUNCATED_NORMAL,
			.dtype = DTYPE_F64,
			.parameters = {{0}, {1}, {a}, {a + width}},
		};
		void *table;
		const struct draw draw = case_draw(&c, 50 + i, &table);

		draw_fill(&kernels, &draw, 0, 40000, x);
		for (size_t j = 0; j < 40000; j++)
			x[j] = (x[j] - a) / width;
		if (ks_tail(ks_uniform(x, 40000)) < 1e-4)
			fail_msg("truncated to [%g, %g + %g]: not nearly uniform", a, a, width);
	}
}

/* boxmuller64 reaches beyond boxmuller's last value; the radius keeps its precision on both sides. */
static void boxmuller64_reaches_further_than_boxmuller(void **state)
{
	uint64_t words[2][16] = {{0}};
	uint32_t narrow[2][32] = {{0}};
	const void *wide_in[] = {words[0]}, *narrow_in[] = {narrow[0], narrow[1]};
	struct dist_constants none = {0};
	double wide[16];
	float single[32];

	(void)state;
	/* A radius word of 0 is the longest, of 2^32 - 1 (and all ones below) the shortest. */
	narrow[0][2] = narrow[1][2] = UINT32_MAX;
	words[0][2] = UINT64_MAX;
	dist_select(0)->radius64[DTYPE_F32](&none, narrow_in, 0, 32, single, NULL);
	dist_select(0)->radius64[DTYPE_F64](&none, wide_in, 0, 16, wide, NULL);
	assert_true(fabsf(single[0] - 9.419f) < 0.001f && single[1] == 0);
	assert_true(fabs(wide[0] - 9.4193) < 0.0001 && wide[1] == 0);
	assert_true(single[2] > 0 && single[2] < 1e-9f);
	assert_true(wide[2] > 0 && wide[2] < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated_normal_stays_within_extreme_bounds),
		cmocka_unit_test(narrow_truncated_normal_is_balanced),
		cmocka_unit_test(boxmuller64_reaches_further_than_boxmuller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
