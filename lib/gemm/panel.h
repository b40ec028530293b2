/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a real matrix with a few columns at a time, with the same bytes in every instruction set.
 *
 * A panel is PANEL_COLUMNS columns side by side: element (i, c) at [i * PANEL_COLUMNS + c]. Each element of a result is
 * one chain of fused multiply-adds in the order of the inner index that goes on from what stands there, so neither the
 * width of vectors nor how the inner index is cut changes a bit. The price is the error of a plain sum, n 2^-53. */
#ifndef TRNSCI_GEMM_PANEL_H
#define TRNSCI_GEMM_PANEL_H

#include <stddef.h>
#include <stdint.h>

enum { PANEL_COLUMNS = 16 };

/* Elements (r, i) at [r * row + i * column]. */
struct panel_matrix {
	const void *at;
	size_t row, column;
};

struct panel_kernel {
	const char *name;
	uint32_t needs;
	unsigned columns; /* counts of columns are multiples of this, which divides PANEL_COLUMNS */
	double fma_ns;    /* of a fused multiply-add, about */
	/* y += a x: rows of y, n of x; x and y point at the first of their columns and do not overlap a. */
	void (*multiply_f32)(struct panel_matrix a, size_t rows, size_t n, const double *x, unsigned columns,
			     double *y);
	void (*multiply_f64)(struct panel_matrix a, size_t rows, size_t n, const double *x, unsigned columns,
			     double *y);
	/* sums[c] += x[i][c] y[i][c] over the rows. */
	void (*dots)(const double *x, const double *y, size_t rows, unsigned columns, double *sums);
	/* x[i][j] -= h[c] x[i][c] over c < j, row by row; and x[i][j] *= by. */
	void (*deflate)(double *x, size_t rows, unsigned j, const double *h);
	void (*scale)(double *x, size_t rows, unsigned j, double by);
};

extern const struct panel_kernel panel_scalar, panel_avx2, panel_avx512, panel_neon;

const struct panel_kernel *const *panel_kernels(size_t *ret_count);
const struct panel_kernel *panel_select(uint32_t features);

#endif
