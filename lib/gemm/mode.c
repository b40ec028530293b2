/* SPDX-License-Identifier: Apache-2.0 */
/* The table of arithmetics, their error bounds, and powers of two. */
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

/* --- errors ---
 *
 * A sum of n rounded terms: gamma(n, u) of the terms' absolute sum, gamma = n u / (1 - n u) (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., section 3.1). For either part of a complex product of k elements these
 * are 2 k products of reals whose absolute sum is at most ||a|| ||b||, so both parts have the root of 2 of it. */

static const double ROOT2 = 1.4142135623730951, UNIT_F32 = 0x1p-24, UNIT_F64 = 0x1p-53;

/* Returns gamma(n, u), or infinity where it proves nothing. */
static double gamma_of(double n, double unit)
{
	return n * unit < 1 ? n * unit / (1 - n * unit) : INFINITY;
}

/* A slice is the rest rounded to eight bits: slice i is at most 2^-8i (1 + 2^-8) of a vector. A rest of 2^-(8 slices)
 * remains after all of them, and nothing of a float after three. Omitted are the slices - 1 pairs whose numbers add up
 * to `slices`, and fewer of each higher order. Sums are one chain over all products; in short modes chains have 32
 * terms, and their sums are added. AMX rounds less often in either. */
static double sliced_bound(const struct gemm_mode *mode, double k)
{
	const double slice = 0x1p-8, last = pow(slice, mode->slices), rest = mode->slices < 3 ? last : 0;
	const double left_out = (mode->slices - 1) * last * (1 + 4 * slice);
	const double weight = (1 + 3 * slice) * (1 + 3 * slice);
	const double roundings = mode->is_short ? 33 + mode->n_products * ceil(k / 16) : mode->n_products * 2 * k + 2;

	return 2 * rest + rest * rest + left_out + ROOT2 * weight * gamma_of(roundings, UNIT_F32);
}

/* Slices are integers on a common exponent, scaled so that the largest part of a row is in [1/2, 1): slice i is at most
 * 2^-8i in every part, and 2^-(8 slices) remains. A slice of 2 k such parts has the norm 2^-8i sqrt(2 k), the vector
 * itself at least 1/2. Omitted are slices - 1 pairs of order `slices`, and fewer of each higher one. Products are
 * exact; for each order and block of 128 at most 2 sums are added in float64. */
static double exact_bound(const struct gemm_mode *mode, double k)
{
	const double rest = ldexp(1, -8 * (int)mode->slices), norm = 2 * sqrt(2 * k);
	const double spread = 1 + norm * 0x1.02p-7, roundings = 2 * mode->slices * ceil(k / 128);
	const double left_out = (mode->slices - 1) * rest * 1.01 * norm * norm;

	return 2 * rest * norm + rest * rest * norm * norm + left_out +
	       ROOT2 * spread * spread * gamma_of(roundings, UNIT_F64);
}

double gemm_error_bound(enum gemm_precision precision, uint64_t k)
{
	const struct gemm_mode *mode = gemm_mode(precision);
	const double unit = mode->wide ? UNIT_F64 : UNIT_F32, terms = (double)k;
	/* The factors alpha and beta in float64, then the rounding to the type of c. */
	const double finish = 4 * UNIT_F64 + (mode->wide ? 0 : UNIT_F32);

	if (!mode->slices)
		return ROOT2 * gamma_of(2 * terms, unit) * (1 + finish) + finish;
	return (mode->exact ? exact_bound : sliced_bound)(mode, terms) * (1 + finish) + finish;
}

/* --- powers of two --- */

/* Within these exponents both factors are in range. Outside, the product is zero or infinite anyway. */
enum { MOST_F32 = 250, MOST_F64 = 2040 };

/* Limits an exponent to [-most, most]. */
static int clamp(int exponent, int most)
{
	return exponent > most ? most : exponent < -most ? -most : exponent;
}

/* Sets the bits of the exponent: the factors are never denormal. */
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

/* frexp gives x = f 2^e with f in [0.5, 1), also for denormal x. */
int gemm_exponent(double x)
{
	int exponent = 0;

	if (x > 0)
		frexp(x, &exponent);
	return exponent;
}
