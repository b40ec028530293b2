/* SPDX-License-Identifier: Apache-2.0 */
/* The table of arithmetics, and powers of two. */
#include "gemm/mode.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct gemm_mode modes[GEMM_PRECISIONS] = {
	[GEMM_F32] = {.name = "float32"},
	[GEMM_F64] = {.name = "float64", .wide = true},
	[GEMM_BF16] = {.name = "bf16", .slices = 1, .n_products = 1, .products = {{0, 0}}},
	[GEMM_OZAKI] = {.name = "ozaki", .slices = 2, .n_products = 3, .products = {{1, 0}, {0, 1}, {0, 0}}},
	[GEMM_OZAKI6] = {.name = "ozaki6",
			 .slices = 3,
			 .is_short = true,
			 .n_products = 6,
			 .products = {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}}},
	[GEMM_OZAKI_HQ] = {.name = "ozaki_hq", .wide = true, .slices = 5, .exact = true, .n_products = 15},
	[GEMM_OZAKI_FP64] = {.name = "ozaki_fp64", .wide = true, .slices = 7, .exact = true, .n_products = 28},
};

const struct gemm_mode *gemm_mode(enum gemm_precision precision)
{
	assert(precision < GEMM_PRECISIONS);
	return &modes[precision];
}

/* Beyond these, halves leave the range; the product is zero or infinite long before. */
enum { MOST_F32 = 250, MOST_F64 = 2040 };

static int clamp(int exponent, int most)
{
	return exponent > most ? most : exponent < -most ? -most : exponent;
}

/* By its bits: halves are never denormal. */
static float power_f32(int exponent)
{
	const uint32_t bits = (uint32_t)(exponent + 127) << 23;
	float power;

	memcpy(&power, &bits, sizeof power);
	return power;
}

static double power_f64(int exponent)
{
	const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
	double power;

	memcpy(&power, &bits, sizeof power);
	return power;
}

void gemm_power_f32(int exponent, float ret_factors[2])
{
	const int whole = clamp(exponent, MOST_F32), half = whole / 2;

	ret_factors[0] = power_f32(half);
	ret_factors[1] = power_f32(whole - half);
}

void gemm_power_f64(int exponent, double ret_factors[2])
{
	const int whole = clamp(exponent, MOST_F64), half = whole / 2;

	ret_factors[0] = power_f64(half);
	ret_factors[1] = power_f64(whole - half);
}

int gemm_exponent(double x)
{
	int exponent = 0;

	if (x > 0)
		frexp(x, &exponent);
	return exponent;
}
