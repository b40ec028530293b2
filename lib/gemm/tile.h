/* SPDX-License-Identifier: Apache-2.0 */
/* What one call of a register kernel computes: a tile of the result, and the limits of its size. */
#ifndef TRNSCI_GEMM_TILE_H
#define TRNSCI_GEMM_TILE_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
