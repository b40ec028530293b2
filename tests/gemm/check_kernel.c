/* SPDX-License-Identifier: Apache-2.0 */
/* Register kernels of every variant: dot products of bfloat16 pairs bit by bit against fmaf with flushing, sums of
 * reals against long double, slices against the numbers they were split from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/cpu.h"
#include "gemm/bf16.h"
#include "gemm/kernel.h"

enum { MAX_K = 70 };

static uint64_t state = 20261120;

static uint32_t bits(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 32);
}

static double uniform(void)
{
	return (double)bits() * 0x1p-31 - 1;
}

/* Returns a random bfloat16. Wide ones have every exponent, others are near 1; products of centred ones are about
 * 2^-126. */
enum spread { NEAR, WIDE, EDGE, SPREADS };

static uint32_t half(enum spread spread)
{
	const uint32_t rest = bits() & 0x807F;

	switch (spread) {
	case NEAR:
		return rest | (120 + bits() % 14) << 7;
	case WIDE:
		return rest | (bits() % 256) << 7;
	default:
		return rest | (61 + bits() % 7) << 7;
	}
}

static float zero_if_small(float x)
{
	return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* A result is tiny if it is below 2^-126 after rounding to 24 bits with an unbounded exponent: a scaled fma shows it.
 */
static float flushed_fma(float a, float b, float c)
{
	const float r = fmaf(a, b, c);

	if (fabsf(r) > 0x1p-126f || r == 0 || isnan(r))
		return r;
	if (fabsf(r) == 0x1p-126f && fabsf(fmaf(a * 0x1p60f, b, c * 0x1p60f)) >= 0x1p-66f)
		return r;
	return copysignf(0, r);
}

static float reference_dot(uint32_t a, uint32_t b, float sum)
{
	const float even[2] = {zero_if_small(bf16_float_of(a << 16)), zero_if_small(bf16_float_of(b << 16))};
	const float odd[2] = {zero_if_small(bf16_float_of(a & 0xFFFF0000)),
			      zero_if_small(bf16_float_of(b & 0xFFFF0000))};

	return flushed_fma(even[0], even[1], flushed_fma(odd[0], odd[1], zero_if_small(sum)));
}

static uint32_t a[2][GEMM_MAX_DOT_ROWS * MAX_K], b[2][MAX_K * GEMM_MAX_LANES];
static float c[GEMM_MAX_DOT_ROWS * GEMM_MAX_LANES], before[GEMM_MAX_DOT_ROWS * GEMM_MAX_LANES];

static float reference_sum(const struct gemm_tile *tile, unsigned row, unsigned lane, size_t lanes, size_t chain)
{
	float sum = tile->add ? before[row * lanes + lane] : 0;

	for (unsigned p = 0; p < tile->n_parts; p++)
		for (size_t k = 0; k < tile->k; k += chain) {
			float part = chain < MAX_K ? 0 : sum;

			for (size_t i = k; i < k + chain && i < tile->k; i++)
				part = reference_dot(a[p][row * tile->a_stride + i], b[p][i * lanes + lane], part);
			sum = chain < MAX_K ? zero_if_small(sum + part) : part;
		}
	return sum;
}

/* Adds chains of even and of odd products, each from zero. */
static float reference_tiles(const struct gemm_tile *tile, unsigned row, unsigned lane, size_t lanes)
{
	float sum = tile->add ? before[row * lanes + lane] : 0;

	for (unsigned p = 0; p < tile->n_parts; p++)
		for (size_t k = 0; k < tile->k; k += GEMM_SHORT_PAIRS) {
			float even = 0, odd = 0;

			for (size_t i = k; i < k + GEMM_SHORT_PAIRS && i < tile->k; i++) {
				const uint32_t x = a[p][row * tile->a_stride + i], y = b[p][i * lanes + lane];

				even = reference_dot(x & 0xFFFF, y & 0xFFFF, even);
				odd = reference_dot(x & 0xFFFF0000, y & 0xFFFF0000, odd);
			}
			sum = zero_if_small(zero_if_small(sum) + zero_if_small(even + odd));
		}
	return sum;
}

static void check_dot(const struct gemm_kernel *kernel, enum spread spread, unsigned rows, size_t k, bool is_short)
{
	const struct gemm_part parts[2] = {{a[0], b[0]}, {a[1], b[1]}};
	const struct gemm_tile tile = {.parts = parts,
				       .n_parts = 1 + k % 2,
				       .rows = rows,
				       .k = k,
				       .a_stride = MAX_K,
				       .c_stride = kernel->lanes_dot,
				       .c = c,
				       .add = k % 3 == 0};

	for (unsigned p = 0; p < 2; p++) {
		for (size_t i = 0; i < GEMM_MAX_DOT_ROWS * MAX_K; i++)
			a[p][i] = half(spread) | half(spread) << 16;
		for (size_t i = 0; i < MAX_K * GEMM_MAX_LANES; i++)
			b[p][i] = half(spread) | half(spread) << 16;
	}
	for (size_t i = 0; i < GEMM_MAX_DOT_ROWS * GEMM_MAX_LANES; i++) {
		before[i] =
			spread == EDGE ? bf16_float_of((bits() & 0x807FFFFF) | (bits() % 4) << 23) : (float)uniform();
		c[i] = before[i];
	}
	if (kernel->begin)
		kernel->begin();
	(is_short ? kernel->bf16_short : kernel->bf16)(&tile);
	if (kernel->end)
		kernel->end();
	for (unsigned r = 0; r < rows; r++)
		for (unsigned lane = 0; lane < kernel->lanes_dot; lane++) {
			const float expected = kernel->tiled
						       ? reference_tiles(&tile, r, lane, kernel->lanes_dot)
						       : reference_sum(&tile, r, lane, kernel->lanes_dot,
								       is_short ? GEMM_SHORT_PAIRS : MAX_K);
			const float got = c[r * kernel->lanes_dot + lane];

			if (memcmp(&got, &expected, 4) != 0 && !(isnan(got) && isnan(expected)))
				fail_msg("%s, spread %d, rows %u, k %zu, short %d: expected %a, got %a", kernel->name,
					 spread, rows, k, is_short, expected, got);
		}
}

static void test_dot(const struct gemm_kernel *kernel)
{
	static const size_t ks[] = {0, 1, 2, 3, 15, 16, 17, 33, 64};

	for (enum spread spread = 0; spread < SPREADS; spread++)
		for (unsigned rows = 1; rows <= kernel->dot_rows; rows += rows < 6 ? 1 : 5)
			for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
				check_dot(kernel, spread, rows, ks[i], false);
				/* Short chains flush denormals elsewhere than plain ones, so inputs must not produce
				 * any. */
				if (spread == NEAR)
					check_dot(kernel, spread, rows, ks[i], true);
			}
}

static void test_reals(const struct gemm_kernel *kernel)
{
	static double wide_a[GEMM_MAX_ROWS * MAX_K], wide_b[MAX_K * GEMM_MAX_LANES],
		wide_c[GEMM_MAX_ROWS * GEMM_MAX_LANES];
	static float narrow_a[GEMM_MAX_ROWS * MAX_K], narrow_b[MAX_K * GEMM_MAX_LANES];

	for (size_t i = 0; i < GEMM_MAX_ROWS * MAX_K; i++)
		narrow_a[i] = (float)(wide_a[i] = (float)uniform());
	for (size_t i = 0; i < MAX_K * GEMM_MAX_LANES; i++)
		narrow_b[i] = (float)(wide_b[i] = (float)uniform());
	for (unsigned rows = 1; rows <= kernel->rows; rows++)
		for (size_t k = 0; k < MAX_K; k += 1 + k / 2)
			for (unsigned is_wide = 0; is_wide < 2; is_wide++) {
				const unsigned lanes = is_wide ? kernel->lanes_f64 : kernel->lanes_f32;
				struct gemm_part part = {narrow_a, narrow_b};
				struct gemm_tile tile = {.parts = &part,
							 .n_parts = 1,
							 .rows = rows,
							 .k = k,
							 .a_stride = MAX_K,
							 .c_stride = lanes,
							 .c = c,
							 .add = true};

				for (size_t i = 0; i < GEMM_MAX_ROWS * GEMM_MAX_LANES; i++)
					c[i] = (float)(wide_c[i] = 0.25);
				if (is_wide)
					part = (struct gemm_part){wide_a, wide_b}, tile.c = wide_c;
				(is_wide ? kernel->f64 : kernel->f32)(&tile);
				for (size_t i = 0; i < rows * lanes; i++) {
					const size_t r = i / lanes, lane = i % lanes;
					const double got = is_wide ? wide_c[i] : c[i], u = is_wide ? 0x1p-53 : 0x1p-24;
					long double sum = 0.25L, size = 0.25L;

					for (size_t j = 0; j < k; j++) {
						const long double p =
							(long double)wide_a[r * MAX_K + j] * wide_b[j * lanes + lane];

						sum += p;
						size += fabsl(p);
					}
					if (fabsl(got - sum) > 2 * (double)(k + 1) * u * (double)size)
						fail_msg("%s, f%d, rows %u, k %zu, %zu: expected %.17Lg, got %.17g",
							 kernel->name, is_wide ? 64 : 32, rows, k, i, sum, got);
				}
			}
}

static void test_slices(const struct gemm_kernel *kernel)
{
	enum { N = 62 };
	const struct gemm_vectors *v = kernel->vectors;
	const float one[2] = {1, 1};
	const double wide_one[2] = {1, 1};
	float x[N];
	double wide[N];
	uint32_t slices[7][N / 2];

	for (unsigned i = 0; i < N; i++) {
		x[i] = (float)uniform();
		wide[i] = uniform() + uniform() * 0x1p-31;
		wide[i] /= 4;
	}
	v->split_f32(x, N, one, 3, slices[0], N / 2);
	for (unsigned i = 0; i < N; i++) {
		float rest = x[i];

		for (unsigned s = 0; s < 3; s++)
			rest -= bf16_float_of(i % 2 ? slices[s][i / 2] & 0xFFFF0000 : slices[s][i / 2] << 16);
		if (rest != 0)
			fail_msg("%s: three slices leave %a of %a", kernel->name, rest, x[i]);
	}
	v->split_f64(wide, N, wide_one, 7, slices[0], N / 2);
	for (unsigned i = 0; i < N; i++) {
		double rest = wide[i];

		for (unsigned s = 0; s < 7; s++) {
			const double one_slice =
				bf16_float_of(i % 2 ? slices[s][i / 2] & 0xFFFF0000 : slices[s][i / 2] << 16);

			assert_true(one_slice == rint(one_slice) && fabs(one_slice) <= 128);
			rest -= ldexp(one_slice, -7 - 8 * (int)s);
		}
		if (fabs(rest) > 0x1p-56)
			fail_msg("%s: seven slices leave %a of %a", kernel->name, rest, wide[i]);
	}
	x[3] = -7.5f, x[20] = NAN, x[21] = INFINITY, wide[9] = -1e300, wide[10] = INFINITY, wide[11] = NAN;
	assert_true(v->max_abs_f32(x, N) == 7.5f);
	assert_true(v->max_abs_f64(wide, N) == 1e300);
	assert_true(v->max_abs_f32(x + 20, 2) == 0);
}

static void test_rounding(void **unused)
{
	(void)unused;
	for (uint64_t i = 0; i < UINT64_C(1) << 32; i += 257) {
		const uint32_t in = (uint32_t)i, out = bf16_round_bits(in);
		const double x = bf16_float_of(in), got = bf16_float_of(out);
		const double ulp = isfinite(x) && fabs(x) >= 0x1p-126 ? ldexp(1, ilogb(x) - 7) : 0;

		assert_int_equal(out & 0xFFFF, 0);
		if (isnan(x)   ? !isnan(got)
		    : ulp == 0 ? got != (isinf(x) ? x : 0)
			       : fabs(got) < 0x1p128 &&
					 (fabs(got - x) > ulp / 2 || (fabs(got - x) == ulp / 2 && (out >> 16 & 1))))
			fail_msg("%a (%08x) is rounded to %a", x, (unsigned)in, got);
	}
}

static void test_variants(void **unused)
{
	size_t n;
	const struct gemm_kernel *const *kernels = gemm_kernels(&n);

	(void)unused;
	assert_int_equal(kernels[n - 1]->needs, 0);
	for (size_t i = 0; i < n; i++) {
		if (kernels[i]->needs & ~cpu_detect()) {
			printf("# %s: not run, this CPU lacks it\n", kernels[i]->name);
			continue;
		}
		assert_ptr_equal(gemm_select(kernels[i]->needs), kernels[i]);
		test_dot(kernels[i]);
		test_reals(kernels[i]);
		test_slices(kernels[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_variants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
