/* SPDX-License-Identifier: Apache-2.0 */
/* Box-Muller in plain C, and the table of its variants. */
#include "dist/box_muller.h"

#include <math.h>

/* ln u for u in (0, 1]: u = m 2^e with m in [2/3, 4/3), ln m = 2 artanh((m - 1) / (m + 1)). */
static double log_of(double u)
{
	double e = 0, sum = 0;

	for (; u < 2.0 / 3; e--)
		u *= 2;
	const double z = (u - 1) / (u + 1), zz = z * z;

	for (int k = 27; k >= 1; k -= 2)
		sum = fma(sum, zz, 1.0 / k);
	return fma(e, 0.69314718055994530942, 2 * z * sum);
}

/* sin and cos of pi / 2 y for |y| <= 1/2. */
static void sin_cos(double y, double *ret_sin, double *ret_cos)
{
	const double x = y * 1.57079632679489661923, xx = x * x;
	double s = 1, c = 1;

	for (int k = 20; k >= 2; k -= 2) {
		s = fma(-xx / (k * (k + 1)), s, 1);
		c = fma(-xx / (k * (k - 1)), c, 1);
	}
	*ret_sin = x * s;
	*ret_cos = c;
}

static void pair(double u0, double u1, double *ret_z)
{
	const double r = sqrt(-2 * log_of(u0)), quarter = rint(4 * u1);
	double s, c;

	sin_cos(4 * u1 - quarter, &s, &c);
	switch ((int)quarter & 3) {
	case 0: ret_z[0] = r * c; ret_z[1] = r * s; break;
	case 1: ret_z[0] = -r * s; ret_z[1] = r * c; break;
	case 2: ret_z[0] = -r * c; ret_z[1] = -r * s; break;
	default: ret_z[0] = r * s; ret_z[1] = -r * c; break;
	}
}

static void box_muller_f32_scalar(const float *uniforms, size_t n_pairs, float *ret_normals)
{
	for (size_t i = 0; i < 2 * n_pairs; i += 2) {
		double z[2];

		pair(uniforms[i] > 0 ? uniforms[i] : 0x1p-25, uniforms[i + 1], z);
		ret_normals[i] = (float)z[0];
		ret_normals[i + 1] = (float)z[1];
	}
}

static void box_muller_f64_scalar(const double *uniforms, size_t n_pairs, double *ret_normals)
{
	for (size_t i = 0; i < 2 * n_pairs; i += 2) {
		double z[2];

		pair(uniforms[i] > 0 ? uniforms[i] : 0x1p-54, uniforms[i + 1], z);
		ret_normals[i] = z[0];
		ret_normals[i + 1] = z[1];
	}
}

const struct box_muller_kernel box_muller_scalar = {"scalar", 0, box_muller_f32_scalar, box_muller_f64_scalar};

static const struct box_muller_kernel *const kernels[] = {
	&box_muller_scalar,
};

const struct box_muller_kernel *const *box_muller_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct box_muller_kernel *box_muller_select(uint32_t features)
{
	const struct box_muller_kernel *const *kernel = kernels;

	while ((*kernel)->needs & ~features)
		kernel++;
	return *kernel;
}
