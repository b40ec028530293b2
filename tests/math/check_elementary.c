/* SPDX-License-Identifier: Apache-2.0 */
/* The elementary functions against long double, in ulp; and what special.c makes of them against GSL. */
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "math/elementary_atan.h"
#include "math/elementary_exp.h"
#include "math/elementary_log.h"
#include "math/elementary_normal.h"
#include "math/elementary_turn.h"
#include "math/special.h"
#include "rng/support.h"

static size_t n_points(void)
{
	return full_check() ? 20000000 : 300000;
}

static double any_unit(uint64_t *seed)
{
	return (double)(next_case(seed) >> 11) * 0x1p-53;
}

/* Distance in units of the last place of the exact value. */
static double ulp_f64(double got, long double exact)
{
	int exponent;

	frexpl(exact, &exponent);
	return (double)(fabsl(got - exact) / ldexpl(1, (exponent < -1021 ? -1021 : exponent) - 53));
}

static double ulp_f32(float got, long double exact)
{
	int exponent;

	frexpl(exact, &exponent);
	return (double)(fabsl(got - exact) / ldexpl(1, (exponent < -125 ? -125 : exponent) - 24));
}

static void expect_below(const char *name, double worst, double at, double bound)
{
	printf("# %s: at most %.3f ulp, at %.17g\n", name, worst, at);
	if (!(worst <= bound))
		fail_msg("%s: %.3f ulp at %.17g (%a), allowed %.2f; TRNSCI_TEST_SEED=%llu", name, worst, at, at, bound,
			 (unsigned long long)case_seed());
}

/* Each way of making an argument and its two values. */
struct probe {
	const char *name;
	double (*argument)(uint64_t *seed);
	double (*error)(double x);
	double bound;
};

static double any_word_s(uint64_t *seed)
{
	return (double)(int64_t)(next_case(seed) | 1) * 0x1p-64;
}

/* Fractions whose logarithm is extreme on either side, too. */
static double any_fraction(uint64_t *seed)
{
	const double s = any_word_s(seed);

	return below(seed, 2) ? s : ldexp(s, -(int)below(seed, 63));
}

static double any_fraction_f32(uint64_t *seed)
{
	return (float)(int32_t)(next_case(seed) >> below(seed, 33) | 1) * 0x1p-32f;
}

static long double exact_signed(double s)
{
	return s < 0 ? -2 * log1pl((long double)s) : -2 * logl((long double)s);
}

static double error_signed_f64(double s)
{
	return ulp_f64(minus_two_log_signed_f64(s), exact_signed(s));
}

static double error_signed_f32(double s)
{
	return ulp_f32(minus_two_log_signed_f32((float)s), exact_signed(s));
}

static double any_positive(uint64_t *seed)
{
	return ldexp(1 + any_unit(seed), (int)below(seed, 4) ? (int)below(seed, 5) - 3 : (int)below(seed, 2000) - 1000);
}

static double error_log_f64(double x)
{
	return ulp_f64(log_f64(x), logl((long double)x));
}

static double any_above_minus_one(uint64_t *seed)
{
	const double x = ldexp(any_unit(seed), -(int)below(seed, 80));

	return below(seed, 2) ? -x : ldexp(x, (int)below(seed, 100));
}

static double error_log1p(double x)
{
	return ulp_f64(log1p_f64(x), log1pl((long double)x));
}

static double error_atan(double x)
{
	return ulp_f64(atan_f64(x), atanl((long double)x));
}

static double any_exponent(uint64_t *seed)
{
	return (any_unit(seed) - 0.5) * ldexp(1400, -(int)below(seed, 60));
}

static double error_exp_f64(double x)
{
	return ulp_f64(exp_f64(x), expl((long double)x));
}

static double error_expm1(double x)
{
	return ulp_f64(expm1_f64(x), expm1l((long double)x));
}

static double any_exponent_f32(uint64_t *seed)
{
	return (float)((any_unit(seed) - 0.5) * ldexp(170, -(int)below(seed, 30)));
}

static double error_exp_f32(double x)
{
	return ulp_f32(exp_f32((float)x), expl((long double)x));
}

static double any_quarter(uint64_t *seed)
{
	return ldexp(any_unit(seed) - 0.5, -(int)below(seed, 60));
}

static double error_sin(double y)
{
	double s, c;

	sincos_quarter_f64(y, &s, &c);
	return ulp_f64(s, sinl(y * 1.57079632679489661923132169163975144L));
}

static double error_cos(double y)
{
	double s, c;

	sincos_quarter_f64(y, &s, &c);
	return ulp_f64(c, cosl(y * 1.57079632679489661923132169163975144L));
}

static void elementary_functions_are_accurate(void **state)
{
	static const struct probe probes[] = {
		{"-2 ln of a fraction, f64", any_fraction, error_signed_f64, 2.5},
		{"-2 ln of a fraction, f32", any_fraction_f32, error_signed_f32, 2.6},
		{"ln, f64", any_positive, error_log_f64, 2},
		{"ln(1 + x), f64", any_above_minus_one, error_log1p, 3},
		{"atan, f64", any_above_minus_one, error_atan, 1.5},
		{"exp, f64", any_exponent, error_exp_f64, 1.5},
		{"exp(x) - 1, f64", any_exponent, error_expm1, 2.5},
		{"exp, f32", any_exponent_f32, error_exp_f32, 1.5},
		{"sin, f64", any_quarter, error_sin, 1},
		{"cos, f64", any_quarter, error_cos, 1},
	};
	uint64_t seed = case_seed();

	(void)state;
	for (size_t p = 0; p < sizeof probes / sizeof *probes; p++) {
		double worst = 0, worst_at = 0;

		for (size_t i = 0; i < n_points(); i++) {
			const double x = probes[p].argument(&seed), error = x != 0 ? probes[p].error(x) : 0;

			if (!(error <= worst)) {
				worst = error;
				worst_at = x;
			}
		}
		expect_below(probes[p].name, worst, worst_at, probes[p].bound);
	}
}

static void exponential_overflows_and_underflows_in_place(void **state)
{
	(void)state;
	assert_true(exp_f64(0) == 1 && exp_f32(0) == 1 && expm1_f64(0) == 0);
	assert_true(exp_f64(-INFINITY) == 0 && exp_f64(-746) == 0 && exp_f64(-745) == 0x1p-1074);
	assert_true(exp_f64(INFINITY) == INFINITY && exp_f64(709.79) == INFINITY && isfinite(exp_f64(709.78)));
	assert_true(exp_f32(-INFINITY) == 0 && exp_f32(-200) == 0 && exp_f32(INFINITY) == INFINITY);
	assert_true(isfinite(exp_f32(88.72f)) && exp_f32(88.73f) == INFINITY);
	assert_true(expm1_f64(-INFINITY) == -1 && expm1_f64(INFINITY) == INFINITY && expm1_f64(1e-300) == 1e-300);
}

/* Phi and its inverse: one is the other's check, in the tail relative to it. */
static void normal_distribution_and_its_inverse_agree(void **state)
{
	uint64_t seed = case_seed();
	double worst = 0, worst_inverse = 0;

	(void)state;
	for (size_t i = 0; i < n_points() / 30; i++) {
		const double x = -37 * any_unit(&seed) * any_unit(&seed);
		const long double exact = 0.5L * erfcl(-x * 0.707106781186547524400844362104849039L);
		const double p = (double)exact, got = special_normal(x);
		/* Of z: the error of p over z times the hazard. */
		const double z = normal_inverse_f64(p, (double)(1 - exact));
		const double error = fabs(got - p) / p, inverse = fabs(z - x) / (fabs(x) > 1 ? fabs(x) : 1);

		worst = error > worst ? error : worst;
		worst_inverse = inverse > worst_inverse ? inverse : worst_inverse;
		assert_true(normal_inverse_f64((double)(1 - exact), p) == -z || p > 0.4);
	}
	printf("# normal distribution: relative error %.2g; its inverse: %.2g\n", worst, worst_inverse);
	assert_true(worst < 2e-14);
	assert_true(worst_inverse < 4e-15);
}

/* stirling against lgamma of long double; deviances and probabilities against GSL. */
static void special_functions_match_gsl(void **state)
{
	(void)state;
	for (double k = 1; k < 1e9; k = ceil(k * 1.37)) {
		const long double exact = lgammal(k + 1) - (k + 0.5L) * logl(k) + k - 0.918938533204672741780329736406L;

		if (fabsl(special_stirling(k) - exact) > 1e-14 + 3e-19 * k * (double)logl(k))
			fail_msg("stirling(%.0f): expected %.17Lg, got %.17g", k, exact, special_stirling(k));
	}
	for (double m = 0.3; m < 1e4; m *= 1.7)
		for (double k = floor(m / 2); k < 2 * m + 9; k += 1 + floor(m / 9)) {
			const double exact = gsl_ran_poisson_pdf((unsigned)k, m), got = special_poisson(k, m);

			if (!(fabs(got - exact) <= 1e-11 * exact + 1e-300))
				fail_msg("poisson(%g, %g): expected %.17g, got %.17g", k, m, exact, got);
		}
	for (unsigned n = 1; n < 5000; n = n * 2 + 1)
		for (unsigned k = 0; k <= n; k += 1 + n / 11) {
			const double exact = gsl_ran_binomial_pdf(k, 0.3, n), got = special_binomial(k, n, 0.3);

			if (!(fabs(got - exact) <= 1e-11 * exact + 1e-300))
				fail_msg("binomial(%u, %u): expected %.17g, got %.17g", k, n, exact, got);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elementary_functions_are_accurate),
		cmocka_unit_test(exponential_overflows_and_underflows_in_place),
		cmocka_unit_test(normal_distribution_and_its_inverse_agree),
		cmocka_unit_test(special_functions_match_gsl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
