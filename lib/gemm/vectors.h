/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over rows of reals that surround the register kernels: they find magnitudes, scale, split and spread. */
#ifndef TRNSCI_GEMM_VECTORS_H
#define TRNSCI_GEMM_VECTORS_H

#include <stddef.h>
#include <stdint.h>

/* Loops over rows before and after the products. n counts reals; the factor s is s[0] times s[1]. */
struct gemm_vectors {
	/* Return the largest magnitude of the finite elements. */
	float (*max_abs_f32)(const float *x, size_t n);
	double (*max_abs_f64)(const double *x, size_t n);
	void (*scale_f32)(const float *x, size_t n, const float s[2], float *to);
	void (*scale_f64)(const double *x, size_t n, const double s[2], double *to);
	/* Splits s x into a sum of bfloat16 numbers, each the rounded rest. Stores pairs; slices lie `stride` words
	 * apart. */
	void (*split_f32)(const float *x, size_t n, const float s[2], unsigned slices, uint32_t *to, size_t stride);
	/* Splits s x, at most 1 in magnitude, into a sum i_0 2^-7 + i_1 2^-15 ... of integers from -128 to 128. */
	void (*split_f64)(const double *x, size_t n, const double s[2], unsigned slices, uint32_t *to, size_t stride);
	/* Raise max_abs[i] to |x[i]| if that is finite and larger. */
	void (*update_max_abs_f32)(const float *x, size_t n, float *max_abs);
	void (*update_max_abs_f64)(const double *x, size_t n, double *max_abs);
	/* to[i] = x[i] first[i] second[i] */
	void (*multiply_f32)(const float *x, size_t n, const float *first, const float *second, float *to);
	void (*multiply_f64)(const double *x, size_t n, const double *first, const double *second, double *to);
	/* Spread n / 2 complex numbers over the two rows of a panel, or over one row of pairs. */
	void (*spread_f32)(const float *x, size_t n, float *to_re, float *to_im);
	void (*spread_f64)(const double *x, size_t n, double *to_re, double *to_im);
	void (*spread_pairs)(const uint32_t *x, size_t n, uint32_t *to);
	/* to[i] += s c[i] */
	void (*gather)(const float *c, size_t n, double s, double *to);
	/* to[i] = s x[i], rounded to float32 by narrow; x and to must not overlap. */
	void (*narrow)(const double *x, size_t n, const double s[2], float *to);
	void (*widen)(const float *x, size_t n, const double s[2], double *to);
};

#endif
