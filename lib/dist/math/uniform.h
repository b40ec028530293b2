/* SPDX-License-Identifier: Apache-2.0 */
/* Affine maps of samples: uniforms to [low, high), and x to a x + b, in one rounding from float64 parameters. */
#ifndef TRNSCI_DIST_UNIFORM_H
#define TRNSCI_DIST_UNIFORM_H

#include <stddef.h>
#include <stdint.h>

/* range_*: in place, u in [0, 1) to fma(u, high - low, low) computed in float64 and rounded once to the dtype; a
 * result >= high becoming the next value below high (low < high, high - low finite). affine_*: in place, x to fma(x,
 * scale, shift), computed in float64 and rounded once. */
struct uniform_kernel {
	const char *name;
	uint32_t needs;
	void (*range_f32)(float *x, size_t n, double low, double high);
	void (*range_f64)(double *x, size_t n, double low, double high);
	void (*affine_f32)(float *x, size_t n, double scale, double shift);
	void (*affine_f64)(double *x, size_t n, double scale, double shift);
	/* x + scale y, computed in float64 with one fma and rounded once; ret may be x or y. */
	void (*add_f32)(const float *x, const float *y, size_t n, double scale, float *ret);
	void (*add_f64)(const double *x, const double *y, size_t n, double scale, double *ret);
};

extern const struct uniform_kernel uniform_scalar, uniform_avx2, uniform_avx512, uniform_neon;

const struct uniform_kernel *const *uniform_kernels(size_t *ret_count);
const struct uniform_kernel *uniform_select(uint32_t features);

#endif
