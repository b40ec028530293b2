/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a real matrix with a few columns, with the same bytes in every instruction set.
 *
 * A panel is PANEL_COLUMNS columns side by side: element (i, c) at [i * PANEL_COLUMNS + c]. Each element of a result is
 * one chain of fused multiply-adds in the order of the inner index, which continues from the value in memory. So
 * neither the width of vectors nor the way the inner index is cut changes a bit. The price is the error of a plain sum,
 * n 2^-53. */
#ifndef TRNSCI_GEMM_PANEL_H
#define TRNSCI_GEMM_PANEL_H

#include <stddef.h>
#include <stdint.h>

enum { PANEL_COLUMNS = 16 };

/* A matrix whose element (r, i) lies at [r * row + i * column]. */
struct panel_matrix {
	const void *at;
	size_t row, column;
};

struct panel_kernel {
	const char *name;
	uint32_t needs;
	unsigned columns; /* column counts are multiples of this; it divides PANEL_COLUMNS */
	double fma_ns;    /* estimated time of a fused multiply-add */
	/* y += a x for `rows` rows of y and n rows of x, `columns` columns from x and y on. None of them overlap. */
	void (*multiply_f32)(struct panel_matrix a, size_t rows, size_t n, const double *x, unsigned columns,
			     double *y);
	void (*multiply_f64)(struct panel_matrix a, size_t rows, size_t n, const double *x, unsigned columns,
			     double *y);
	/* sums[c] += x[i][c] y[i][c] over the rows. */
	void (*dots)(const double *x, const double *y, size_t rows, unsigned columns, double *sums);
	/* deflate: x[i][j] -= h[c] x[i][c] for each c < j, in every row. scale: x[i][j] *= by. */
	void (*deflate)(double *x, size_t rows, unsigned j, const double *h);
	void (*scale)(double *x, size_t rows, unsigned j, double by);
};

extern const struct panel_kernel panel_scalar, panel_avx2, panel_avx512, panel_neon;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct panel_kernel *const *panel_kernels(size_t *ret_count);
const struct panel_kernel *panel_select(uint32_t features);

#endif
