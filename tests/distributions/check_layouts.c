/* SPDX-License-Identifier: Apache-2.0 */
/* The layouts' kernels: every variant has the bytes of the plain one, and normals are as near to wider evaluations as is stated.
 */
#include "distributions/layouts/layout_kernel.h"

#include <math.h>

#include "distributions/rows/dist_plan.h"
#include "rng/support.h"

enum { MOST = 1 << 12 };

static struct draw draw_of(const struct layout_way *way, const struct layout_call *call, uint64_t *cases)
{
	struct draw draw = {.distribution = way->distribution,
			    .dtype = way->dtype,
			    .stream = {.seed = next_case(cases), .stream = next_case(cases)},
			    .layout = call};

	if (way->distribution == DIST_RANDINT) {
		draw.parameters[0].natural = below(cases, 100);
		draw.parameters[1].natural =
			draw.parameters[0].natural + 1 + (below(cases, 2) ? below(cases, 1000) : next_case(cases) >> 34);
	} else if (way->distribution == DIST_NORMAL || way->distribution == DIST_UNIFORM) {
		draw.parameters[0].real = below(cases, 2) ? 0 : -1.25;
		draw.parameters[1].real = below(cases, 2) ? 1 : 2.5;
	} else {
		draw.parameters[0].real = 0.25;
	}
	return draw;
}

static void compare(const struct layout_kernel *kernel, enum layout layout, const struct layout_way *way, uint64_t *cases)
{
	const uint64_t n = 1 + below(cases, 100000), begin = below(cases, n), left = n - begin;
	const struct layout_call call = {.layout = layout,
					 .position = 4 * below(cases, 1000),
					 .n = n,
					 .blocks = 1 + (uint32_t)below(cases, 40),
					 .axis = n,
					 .inner = 1};
	const struct draw draw = draw_of(way, &call, cases);
	const size_t count = left < MOST ? left : MOST, bytes = count * dtype_size(way->dtype);
	static unsigned char expected[8 * MOST], got[8 * MOST];

	layout_fill(&layout_kernel_scalar, &draw, begin, count, expected);
	layout_fill(kernel, &draw, begin, count, got);
	if (memcmp(expected, got, bytes) != 0)
		fail_msg("%s, layout %s, distribution %d of %s, elements %llu + %zu of %llu: not the plain kernel's", kernel->name,
			 layout_rows[layout].name, (int)way->distribution, dtype_name(way->dtype), (unsigned long long)begin,
			 count, (unsigned long long)n);
}

static void test_variants(void **state)
{
	uint64_t cases = case_seed();
	size_t n_kernels;
	const struct layout_kernel *const *kernels = layout_kernel_kernels(&n_kernels);

	(void)state;
	for (size_t v = 0; v < n_kernels; v++) {
		if (!can_run("layout", kernels[v]->name, kernels[v]->needs))
			continue;
		for (enum layout layout = LAYOUT_TRN24 + 1; layout < LAYOUT_COUNT; layout++)
			for (const struct layout_way *way = kernels[v]->ways[layout]; way->fill; way++)
				for (int i = 0; i < (full_check() ? 100 : 8); i++)
					compare(kernels[v], layout, way, &cases);
	}
}

/* ---- normals ---- */

static double ulp32(double x)
{
	return ldexp(1, (fabs(x) < 0x1p-126 ? -126 : ilogb(x)) - 23);
}

static double ulp64(double x)
{
	return ldexp(1, (fabs(x) < 0x1p-1022 ? -1022 : ilogb(x)) - 52);
}

static struct layout_call thread_call(uint64_t n)
{
	return (struct layout_call){.layout = LAYOUT_CURAND, .n = n};
}

/* cuRAND's formulas for what it rounds to float32, the rest in long double. */
static void test_curand_normals(void **state)
{
	const struct layout_call call = thread_call(MOST);
	struct draw draw = {.distribution = DIST_BITS, .dtype = DTYPE_U32, .stream = {.seed = case_seed()}, .layout = &call};
	static uint32_t words[4 * MOST];
	static float normals[MOST];
	static double wide[MOST];
	const long double pi = 3.14159265358979323846264338327950288L;
	double worst32 = 0, worst64 = 0;

	(void)state;
	layout_fill(layout_kernel_select(cpu_detect()), &draw, 0, 2 * MOST, words);
	draw.distribution = DIST_NORMAL;
	draw.dtype = DTYPE_F32;
	draw.parameters[1].real = 1;
	layout_fill(layout_kernel_select(cpu_detect()), &draw, 0, MOST, normals);
	draw.dtype = DTYPE_F64;
	layout_fill(layout_kernel_select(cpu_detect()), &draw, 0, MOST, wide);
	for (size_t i = 0; i < MOST; i++) {
		const uint32_t *pair = words + i / 2 * 2, *four = words + i / 2 * 4;
		const float u = fmaf((float)pair[0], 0x1p-32f, 0x1p-33f),
			    v = fmaf((float)pair[1], 0x1.921fb6p-30f, 0x1.921fb6p-31f);
		const long double r = sqrtl(-2 * logl(u)), z = r * (i % 2 ? cosl(v) : sinl(v));
		const long double du = (long double)(four[0] ^ (uint64_t)four[1] << 21) * 0x1p-53L + 0x1p-54L;
		const long double dv = 2 * pi * (double)((long double)(four[2] ^ (uint64_t)four[3] << 21) * 0x1p-53L + 0x1p-54L);
		const long double dz = sqrtl(-2 * logl((double)du)) * (i % 2 ? cosl(dv) : sinl(dv));

		worst32 = fmax(worst32, (double)fabsl(normals[i] - z) / ulp32((double)z));
		if (4 * (i / 2) + 3 < 2 * MOST)
			worst64 = fmax(worst64, (double)fabsl(wide[i] - dz) / ulp64((double)dz));
	}
	printf("# curand normals: float32 within %.2f ulp, float64 within %.2f\n", worst32, worst64);
	assert_true(worst32 < 0.51 && worst64 < 3);
}

/* TensorFlow's formulas for the uniforms of the same words and the angle that it rounds, the rest in long double. */
static void check_tensorflow(enum layout layout, double least)
{
	const struct layout_call call = {.layout = layout, .n = MOST, .axis = MOST, .inner = 1};
	struct draw draw = {
		.distribution = DIST_UNIFORM, .dtype = DTYPE_F64, .stream = {.seed = case_seed(), .stream = 5}, .layout = &call};
	static double uniforms[MOST], normals[MOST];
	double worst = 0;

	draw.parameters[1].real = 1;
	layout_fill(layout_kernel_select(cpu_detect()), &draw, 0, MOST, uniforms);
	draw.distribution = DIST_NORMAL;
	layout_fill(layout_kernel_select(cpu_detect()), &draw, 0, MOST, normals);
	for (size_t i = 0; i < MOST; i++) {
		const double *pair = uniforms + i / 2 * 2, angle = 0x1.921fb54442d18p2 * pair[1];
		const long double radius = sqrtl(-2 * logl(fmax(pair[0], least))),
				  z = radius * (i % 2 ? cosl(angle) : sinl(angle));

		worst = fmax(worst, (double)fabsl(normals[i] - z) / ulp64((double)z));
	}
	printf("# %s normals: float64 within %.2f ulp\n", layout_rows[layout].name, worst);
	assert_true(worst < 3);
}

static void test_tensorflow_normals(void **state)
{
	(void)state;
	check_tensorflow(LAYOUT_TENSORFLOW, 1e-7);
	check_tensorflow(LAYOUT_TENSORFLOW_XLA, 1e-7f);
}

/* JAX's normals are sqrt(2) erf_inv(u) of uniforms in (-1, 1): erf of the result gives the uniform back. Its formula rounds u^2,
 * of which 1 - u^2 keeps few bits near 1: errors are those of the formula, and are stated below 0.9 and above. */
static void test_jax_normals(void **state)
{
	const struct layout_call call = {.layout = LAYOUT_JAX, .n = MOST};
	struct draw draw = {.distribution = DIST_UNIFORM, .dtype = DTYPE_F32, .stream = {.seed = case_seed()}, .layout = &call};
	static float units[MOST], normals[MOST];
	static double wide_units[MOST], wide[MOST];
	double worst32[2] = {0}, worst64[2] = {0}; /* below 0.9, and from there on */

	(void)state;
	draw.parameters[1].real = 1;
	layout_fill(layout_kernel_select(cpu_detect()), &draw, 0, MOST, units);
	draw.dtype = DTYPE_F64;
	layout_fill(layout_kernel_select(cpu_detect()), &draw, 0, MOST, wide_units);
	draw.distribution = DIST_NORMAL;
	layout_fill(layout_kernel_select(cpu_detect()), &draw, 0, MOST, wide);
	draw.dtype = DTYPE_F32;
	layout_fill(layout_kernel_select(cpu_detect()), &draw, 0, MOST, normals);
	for (size_t i = 0; i < MOST; i++) {
		const float u = units[i] * 2 - 0x1.fffffep-1f;
		const double w = wide_units[i] * 2 - 0x1.fffffffffffffp-1;
		/* The derivative of erf(x / sqrt(2)) turns what the uniform is off into what the normal is off. */
		const long double x = normals[i], y = wide[i], root = 1.41421356237309504880168872420969808L;
		const long double slope = 0.79788456080286535587989211986876373L;

		double *const at32 = &worst32[fabsf(u) >= 0.9f], *const at64 = &worst64[fabs(w) >= 0.9];

		*at32 = fmax(*at32, (double)fabsl((erfl(x / root) - u) / (slope * expl(-x * x / 2))) / ulp32((double)x));
		*at64 = fmax(*at64, (double)fabsl((erfl(y / root) - w) / (slope * expl(-y * y / 2))) / ulp64((double)y));
	}
	printf("# jax normals: float32 within %.1f and %.1f ulp of erf_inv, float64 within %.1f and %.1f\n", worst32[0],
	       worst32[1], worst64[0], worst64[1]);
	assert_true(worst32[0] < 6 && worst64[0] < 6 && worst32[1] < 1000 && worst64[1] < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_curand_normals),
		cmocka_unit_test(test_tensorflow_normals),
		cmocka_unit_test(test_jax_normals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
