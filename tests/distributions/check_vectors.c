/* SPDX-License-Identifier: Apache-2.0 */
/* Dirichlet vectors and points on spheres: sums, lengths, and each component's own distribution. */
#include <gsl/gsl_cdf.h>

#include "distributions/statistics.h"

enum { N = 40000 };

static double x[8 * N];
static float single[8 * N];

static struct draw prepared(enum distribution distribution, enum dtype dtype, uint64_t dimensions, const double *alpha,
			    size_t n_alpha, void **ret_table)
{
	struct draw draw = {distribution, dtype, {GENERATOR_THREEFRY4X32, 31, 8}, {{.natural = dimensions}}, NULL, NULL};
	struct dist_fault fault;

	if (draw_prepare(&draw, alpha, n_alpha, ret_table, &fault))
		fail_msg("%s: %s", dist_name(distribution), fault.text);
	return draw;
}

static void fill(const struct draw *draw, size_t n)
{
	struct draw_kernels kernels;

	draw_select(cpu_detect(), &kernels);
	if (draw->dtype == DTYPE_F64) {
		draw_fill(&kernels, draw, 0, n, x);
		return;
	}
	draw_fill(&kernels, draw, 0, n, single);
	for (size_t i = 0; i < n; i++)
		x[i] = single[i];
}

/* Component c has the distribution beta(alpha_c, sum of the other alphas). */
static void dirichlet_components_are_beta(void **state)
{
	static const double alphas[][4] = {{1, 1, 1, 1}, {0.1, 2, 5, 0.7}, {300, 20, 0.5, 1}};
	static double u[N];

	(void)state;
	for (size_t a = 0; a < 3; a++)
		for (int wide = 0; wide < 2; wide++) {
			void *table;
			const struct draw draw =
				prepared(DIST_DIRICHLET, wide ? DTYPE_F64 : DTYPE_F32, 0, alphas[a], 4, &table);
			const double sum = alphas[a][0] + alphas[a][1] + alphas[a][2] + alphas[a][3];

			fill(&draw, 4 * N);
			for (size_t i = 0; i < N; i++) {
				const double whole = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];

				assert_true(fabs(whole - 1) < (wide ? 1e-15 : 3e-7));
			}
			for (size_t c = 0; c < 4; c++) {
				for (size_t i = 0; i < N; i++)
					u[i] = gsl_cdf_beta_P(x[4 * i + c], alphas[a][c], sum - alphas[a][c]);
				const double p_value = ks_tail(ks_uniform(u, N));

				if (full_check())
					printf("# dirichlet %zu, component %zu, %s: p %.4f\n", a, c,
					       dtype_name(draw.dtype), p_value);
				if (p_value < 1e-4)
					fail_msg("dirichlet %zu, component %zu: KS p = %g", a, c, p_value);
			}
			free(table);
		}
}

/* Alphas so small that gammas underflow: one component is nearly 1, each as often as its alpha demands. */
static void dirichlet_of_tiny_alphas_is_one_component(void **state)
{
	static const double alphas[] = {1e-300, 3e-300, 0x1p-1074};
	void *table;
	const struct draw draw = prepared(DIST_DIRICHLET, DTYPE_F64, 0, alphas, 3, &table);
	double sums[3] = {0};

	(void)state;
	fill(&draw, 3 * N);
	for (size_t i = 0; i < 3 * N; i++) {
		assert_true(x[i] >= 0 && x[i] <= 1);
		sums[i % 3] += x[i] / N;
	}
	assert_true(fabs(sums[0] + sums[1] + sums[2] - 1) < 1e-9);
	free(table);
}

/* Points have length 1; (c + 1) / 2 of a coordinate c is beta((D - 1) / 2, (D - 1) / 2); coordinates do not correlate.
 */
static void sphere_points_are_uniform(void **state)
{
	static const uint64_t dimensions[] = {2, 3, 4, 7};
	static double u[N];

	(void)state;
	for (size_t k = 0; k < 4; k++)
		for (int wide = 0; wide < 2; wide++) {
			const size_t d = (size_t)dimensions[k];
			void *table;
			const struct draw draw =
				prepared(DIST_SPHERE, wide ? DTYPE_F64 : DTYPE_F32, d, NULL, 0, &table);
			double product = 0;

			fill(&draw, d * N);
			for (size_t i = 0; i < N; i++) {
				double sum = 0;

				for (size_t c = 0; c < d; c++)
					sum += x[d * i + c] * x[d * i + c];
				assert_true(fabs(sum - 1) < (wide ? 1e-14 : 1e-6));
				product += x[d * i] * x[d * i + 1];
			}
			for (size_t c = 0; c < d; c++) {
				for (size_t i = 0; i < N; i++)
					u[i] = gsl_cdf_beta_P((x[d * i + c] + 1) / 2 > 1 ? 1 : (x[d * i + c] + 1) / 2,
							      (double)(d - 1) / 2, (double)(d - 1) / 2);
				if (ks_tail(ks_uniform(u, N)) < 1e-4)
					fail_msg("sphere of %zu dimensions, coordinate %zu: not its distribution", d,
						 c);
			}
			/* A product of two coordinates has variance 1 / (D (D + 2)). */
			if (fabs(product) > 4 * sqrt((double)N / (double)(d * (d + 2))))
				fail_msg("sphere of %zu dimensions: coordinates correlate, %g", d, product / N);
		}
}

static void sphere_of_one_dimension_is_a_sign(void **state)
{
	void *table;
	const struct draw draw = prepared(DIST_SPHERE, DTYPE_F32, 1, NULL, 0, &table);
	double sum = 0;

	(void)state;
	fill(&draw, N);
	for (size_t i = 0; i < N; i++) {
		assert_true(fabs(x[i]) == 1);
		sum += x[i];
	}
	assert_true(fabs(sum) < 4 * sqrt(N));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dirichlet_components_are_beta),
		cmocka_unit_test(dirichlet_of_tiny_alphas_is_one_component),
		cmocka_unit_test(sphere_points_are_uniform),
		cmocka_unit_test(sphere_of_one_dimension_is_a_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
