/* SPDX-License-Identifier: Apache-2.0 */
/* Register kernels: a few rows times one panel, as products of reals.
 *
 * A complex row on the left is read as reals of twice the length (re, im, re, im). The complex matrix on the right is
 * spread over rows of reals: (Br, Bi, ...) for re[k] and (-Bi, Br, ...) for im[k]. So the results are complex pairs
 * without a shuffle. For bfloat16 the two rows are one row of pairs: (Br, -Bi), (Bi, Br).
 * Each element of the result is one chain of multiply-adds in the order of parts and k, so no byte depends on how many
 * rows or panels are computed at once. */
#ifndef TRNSCI_GEMM_KERNEL_H
#define TRNSCI_GEMM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows on the left, a_stride apart, and a panel of k rows. */
struct gemm_part {
	const void *a, *b;
};

/* c = sum over parts of a b, or c += with `add`. k and a_stride count reals; for the bf16 kernels they count pairs, and
 * c is float32. */
struct gemm_tile {
	const struct gemm_part *parts;
	unsigned n_parts, rows; /* rows: 1 to the kernel's rows or dot_rows */
	size_t k, a_stride, c_stride;
	void *c;
	bool add; /* the chains continue from c */
};

enum { GEMM_MAX_ROWS = 6, GEMM_MAX_DOT_ROWS = 32, GEMM_MAX_LANES = 64 };

/* Pairs in one float32 chain of bf16_short; the sums of these chains are added in a chain of their own. */
enum { GEMM_SHORT_PAIRS = 16 };

struct gemm_kernel {
	const char *name;
	uint32_t needs;
	unsigned rows, dot_rows;                  /* rows at once: of reals; of bf16 pairs */
	unsigned lanes_f32, lanes_f64, lanes_dot; /* in a row of a panel: floats, doubles, bf16 pairs */
	void (*f32)(const struct gemm_tile *tile);
	void (*f64)(const struct gemm_tile *tile);
	/* The arithmetic of VDPBF16PS: fma(even, even', fma(odd, odd', acc)), to nearest even, denormals read and
	 * written as zero. With `tiled` that of TDPBF16PS: acc + (chain of evens + chain of odds) for each
	 * GEMM_SHORT_PAIRS pairs. */
	void (*bf16)(const struct gemm_tile *tile);
	void (*bf16_short)(const struct gemm_tile *tile);
	bool tiled;
	void (*begin)(void), (*end)(void); /* enclose calls of bf16 and bf16_short in one thread; may be NULL */
	const struct gemm_vectors *vectors;
	double mac_ns, dot_ns; /* estimated time of a complex multiply-add: float32; bf16 */
};

/* Loops over rows before and after the products. n counts reals; the factor s is s[0] times s[1]. */
struct gemm_vectors {
	/* Return the largest magnitude of the finite elements. */
	float (*top_f32)(const float *x, size_t n);
	double (*top_f64)(const double *x, size_t n);
	void (*scale_f32)(const float *x, size_t n, const float s[2], float *to);
	void (*scale_f64)(const double *x, size_t n, const double s[2], double *to);
	/* Splits s x into a sum of bfloat16 numbers, each the rounded rest. Stores pairs; slices lie `stride` words
	 * apart. */
	void (*split_f32)(const float *x, size_t n, const float s[2], unsigned slices, uint32_t *to, size_t stride);
	/* Splits s x, at most 1 in magnitude, into a sum i_0 2^-7 + i_1 2^-15 ... of integers from -128 to 128. */
	void (*split_f64)(const double *x, size_t n, const double s[2], unsigned slices, uint32_t *to, size_t stride);
	/* Raise tops[i] to |x[i]| if that is finite and larger. */
	void (*raise_f32)(const float *x, size_t n, float *tops);
	void (*raise_f64)(const double *x, size_t n, double *tops);
	/* to[i] = x[i] first[i] second[i] */
	void (*weigh_f32)(const float *x, size_t n, const float *first, const float *second, float *to);
	void (*weigh_f64)(const double *x, size_t n, const double *first, const double *second, double *to);
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

extern const struct gemm_kernel gemm_scalar, gemm_avx2, gemm_avx512, gemm_avx512bf16, gemm_amx;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct gemm_kernel *const *gemm_kernels(size_t *ret_count);
const struct gemm_kernel *gemm_select(uint32_t features);

#endif
