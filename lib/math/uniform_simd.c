/* SPDX-License-Identifier: Apache-2.0 */
/* The affine maps, written once over base/simd/simd.h: float64 arithmetic with one fma, then one rounding to the dtype.
 *
 * A result is held below `most` before it is rounded. That is the same as after: rounding is monotonic, and most is a
 * value of the dtype. */
#include <string.h>

#include "base/simd/simd.h"
#include "math/uniform.h"

#define NO_LIMIT __builtin_inf()

/* Returns the largest double below a finite high. */
static double below_f64(double high)
{
	int64_t bits;

	if (high == 0)
		return -0x1p-1074;
	memcpy(&bits, &high, sizeof bits);
	bits += high > 0 ? -1 : 1;
	memcpy(&high, &bits, sizeof bits);
	return high;
}

/* Returns the largest float below a finite high, which need not be a float itself. */
static double below_f32(double high)
{
	float nearest = (float)high;
	int32_t bits;

	if (nearest < high)
		return nearest;
	if (nearest == 0)
		return -0x1p-149;
	memcpy(&bits, &nearest, sizeof bits);
	bits += nearest > 0 ? -1 : 1;
	memcpy(&nearest, &bits, sizeof bits);
	return nearest;
}

/* Maps x to the smaller of x scale + shift and most, in place. */
static void map_f64(double *x, size_t n, double scale, double shift, double most)
{
	const f64v scales = f64_set(scale), shifts = f64_set(shift), limits = f64_set(most);
	double tail[F64_LANES] = {0};
	size_t i = 0;

	for (; i + F64_LANES <= n; i += F64_LANES)
		f64_store(x + i, f64_min(f64_fma(f64_load(x + i), scales, shifts), limits));
	if (i < n) {
		memcpy(tail, x + i, (n - i) * sizeof *x);
		f64_store(tail, f64_min(f64_fma(f64_load(tail), scales, shifts), limits));
		memcpy(x + i, tail, (n - i) * sizeof *x);
	}
}

static void map_f32(float *x, size_t n, double scale, double shift, double most)
{
	const f64v scales = f64_set(scale), shifts = f64_set(shift), limits = f64_set(most);
	float tail[F64_LANES] = {0};
	size_t i = 0;

	for (; i + F64_LANES <= n; i += F64_LANES)
		f64_store_f32(x + i, f64_min(f64_fma(f64_load_f32(x + i), scales, shifts), limits));
	if (i < n) {
		memcpy(tail, x + i, (n - i) * sizeof *x);
		f64_store_f32(tail, f64_min(f64_fma(f64_load_f32(tail), scales, shifts), limits));
		memcpy(x + i, tail, (n - i) * sizeof *x);
	}
}

/* struct uniform_kernel: uniforms to [low, high), samples to scale and shift. */
static void range_f32(float *x, size_t n, double low, double high)
{
	map_f32(x, n, high - low, low, below_f32(high));
}

static void range_f64(double *x, size_t n, double low, double high)
{
	map_f64(x, n, high - low, low, below_f64(high));
}

static void affine_f32(float *x, size_t n, double scale, double shift)
{
	map_f32(x, n, scale, shift, NO_LIMIT);
}

static void affine_f64(double *x, size_t n, double scale, double shift)
{
	map_f64(x, n, scale, shift, NO_LIMIT);
}

const struct uniform_kernel SIMD_SUFFIX(uniform) = {SIMD_NAME, SIMD_NEEDS, range_f32, range_f64, affine_f32, affine_f64};
