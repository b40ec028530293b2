/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on elements: within its bounds of long double's, the same bytes in every variant, in place, and at the ends
 * of the numbers. */
#include "math/algebra.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#include "rng/support.h"

enum { F32, F64, C64, C128 };
enum { N = 1003 };

static const char *const names[] = {
#define X(operation) #operation,
	ALGEBRA_OPERATIONS(X)
#undef X
};
static const size_t sizes[] = {4, 8, 8, 16};

/* Any size of numbers that leaves products in range; or (wild) any number, also 0, infinity and NaN. */
static double any_number(uint64_t *seed, bool narrow, bool wild)
{
	static const double specials[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 5e-324, 2.3e-308, 1.7e308, 1e-40, 3e38};
	const double size = ldexp(1 + (double)(next_case(seed) >> 12) * 0x1p-52, (int)below(seed, narrow ? 60 : 600) - (narrow ? 30 : 300));

	if (wild && below(seed, 3) == 0)
		return specials[below(seed, sizeof specials / sizeof *specials)];
	return below(seed, 2) ? size : -size;
}

static void fill(void *at, int type, uint64_t *seed, bool wild)
{
	for (size_t i = 0; i < (type >= C64 ? 2 * N : N); i++)
		if (type == F32 || type == C64)
			((float *)at)[i] = (float)any_number(seed, true, wild);
		else
			((double *)at)[i] = any_number(seed, false, wild);
}

/* Variants are compared with scalar; NaN with NaN, whose bits are not fixed. */
static bool is_equal(int type, const char *a, const char *b, size_t bytes)
{
	const size_t size = type == F32 || type == C64 ? 4 : 8;

	for (size_t i = 0; i < bytes; i += size) {
		float f[2];
		double d[2];

		if (memcmp(a + i, b + i, size) == 0)
			continue;
		memcpy(&f[0], a + i, 4);
		memcpy(&f[1], b + i, 4);
		if (size == 4 && isnan(f[0]) && isnan(f[1]))
			continue;
		if (size == 4)
			return false;
		memcpy(&d[0], a + i, 8);
		memcpy(&d[1], b + i, 8);
		if (!isnan(d[0]) || !isnan(d[1]))
			return false;
	}
	return true;
}

/* What box_muller is defined for. */
static void fill_uniforms(char *x, int type)
{
	for (size_t i = 0; i < N; i++) {
		const double u = (double)i / N;
		const float f = (float)u;

		memcpy(x + i * sizes[type], type == F32 ? (const void *)&f : &u, sizes[type]);
	}
}

static void every_variant_equals_scalar(void **state)
{
	static char x[16 * N + 64], y[16 * N + 64], expected[16 * N], got[16 * N + 64];
	const struct algebra_numbers numbers = {.low = -1, .high = 2, .by = 0.1, .plus = 3};
	static uint8_t which[N];
	uint64_t seed = case_seed();
	size_t count;
	const struct algebra_kernel *const *kernels = algebra_kernels(&count);

	(void)state;
	for (size_t i = 0; i < N; i++)
		which[i] = (uint8_t)below(&seed, 2);
	for (unsigned operation = 0; operation < ALGEBRA_COUNT; operation++)
		for (int type = F32; type <= C128; type++) {
			algebra_function *const scalar = algebra_scalar.functions[operation][type];
			const void *in[3] = {x, y, which};
			const size_t n = operation == ALGEBRA_box_muller ? N - 1 : N;

			if (!scalar)
				continue;
			fill(x, type, &seed, true);
			fill(y, type, &seed, true);
			if (operation == ALGEBRA_box_muller)
				fill_uniforms(x, type);
			memset(expected, 0, sizeof expected);
			scalar(&numbers, in, n, expected);
			for (size_t k = 0; k < count; k++) {
				if (!can_run("algebra", kernels[k]->name, kernels[k]->needs))
					continue;
				memset(got, 0, sizeof got);
				kernels[k]->functions[operation][type](&numbers, in, n, got);
				if (!is_equal(type, got, expected, sizeof expected))
					fail_msg("%s, type %d: %s differs from scalar; TRNSCI_TEST_SEED=%llu", names[operation],
						 type, kernels[k]->name, (unsigned long long)case_seed());
				if (operation == ALGEBRA_real || operation == ALGEBRA_imag ||
				    (operation == ALGEBRA_abs && type >= C64))
					continue;
				memcpy(got, x, N * sizes[type]);
				kernels[k]->functions[operation][type](&numbers, (const void *[3]){got, y, which}, n, got);
				if (!is_equal(type, got, expected, n * sizes[type]))
					fail_msg("%s, type %d: %s differs in place", names[operation], type, kernels[k]->name);
			}
		}
}

/* Returns the part of one result of scale or noise_add, which is rounded once. */
static double affine(unsigned operation, const struct algebra_numbers *numbers, double x, double y, bool imaginary)
{
	return operation == ALGEBRA_scale ? fma(x, numbers->by, imaginary ? 0 : numbers->plus) : fma(numbers->by, y, x);
}

/* scale and noise_add of any lengths round once; NaN stays NaN. */
static void scaled_sums_round_once(void **state)
{
	static const unsigned operations[] = {ALGEBRA_scale, ALGEBRA_noise_add};
	const struct algebra_numbers numbers = {.by = 0.1, .plus = 1.0 / 3};
	float x[40], y[40], out[40];
	double wide_x[40], wide_y[40], wide_out[40];
	size_t count;
	const struct algebra_kernel *const *kernels = algebra_kernels(&count);

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		wide_x[i] = x[i] = i == 7 ? NAN : i == 8 ? -INFINITY : (float)i / 3;
		wide_y[i] = y[i] = 1.0f / (float)(i + 1);
	}
	for (size_t k = 0; k < 2 * count; k++)
		for (size_t n = 0; n <= 40 && can_run("algebra", kernels[k / 2]->name, kernels[k / 2]->needs); n++)
			for (unsigned parts = 1; parts <= 2; parts++) {
				const unsigned operation = operations[k % 2], type = parts == 1 ? F32 : C64;
				algebra_function *const *functions = kernels[k / 2]->functions[operation];

				functions[type](&numbers, (const void *[3]){x, y}, n / parts, out);
				functions[type + 1](&numbers, (const void *[3]){wide_x, wide_y}, n / parts, wide_out);
				for (size_t i = 0; i < n / parts * parts; i++) {
					const double e = affine(operation, &numbers, wide_x[i], wide_y[i], i % parts);

					assert_true(isnan(e) ? isnan(out[i]) && isnan(wide_out[i])
							     : out[i] == (float)e && wide_out[i] == e);
				}
			}
}

/* ---- errors ---- */

#if LDBL_MANT_DIG == 113
typedef long double quadruple;
#else
typedef __float128 quadruple;
#endif

/* Products of parts cancel: they need twice the digits. */
static long double complex exact_product(long double complex a, long double complex b, bool divides)
{
	const quadruple p = creall(a), q = cimagl(a), r = creall(b), s = divides ? -cimagl(b) : cimagl(b);
	const quadruple by = divides ? r * r + s * s : 1;

	return (long double)((p * r - q * s) / by) + (long double)((p * s + q * r) / by) * I;
}

static long double complex exact(unsigned operation, long double complex a, long double complex b)
{
	switch (operation) {
	case ALGEBRA_add:
		return a + b;
	case ALGEBRA_subtract:
		return a - b;
	case ALGEBRA_multiply:
		return exact_product(a, b, false);
	case ALGEBRA_divide:
		return exact_product(a, b, true);
	case ALGEBRA_abs:
		return cabsl(a);
	case ALGEBRA_square:
		return exact_product(a, a, false);
	case ALGEBRA_sqrt:
		return sqrtl(creall(a));
	case ALGEBRA_log:
		return logl(creall(a));
	default:
		return expl(creall(a));
	}
}

static double ulps(double got, long double expected, bool narrow)
{
	int exponent;
	const int digits = narrow ? 24 : 53;

	frexpl(expected, &exponent);
	return (double)(fabsl((long double)got - expected) / ldexpl(1, exponent - digits));
}

static const struct {
	unsigned operation;
	double f32, f64, c64, c128; /* the most ulp; 0: not looked at */
} bounds[] = {
	{ALGEBRA_add, 0.5001, 0.5001, 0.501, 0.501}, {ALGEBRA_subtract, 0.5001, 0.5001, 0, 0}, {ALGEBRA_multiply, 0.5001, 0.5001, 0.501, 1.5},
	{ALGEBRA_divide, 0.5001, 0.5001, 0.501, 4}, {ALGEBRA_abs, 0.5, 0.5, 0.501, 1.5},
	{ALGEBRA_square, 0.5001, 0.5001, 0.501, 1.5}, {ALGEBRA_sqrt, 0.5001, 0.5001, 0, 0},
	{ALGEBRA_log, 0.501, 2, 0, 0},            {ALGEBRA_exp, 0.501, 1.5, 0, 0},
};

static double worst_of(unsigned operation, int type, uint64_t *seed)
{
	static double x[2 * N], y[2 * N], out[2 * N];
	const bool narrow = type == F32 || type == C64, has_parts = type >= C64;
	const bool positive = operation == ALGEBRA_sqrt || operation == ALGEBRA_log;
	const size_t parts = has_parts ? 2 : 1;
	double worst = 0;

	fill(x, type, seed, false);
	fill(y, type, seed, false);
	for (size_t i = 0; i < N && (positive || operation == ALGEBRA_exp); i++) {
		const double value = narrow ? (double)((float *)x)[i] : x[i];
		const double held = positive ? fabs(value) : fmod(value, narrow ? 80 : 700);

		if (narrow)
			((float *)x)[i] = (float)held;
		else
			x[i] = held;
	}
	algebra_select(cpu_detect())->functions[operation][type](NULL, (const void *[3]){x, y, NULL}, N, out);
	for (size_t i = 0; i < N; i++) {
		long double v[2][2] = {{0}};

		for (size_t part = 0; part < parts; part++) {
			v[0][part] = narrow ? (long double)((float *)x)[parts * i + part] : (long double)x[parts * i + part];
			v[1][part] = narrow ? (long double)((float *)y)[parts * i + part] : (long double)y[parts * i + part];
		}
		const long double complex e = exact(operation, v[0][0] + v[0][1] * I, v[1][0] + v[1][1] * I);
		const size_t results = operation == ALGEBRA_abs ? 1 : parts;

		for (size_t part = 0; part < results; part++) {
			const double got = narrow ? (double)((float *)out)[results * i + part] : out[results * i + part];
			const double error = ulps(got, part ? cimagl(e) : creall(e), narrow);

			worst = error > worst ? error : worst;
		}
	}
	return worst;
}

static void errors_are_within_bounds(void **state)
{
	uint64_t seed = case_seed();

	(void)state;
	for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
		for (int type = F32; type <= C128; type++) {
			const double allowed[] = {bounds[b].f32, bounds[b].f64, bounds[b].c64, bounds[b].c128};
			double worst = 0;

			for (int round = 0; allowed[type] > 0 && round < (full_check() ? 2000 : 60); round++) {
				const double error = worst_of(bounds[b].operation, type, &seed);

				worst = error > worst ? error : worst;
			}
			if (allowed[type] > 0)
				printf("# %-8s type %d: at most %.3f ulp, bound %g\n", names[bounds[b].operation], type, worst,
				       allowed[type]);
			if (worst > allowed[type])
				fail_msg("%s, type %d: error %.3f ulp, allowed %g; TRNSCI_TEST_SEED=%llu",
					 names[bounds[b].operation], type, worst, allowed[type],
					 (unsigned long long)case_seed());
		}
}

static void ends_of_the_numbers(void **state)
{
	const struct algebra_kernel *kernel = algebra_select(cpu_detect());
	const double x[] = {0, -0.0, -1, INFINITY, -INFINITY, NAN, 5e-324, 0x1p-1060, 800, -800, 1};
	double out[11];
	const void *in[3] = {x, NULL, NULL};

	(void)state;
	kernel->functions[ALGEBRA_log][1](NULL, in, 11, out);
	assert_true(out[0] == -INFINITY && out[1] == -INFINITY && isnan(out[2]) && out[3] == INFINITY && isnan(out[4]) &&
		    isnan(out[5]) && fabs(out[6] - log(5e-324)) < 1e-12 && fabs(out[7] - log(0x1p-1060)) < 1e-12 &&
		    out[10] == 0 && !signbit(out[10]));
	kernel->functions[ALGEBRA_exp][1](NULL, in, 11, out);
	assert_true(out[0] == 1 && out[1] == 1 && out[3] == INFINITY && out[4] == 0 && isnan(out[5]) && out[6] == 1 &&
		    out[8] == INFINITY && out[9] == 0);
	const double pair[] = {3e300, 4e300, 3e-310, 4e-310, 0, 0, INFINITY, NAN};

	in[0] = pair;
	kernel->functions[ALGEBRA_abs][3](NULL, in, 4, out);
	assert_true(fabs(out[0] / 5e300 - 1) < 1e-15 && fabs(out[1] / 5e-310 - 1) < 1e-12 && out[2] == 0 &&
		    out[3] == INFINITY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_variant_equals_scalar),
		cmocka_unit_test(scaled_sums_round_once),
		cmocka_unit_test(errors_are_within_bounds),
		cmocka_unit_test(ends_of_the_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
