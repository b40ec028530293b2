/* SPDX-License-Identifier: Apache-2.0 */
/* What samples have to do with their neighbours: components of Dirichlet vectors and of points on spheres, and gammas that share an
 * evaluation. Each alone has its distribution by check_ranges. */
#include "distributions/statistics.h"

enum { N = 40000 };

static double x[8 * N];
static float single[8 * N];

static struct draw prepared(enum distribution distribution, enum dtype dtype, uint64_t dimensions, const double *alpha,
			    size_t n_alpha, void **ret_table)
{
	struct draw draw = {distribution, dtype, {GENERATOR_THREEFRY4X32, 31, 8}, {{.natural = dimensions}}, NULL, NULL, NULL};
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

static void dirichlet_components_add_up_to_1(void **state)
{
	static const double alphas[][4] = {{1, 1, 1, 1}, {0.1, 2, 5, 0.7}, {300, 20, 0.5, 1}};

	(void)state;
	for (size_t a = 0; a < 3; a++)
		for (int wide = 0; wide < 2; wide++) {
			void *table;
			const struct draw draw =
				prepared(DIST_DIRICHLET, wide ? DTYPE_F64 : DTYPE_F32, 0, alphas[a], 4, &table);

			fill(&draw, 4 * N);
			for (size_t i = 0; i < N; i++) {
				const double whole = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];

				assert_true(fabs(whole - 1) < (wide ? 1e-15 : 3e-7));
			}
			free(table);
		}
}

/* Coordinates do not correlate. */
static void sphere_points_have_length_1(void **state)
{
	static const uint64_t dimensions[] = {2, 3, 4, 7};

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

/* Neighbours are independent, the pairs that share a Box-Muller evaluation too. */
static void neighbouring_gammas_are_independent(void **state)
{
	const size_t n = 200000;
	const struct dist_case c = {.distribution = DIST_GAMMA, .dtype = DTYPE_F64, .parameters = {{2}, {1}}};
	struct draw_kernels kernels;
	double *gammas = malloc(n * sizeof *gammas), odd = 0, even = 0;
	void *table;
	const struct draw draw = case_draw(&c, 400, &table);

	(void)state;
	draw_select(cpu_detect(), &kernels);
	draw_fill(&kernels, &draw, 0, n, gammas);
	for (size_t i = 0; i + 2 < n; i += 2) {
		even += (gammas[i] - 2) * (gammas[i + 1] - 2);
		odd += (gammas[i + 1] - 2) * (gammas[i + 2] - 2);
	}
	/* Each product has mean 0 and variance 4. */
	const double unit = 2 * sqrt((double)n / 2);

	if (fabs(even) > 4 * unit || fabs(odd) > 4 * unit)
		fail_msg("correlations of neighbours: %.2f and %.2f standard errors", even / unit, odd / unit);
	free(gammas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dirichlet_components_add_up_to_1),
		cmocka_unit_test(sphere_points_have_length_1),
		cmocka_unit_test(neighbouring_gammas_are_independent),
		cmocka_unit_test(sphere_of_one_dimension_is_a_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
