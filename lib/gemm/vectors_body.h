/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over rows in plain C, which each variant's compiler flags make vectors of. */
#include "gemm/bf16.h"
#include "gemm/kernel.h"

static float top_f32(const float *x, size_t n)
{
	uint32_t top = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t bits = bf16_float_bits(x[i]) & 0x7FFFFFFF;

		bits = bits < 0x7F800000 ? bits : 0;
		top = bits > top ? bits : top;
	}
	return bf16_float_of(top);
}

static double top_f64(const double *x, size_t n)
{
	double top = 0;

	for (size_t i = 0; i < n; i++) {
		const double size = x[i] < 0 ? -x[i] : x[i];

		top = size > top && size <= 0x1.fffffffffffffp1023 ? size : top;
	}
	return top;
}

static void scale_f32(const float *x, size_t n, const float s[2], float *to)
{
	const float s0 = s[0], s1 = s[1];

	for (size_t i = 0; i < n; i++)
		to[i] = x[i] * s0 * s1;
}

static void scale_f64(const double *x, size_t n, const double s[2], double *to)
{
	const double s0 = s[0], s1 = s[1];

	for (size_t i = 0; i < n; i++)
		to[i] = x[i] * s0 * s1;
}

static void split_f32(const float *x, size_t n, const float s[2], unsigned slices, uint32_t *to, size_t stride)
{
	const float s0 = s[0], s1 = s[1];

	for (size_t i = 0; i < n; i += 2) {
		float re = x[i] * s0 * s1, im = x[i + 1] * s0 * s1;

		for (unsigned slice = 0; slice < slices; slice++) {
			const uint32_t even = bf16_round_bits(bf16_float_bits(re));
			const uint32_t odd = bf16_round_bits(bf16_float_bits(im));

			to[slice * stride + i / 2] = bf16_pair(even, odd);
			re -= bf16_float_of(even);
			im -= bf16_float_of(odd);
		}
	}
}

/* To the nearest integer, for magnitudes below 2^51. */
static inline double nearest(double x)
{
	return x + 0x1.8p52 - 0x1.8p52;
}

static void split_f64(const double *x, size_t n, const double s[2], unsigned slices, uint32_t *to, size_t stride)
{
	const double s0 = s[0], s1 = s[1];

	for (size_t i = 0; i < n; i += 2) {
		double re = x[i] * s0 * s1 * 128, im = x[i + 1] * s0 * s1 * 128;

		for (unsigned slice = 0; slice < slices; slice++) {
			const double even = nearest(re), odd = nearest(im);

			to[slice * stride + i / 2] =
				bf16_pair(bf16_float_bits((float)even), bf16_float_bits((float)odd));
			re = (re - even) * 256;
			im = (im - odd) * 256;
		}
	}
}

static void gather(const float *c, size_t n, double s, double *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] += s * c[i];
}

static const struct gemm_vectors loops = {top_f32, top_f64, scale_f32, scale_f64, split_f32, split_f64, gather};
