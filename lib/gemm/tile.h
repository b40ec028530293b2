/* SPDX-License-Identifier: Apache-2.0 */
/* What one call of a register kernel computes: a tile of the result, and the limits of its size. */
#ifndef TRNSCI_GEMM_TILE_H
#define TRNSCI_GEMM_TILE_H

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

enum { GEMM_EXACT_PARTS = 28, GEMM_EXACT_SUMS = 16 };

/* c += the weighted sums of an exact mode, in their order. A sum of parts is exact in float32; it is multiplied by its
 * weight, a power of two, and added to c in float64. */
struct gemm_exact {
	struct gemm_part parts[GEMM_EXACT_PARTS]; /* those of the first sum come first */
	struct gemm_exact_sum {
		unsigned n_parts;
		double weight;
	} sums[GEMM_EXACT_SUMS];
	unsigned n_sums, rows; /* rows: 1 to dot_rows */
	size_t k, a_stride;    /* pairs */
	double *c;             /* rows of lanes_dot, contiguous and aligned to 64 */
};

/* out = in times all panels, for rows of 2 k floats, k a multiple of 16, and panels that fill out's rows. Each row of
 * in is scaled by the power of two 2^-e that brings its largest magnitude to [0.5, 1), and its result by fraction 2^(e
 * + exponent). Rows lie in_row and out_row floats apart. out may be in, or must not overlap it. */
struct gemm_rows {
	const float *in;
	float *out;
	size_t rows, k, in_row, out_row;
	bool swaps; /* the parts of each complex number, on both sides */
	const uint32_t *panels;
	size_t n_panels;
	float fraction;
	int exponent;
	uint32_t *left; /* room for GEMM_LEFT_BLOCKS dot_rows rows of k pairs */
};

enum { GEMM_LEFT_BLOCKS = 2 };

/* Between these 2^e and 2^-e are normal floats, also times a fraction in [0.5, 1). */
enum { GEMM_LEAST_EXPONENT = -124, GEMM_MOST_EXPONENT = 124 };

enum { GEMM_MAX_ROWS = 6, GEMM_MAX_DOT_ROWS = 32, GEMM_MAX_LANES = 64 };

/* Pairs in one float32 chain of bf16_short; the sums of these chains are added in a chain of their own. */
enum { GEMM_SHORT_PAIRS = 16 };

#endif
