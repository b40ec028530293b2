/* SPDX-License-Identifier: Apache-2.0 */
/* Box-Muller against wider references: every float32 radius and angle, float64 where it is hard, and every variant
 * against the scalar one, byte for byte. Errors are in units of the last place of the true value. */
#include "math/box_muller.h"

#include <math.h>

#include "rng/support.h"

enum { BATCH = 1 << 14 };

/* Half a turn's share of exactly reduced angles, in the reference's precision. */
static const long double HALF_PI = 1.57079632679489661923132169163975144L;

struct worst {
	double ulp, at;
};

static float floats[2 * BATCH], normals[2 * BATCH];
static double doubles[2 * BATCH], wide_normals[2 * BATCH];

static double ulp_of(double got, double want, int bits)
{
	int exponent;

	if (want == 0)
		return got == 0 ? 0 : INFINITY;
	frexp(want, &exponent);
	return fabs(got - want) / ldexp(1, exponent - bits);
}

static double ulp_of_wide(double got, long double want)
{
	int exponent;

	if (want == 0)
		return got == 0 ? 0 : INFINITY;
	frexpl(want, &exponent);
	return (double)(fabsl(got - want) / ldexpl(1, exponent - 53));
}

static void note(struct worst *worst, double ulp, double at)
{
	if (!(ulp <= worst->ulp))
		*worst = (struct worst){ulp, at};
}

static void report(const char *what, struct worst worst, double bound)
{
	printf("# %s: worst %.4f ulp at %a\n", what, worst.ulp, worst.at);
	if (!(worst.ulp <= bound))
		fail_msg("%s: expected within %.2f ulp, got %.4f at %a", what, bound, worst.ulp, worst.at);
}

/* Computes cos and sin of 2 pi u. 4 u = k + y with an integer k is exact. */
static void cos_sin_of_turns(double u, double *ret_cos, double *ret_sin)
{
	const double k = rint(4 * u), angle = (4 * u - k) * (double)HALF_PI, s = sin(angle), c = cos(angle);

	*ret_cos = (const double[]){c, -s, -c, s}[(int)k & 3];
	*ret_sin = (const double[]){s, c, -s, -c}[(int)k & 3];
}

static void turn_wide(double u, long double *ret_cos, long double *ret_sin)
{
	const double k = rint(4 * u);
	const long double angle = (4 * u - k) * HALF_PI, s = sinl(angle), c = cosl(angle);

	*ret_cos = (const long double[]){c, -s, -c, s}[(int)k & 3];
	*ret_sin = (const long double[]){s, c, -s, -c}[(int)k & 3];
}

static const struct box_muller_kernel *best(void)
{
	return box_muller_select(cpu_detect());
}

/* u1 = 0 gives the radius alone. A u0 whose radius is exactly 1 gives sine and cosine alone. */
static void every_float32_radius_and_angle_is_accurate(void **state)
{
	struct worst radius = {0, 0}, cosine = {0, 0}, sine = {0, 0};
	float unit = 0;

	(void)state;
	for (uint32_t j = 0; j < 1u << 24; j += BATCH) {
		for (uint32_t i = 0; i < BATCH; i++) {
			floats[2 * i] = (float)(j + i) * 0x1p-24f;
			floats[2 * i + 1] = 0;
		}
		best()->f32(floats, BATCH, normals);
		for (uint32_t i = 0; i < BATCH; i++) {
			const double u = j + i ? (j + i) * 0x1p-24 : 0x1p-25;

			note(&radius, ulp_of(normals[2 * i], sqrt(-2 * log(u)), 24), u);
			assert_true(normals[2 * i + 1] == 0);
			unit = normals[2 * i] == 1 ? floats[2 * i] : unit;
		}
	}
	report("float32 radius, all 2^24", radius, 1.2);
	assert_true(unit > 0);
	for (uint32_t j = 0; j < 1u << 24; j += BATCH) {
		for (uint32_t i = 0; i < BATCH; i++) {
			floats[2 * i] = unit;
			floats[2 * i + 1] = (float)(j + i) * 0x1p-24f;
		}
		best()->f32(floats, BATCH, normals);
		for (uint32_t i = 0; i < BATCH; i++) {
			const double u = (j + i) * 0x1p-24;
			double c, s;

			cos_sin_of_turns(u, &c, &s);
			note(&cosine, ulp_of(normals[2 * i], c, 24), u);
			note(&sine, ulp_of(normals[2 * i + 1], s, 24), u);
		}
	}
	report("float32 cosine, all 2^24", cosine, 1.2);
	report("float32 sine, all 2^24", sine, 1.2);
}

static void float32_normals_are_accurate(void **state)
{
	struct worst worst = {0, 0};
	uint64_t seed = case_seed();
	const int rounds = full_check() ? 4096 : 128;

	(void)state;
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < 2 * BATCH; i++)
			floats[i] = (float)below(&seed, 1 << 24) * 0x1p-24f;
		best()->f32(floats, BATCH, normals);
		for (int i = 0; i < BATCH; i++) {
			const double r = sqrt(-2 * log(floats[2 * i] > 0 ? floats[2 * i] : 0x1p-25));
			double c, s;

			cos_sin_of_turns(floats[2 * i + 1], &c, &s);
			note(&worst, ulp_of(normals[2 * i], r * c, 24), floats[2 * i]);
			note(&worst, ulp_of(normals[2 * i + 1], r * s, 24), floats[2 * i]);
		}
	}
	report("float32 normals", worst, 4);
}

/* A 53-bit uniform where logarithm or angle are hard: near 0, near 1, near a quarter turn; or anywhere. */
static double hard_uniform(uint64_t *seed)
{
	const double x = (double)(next_case(seed) >> 11) * 0x1p-53, tiny = ldexp(x, -(int)below(seed, 52));
	double u;

	switch (below(seed, 4)) {
	case 0:
		u = tiny;
		break;
	case 1:
		u = 1 - tiny;
		break;
	case 2:
		u = (double)below(seed, 4) / 4 + tiny;
		break;
	default:
		u = x;
	}
	u = floor(u * 0x1p53) * 0x1p-53;
	return u < 1 ? u : 0;
}

static void float64_radius_and_angle_are_accurate(void **state)
{
	struct worst radius = {0, 0}, cosine = {0, 0}, sine = {0, 0}, product = {0, 0};
	uint64_t seed = case_seed();
	const int rounds = full_check() ? 2048 : 40;

	(void)state;
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < BATCH; i++) {
			doubles[2 * i] = i % 4 ? hard_uniform(&seed) : 0x1.368b2fc6f960ap-1; /* exp(-1/2) */
			doubles[2 * i + 1] = i % 4 == 1 ? 0 : hard_uniform(&seed);
		}
		best()->f64(doubles, BATCH, wide_normals);
		for (int i = 0; i < BATCH; i++) {
			const double u0 = doubles[2 * i], u1 = doubles[2 * i + 1], *z = wide_normals + 2 * i;
			const long double r = sqrtl(-2 * logl(u0 > 0 ? u0 : 0x1p-54));
			long double c, s;

			turn_wide(u1, &c, &s);
			if (i % 4 == 0) {
				note(&cosine, ulp_of_wide(z[0], c), u1);
				note(&sine, ulp_of_wide(z[1], s), u1);
			} else if (i % 4 == 1) {
				note(&radius, ulp_of_wide(z[0], r), u0);
			} else {
				note(&product, ulp_of_wide(z[0], r * c), u0);
				note(&product, ulp_of_wide(z[1], r * s), u0);
			}
		}
	}
	report("float64 radius", radius, 1.2);
	report("float64 cosine", cosine, 1.2);
	report("float64 sine", sine, 1.2);
	report("float64 normals", product, 4);
}

static void quarter_turns_give_exact_zeros(void **state)
{
	const float in[] = {0.5f, 0, 0.5f, 0.25f, 0.5f, 0.5f, 0.5f, 0.75f, 0, 0, 0x1.fffffep-1f, 0};
	double wide_in[12], wide[12];
	float out[12];

	(void)state;
	for (int i = 0; i < 12; i++)
		wide_in[i] = in[i];
	best()->f32(in, 6, out);
	best()->f64(wide_in, 6, wide);
	assert_true(out[1] == 0 && out[2] == 0 && out[5] == 0 && out[6] == 0);
	assert_true(wide[1] == 0 && wide[2] == 0 && wide[5] == 0 && wide[6] == 0);
	assert_true(out[0] == out[3] && out[0] == -out[4] && out[0] == -out[7]);
	assert_true(ulp_of(out[8], sqrt(50 * log(2)), 24) <= 1.2 && out[8] < 5.89f);
	assert_true(ulp_of(wide[8], sqrt(108 * log(2)), 53) <= 2);
	assert_true(ulp_of(out[10], sqrt(-2 * log1p(-0x1p-24)), 24) <= 1.2);
}

/* Compares a variant with the scalar one at one length and misalignment, out of place and in place, inside guards. */
static void compare(const struct box_muller_kernel *kernel, size_t n_pairs, size_t shift, bool in_place)
{
	struct guarded f = guarded_new(n_pairs * 8, shift * 4), d = guarded_new(n_pairs * 16, shift * 8);

	box_muller_select(0)->f32(floats, n_pairs, normals);
	box_muller_select(0)->f64(doubles, n_pairs, wide_normals);
	if (in_place) {
		memcpy(f.at, floats, f.size);
		memcpy(d.at, doubles, d.size);
	}
	kernel->f32(in_place ? (float *)f.at : floats, n_pairs, (float *)f.at);
	kernel->f64(in_place ? (double *)d.at : doubles, n_pairs, (double *)d.at);
	if (memcmp(f.at, normals, f.size) != 0 || memcmp(d.at, wide_normals, d.size) != 0)
		fail_msg("%s: %zu pairs, shift %zu%s: not the bytes of scalar; TRNSCI_TEST_SEED=%llu", kernel->name,
			 n_pairs, shift, in_place ? ", in place" : "", (unsigned long long)case_seed());
	assert_true(guarded_free(f));
	assert_true(guarded_free(d));
}

static void every_variant_equals_scalar(void **state)
{
	size_t n_kernels;
	const struct box_muller_kernel *const *kernels = box_muller_kernels(&n_kernels);
	uint64_t seed = case_seed();

	(void)state;
	for (size_t v = 0; v < n_kernels; v++) {
		if (!can_run("box_muller", kernels[v]->name, kernels[v]->needs))
			continue;
		for (int i = 0; i < 2 * BATCH; i++) {
			doubles[i] = hard_uniform(&seed);
			floats[i] = (float)(floor(doubles[i] * 0x1p24) * 0x1p-24);
		}
		compare(kernels[v], BATCH, 0, false);
		for (size_t n = 0; n < 70; n++)
			compare(kernels[v], n, (size_t)below(&seed, 8), below(&seed, 2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_float32_radius_and_angle_is_accurate),
		cmocka_unit_test(float32_normals_are_accurate),
		cmocka_unit_test(float64_radius_and_angle_are_accurate),
		cmocka_unit_test(quarter_turns_give_exact_zeros),
		cmocka_unit_test(every_variant_equals_scalar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
