/* SPDX-License-Identifier: Apache-2.0 */
/* Laws by inversion against GSL's distributions, and the far ends of the truncated normal. */
#include "dist/statistics.h"

#include <float.h>
#include <gsl/gsl_cdf.h>

#include "dist/law_kernel.h"

#define PI        3.14159265358979323846
#define EULER     0.57721566490153286061
#define SQUARE(x) ((x) * (x))

static double below_uniform(double x, const union law_value *p)
{
	return (x - p[0].real) / (p[1].real - p[0].real);
}

static double below_normal(double x, const union law_value *p)
{
	return gsl_cdf_gaussian_P(x - p[0].real, p[1].real);
}

static double below_exponential(double x, const union law_value *p)
{
	return gsl_cdf_exponential_P(x, 1 / p[0].real);
}

static double below_laplace(double x, const union law_value *p)
{
	return gsl_cdf_laplace_P(x - p[0].real, p[1].real);
}

static double below_lognormal(double x, const union law_value *p)
{
	return gsl_cdf_lognormal_P(x, p[0].real, p[1].real);
}

static double below_gumbel(double x, const union law_value *p)
{
	return gsl_cdf_gumbel1_P((x - p[0].real) / p[1].real, 1, 1);
}

static double below_weibull(double x, const union law_value *p)
{
	return gsl_cdf_weibull_P(x, p[1].real, p[0].real);
}

static double below_cauchy(double x, const union law_value *p)
{
	return gsl_cdf_cauchy_P(x - p[0].real, p[1].real);
}

static double below_student_t(double x, const union law_value *p)
{
	return gsl_cdf_tdist_P(x, p[0].real);
}

/* From whichever side loses less. */
static double below_truncated(double x, const union law_value *p)
{
	const double z = (x - p[0].real) / p[1].real, a = p[2].real, b = p[3].real;

	if (a > 0)
		return (gsl_cdf_ugaussian_Q(a) - gsl_cdf_ugaussian_Q(z)) /
		       (gsl_cdf_ugaussian_Q(a) - gsl_cdf_ugaussian_Q(b));
	return (gsl_cdf_ugaussian_P(z) - gsl_cdf_ugaussian_P(a)) / (gsl_cdf_ugaussian_P(b) - gsl_cdf_ugaussian_P(a));
}

static double below_geometric(double x, const union law_value *p)
{
	return x < 1 ? 0 : -expm1(x * log1p(-p[0].real));
}

static const struct law_case cases[] = {
	{LAW_UNIFORM, DTYPE_F32, {{-3}, {5}}, below_uniform, 1, 64.0 / 12},
	{LAW_UNIFORM, DTYPE_F64, {{1e6}, {1e6 + 1}}, below_uniform, 1e6 + 0.5, 1.0 / 12},
	{LAW_UNIFORM, DTYPE_F64, {{0}, {1}}, below_uniform, 0.5, 1.0 / 12},
	{LAW_NORMAL, DTYPE_F32, {{0}, {1}}, below_normal, 0, 1},
	{LAW_NORMAL, DTYPE_F64, {{-4}, {0.1}}, below_normal, -4, 0.01},
	{LAW_NORMAL, DTYPE_F32, {{0}, {1}, {.natural = NORMAL_BOXMULLER64}}, below_normal, 0, 1},
	{LAW_NORMAL, DTYPE_F64, {{5}, {2}, {.natural = NORMAL_BOXMULLER64}}, below_normal, 5, 4},
	{LAW_EXPONENTIAL, DTYPE_F32, {{1}}, below_exponential, 1, 1},
	{LAW_EXPONENTIAL, DTYPE_F64, {{1}}, below_exponential, 1, 1},
	{LAW_EXPONENTIAL, DTYPE_F32, {{250}}, below_exponential, 1.0 / 250, 1.0 / 62500},
	{LAW_EXPONENTIAL, DTYPE_F64, {{1e-9}}, below_exponential, 1e9, 1e18},
	{LAW_LAPLACE, DTYPE_F32, {{0}, {1}}, below_laplace, 0, 2},
	{LAW_LAPLACE, DTYPE_F64, {{-2}, {0.3}}, below_laplace, -2, 0.18},
	{LAW_LAPLACE, DTYPE_F32, {{9}, {40}}, below_laplace, 9, 3200},
	{LAW_LOGNORMAL, DTYPE_F32, {{0}, {0.5}}, below_lognormal, 1.1331484530668263, 0.36469585133423665},
	{LAW_LOGNORMAL, DTYPE_F64, {{-3}, {0.25}}, below_lognormal, NAN, NAN},
	{LAW_LOGNORMAL, DTYPE_F32, {{10}, {4}}, below_lognormal, NAN, NAN},
	{LAW_GUMBEL, DTYPE_F32, {{0}, {1}}, below_gumbel, EULER, SQUARE(PI) / 6},
	{LAW_GUMBEL, DTYPE_F64, {{-1}, {2}}, below_gumbel, 2 * EULER - 1, 4 * SQUARE(PI) / 6},
	{LAW_GUMBEL, DTYPE_F64, {{100}, {0.01}}, below_gumbel, 100 + 0.01 * EULER, 1e-4 * SQUARE(PI) / 6},
	{LAW_WEIBULL, DTYPE_F32, {{1}, {1}}, below_weibull, 1, 1},
	{LAW_WEIBULL, DTYPE_F64, {{2}, {3}}, below_weibull, 2.6586807763582736, 1.9314165306146306},
	{LAW_WEIBULL, DTYPE_F32, {{0.1}, {1}}, below_weibull, NAN, NAN},
	{LAW_WEIBULL, DTYPE_F64, {{50}, {7}}, below_weibull, NAN, NAN},
	{LAW_CAUCHY, DTYPE_F32, {{0}, {1}}, below_cauchy, NAN, NAN},
	{LAW_CAUCHY, DTYPE_F64, {{0}, {1}}, below_cauchy, NAN, NAN},
	{LAW_CAUCHY, DTYPE_F32, {{-7}, {0.01}}, below_cauchy, NAN, NAN},
	{LAW_STUDENT_T, DTYPE_F32, {{5}}, below_student_t, 0, 5.0 / 3},
	{LAW_STUDENT_T, DTYPE_F64, {{30}}, below_student_t, 0, 30.0 / 28},
	{LAW_STUDENT_T, DTYPE_F64, {{1}}, below_student_t, NAN, NAN},
	{LAW_STUDENT_T, DTYPE_F32, {{0.2}}, below_student_t, NAN, NAN},
	{LAW_STUDENT_T, DTYPE_F64, {{1e7}}, below_student_t, 0, 1},
	{LAW_TRUNCATED_NORMAL, DTYPE_F32, {{0}, {1}, {-2}, {2}}, below_truncated, 0, 0.77374130235499998},
	{LAW_TRUNCATED_NORMAL, DTYPE_F64, {{3}, {2}, {-1}, {4}}, below_truncated, NAN, NAN},
	{LAW_TRUNCATED_NORMAL, DTYPE_F64, {{0}, {1}, {0.5}, {0.75}}, below_truncated, NAN, NAN},
	{LAW_TRUNCATED_NORMAL, DTYPE_F64, {{0}, {1}, {5}, {INFINITY}}, below_truncated, NAN, NAN},
	{LAW_TRUNCATED_NORMAL, DTYPE_F64, {{0}, {1}, {-INFINITY}, {1}}, below_truncated, NAN, NAN},
	{LAW_TRUNCATED_NORMAL, DTYPE_F64, {{0}, {1}, {-29}, {-20}}, below_truncated, NAN, NAN},
	{LAW_TRUNCATED_NORMAL, DTYPE_F64, {{0}, {1}, {31}, {31.02}}, below_truncated, NAN, NAN},
	{LAW_TRUNCATED_NORMAL, DTYPE_F64, {{0}, {1}, {-36}, {-34}}, below_truncated, NAN, NAN},
	{LAW_TRUNCATED_NORMAL, DTYPE_F32, {{0}, {1}, {35}, {INFINITY}}, below_truncated, NAN, NAN},
	{LAW_GEOMETRIC, DTYPE_I64, {{0.5}}, below_geometric, 2, 2},
	{LAW_GEOMETRIC, DTYPE_I64, {{0.01}}, below_geometric, 100, 9900},
	{LAW_GEOMETRIC, DTYPE_I64, {{0.93}}, below_geometric, 1 / 0.93, 0.07 / SQUARE(0.93)},
	{LAW_GEOMETRIC, DTYPE_I64, {{1e-7}}, below_geometric, 1e7, 1e14 * (1 - 1e-7)},
};

static void against_the_laws(void **state)
{
	(void)state;
	check_cases(cases, sizeof cases / sizeof *cases, 100);
}

/* Intervals where the normal distribution has underflowed or does not change: within the bounds, finite, and as far
 * along as an exponential (far out) or a uniform (a narrow interval). */
static void truncated_extremes(void **state)
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
		const struct law_case c = {
			.law = LAW_TRUNCATED_NORMAL,
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
static void truncated_narrow(void **state)
{
	static const double starts[] = {0, 0.3, -0.5, 7, -20, 36, 100};
	static double x[40000];
	struct draw_kernels kernels;

	(void)state;
	draw_select(cpu_detect(), &kernels);
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		const double a = starts[i], width = 0x1p-12 / (1 + fabs(a));
		const struct law_case c = {
			.law = LAW_TRUNCATED_NORMAL,
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
static void boxmuller64_tail(void **state)
{
	uint64_t words[2][16] = {{0}};
	uint32_t narrow[2][32] = {{0}};
	const void *wide_in[] = {words[0]}, *narrow_in[] = {narrow[0], narrow[1]};
	struct law_constants none = {0};
	double wide[16];
	float single[32];

	(void)state;
	/* A radius word of 0 is the longest, of 2^32 - 1 (and all ones below) the shortest. */
	narrow[0][2] = narrow[1][2] = UINT32_MAX;
	words[0][2] = UINT64_MAX;
	law_kernel_select(0)->radius64_f32(&none, narrow_in, 0, 32, single, NULL);
	law_kernel_select(0)->radius64_f64(&none, wide_in, 0, 16, wide, NULL);
	assert_true(fabsf(single[0] - 9.419f) < 0.001f && single[1] == 0);
	assert_true(fabs(wide[0] - 9.4193) < 0.0001 && wide[1] == 0);
	assert_true(single[2] > 0 && single[2] < 1e-9f);
	assert_true(wide[2] > 0 && wide[2] < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_the_laws),
		cmocka_unit_test(truncated_extremes),
		cmocka_unit_test(truncated_narrow),
		cmocka_unit_test(boxmuller64_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
