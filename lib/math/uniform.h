/* SPDX-License-Identifier: Apache-2.0 */
/* Affine maps of samples: uniforms to [low, high), and x to a x + b, in one rounding from float64 parameters. */
#ifndef TRNSCI_MATH_UNIFORM_H
#define TRNSCI_MATH_UNIFORM_H

#include <stddef.h>
#include <stdint.h>

/* All results are computed in float64 with one fma and rounded once to the dtype. */
struct uniform_kernel {
	const char *name;
	uint32_t needs;
	/* Maps u in [0, 1) to u (high - low) + low, in place; a result >= high becomes the next value below high.
	 * Requires low < high and a finite high - low. */
	void (*range_f32)(float *x, size_t n, double low, double high);
	void (*range_f64)(double *x, size_t n, double low, double high);
	/* Maps x to x scale + shift, in place. */
	void (*affine_f32)(float *x, size_t n, double scale, double shift);
	void (*affine_f64)(double *x, size_t n, double scale, double shift);
};

extern const struct uniform_kernel uniform_scalar, uniform_avx2, uniform_avx512, uniform_neon;

/* Returns all variants of this build, the fastest first, scalar last. */
const struct uniform_kernel *const *uniform_kernels(size_t *ret_count);

/* Returns the fastest variant that needs nothing beyond these CPU_ features. */
const struct uniform_kernel *uniform_select(uint32_t features);

#endif
