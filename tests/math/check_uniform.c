/* SPDX-License-Identifier: Apache-2.0 */
/* Affine maps: one fma in float64, one rounding, never high itself; every variant the same bytes. */
#include "math/uniform.h"

#include <math.h>

#include "rng/support.h"

enum { MOST = 67 };

static const double bounds[][2] = {
	{0, 1},        {-1, 1},          {2, 3},
	{-3, -2},      {-1, 0},          {0, 0x1p-149},
	{0, 1e-40},    {1, 1 + 0x1p-23}, {16777216, 16777218},
	{-1e30, 1e30}, {0, 0.1},         {0.1, 0.3},
	{-0.3, -0.1},  {0, 5e-324},      {1, 1 + 0x1p-52},
};

enum { N_BOUNDS = sizeof bounds / sizeof *bounds };

/* The contract in plain words: round once, and what is not below high is the next value below it. */
static float range_f32(float u, double low, double high)
{
	const float x = (float)fma(u, high - low, low);
	float top = (float)high;

	if (x < high)
		return x;
	if (top >= high)
		top = nextafterf(top, -INFINITY);
	return top;
}

static double range_f64(double u, double low, double high)
{
	const double x = fma(u, high - low, low);

	return x < high ? x : nextafter(high, -INFINITY);
}

static void compare(const struct uniform_kernel *kernel, const float *u, const double *v, size_t n, const double *b)
{
	struct guarded f = guarded_new(n * sizeof *u, n % 8 * sizeof *u), d = guarded_new(n * sizeof *v, n % 8 * 8);
	float *x = (float *)f.at;
	double *y = (double *)d.at;

	memcpy(x, u, f.size);
	memcpy(y, v, d.size);
	kernel->range_f32(x, n, b[0], b[1]);
	kernel->range_f64(y, n, b[0], b[1]);
	for (size_t i = 0; i < n; i++)
		if (x[i] != range_f32(u[i], b[0], b[1]) || y[i] != range_f64(v[i], b[0], b[1]))
			fail_msg("%s, [%a, %a): %a and %a became %a and %a", kernel->name, b[0], b[1], u[i], v[i], x[i],
				 y[i]);
	memcpy(x, u, f.size);
	memcpy(y, v, d.size);
	kernel->affine_f32(x, n, b[0], b[1]);
	kernel->affine_f64(y, n, b[0], b[1]);
	for (size_t i = 0; i < n; i++)
		if (x[i] != (float)fma(u[i], b[0], b[1]) || y[i] != fma(v[i], b[0], b[1]))
			fail_msg("%s, x %a + %a: %a and %a became %a and %a", kernel->name, b[0], b[1], u[i], v[i],
				 x[i], y[i]);
	assert_true(guarded_free(f));
	assert_true(guarded_free(d));
}

static void every_variant_matches_the_definition(void **state)
{
	size_t n_kernels;
	const struct uniform_kernel *const *kernels = uniform_kernels(&n_kernels);
	uint64_t seed = case_seed();
	float u[MOST] = {0, 0x1.fffffep-1f, 0.5f};
	double v[MOST] = {0, 0x1.fffffffffffffp-1, 0.5};

	(void)state;
	for (int i = 3; i < MOST; i++) {
		u[i] = (float)below(&seed, 1 << 24) * 0x1p-24f;
		v[i] = (double)(next_case(&seed) >> 11) * 0x1p-53;
	}
	for (size_t k = 0; k < n_kernels; k++)
		if (can_run("uniform", kernels[k]->name, kernels[k]->needs))
			for (size_t i = 0; i < N_BOUNDS; i++)
				for (size_t n = 0; n <= MOST; n++)
					compare(kernels[k], u, v, n, bounds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_variant_matches_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
