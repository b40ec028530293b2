/* SPDX-License-Identifier: Apache-2.0 */
/* Products of packed rows with packed panels, in any of the arithmetics.
 *
 * A packed left side has `slices` times `rows` rows of k complex elements; a packed panel has `slices` times k rows of
 * panel_columns complex elements, spread as kernel.h says. Both scaled so that no element is above 1. Any thread. */
#ifndef TRNSCI_GEMM_PRODUCT_H
#define TRNSCI_GEMM_PRODUCT_H

#include "gemm/kernel.h"
#include "gemm/mode.h"

/* An arithmetic on a variant, for k complex elements in a chain. */
struct gemm_shape {
	const struct gemm_kernel *kernel;
	const struct gemm_mode *mode;
	size_t k;
};

enum { GEMM_MAX_K = 256 }; /* beyond it, exact modes would round */

/* Reals of a row of a panel, as they come out of a product; complex columns are half of it. */
size_t gemm_lanes(const struct gemm_shape *shape);

size_t gemm_left_bytes(const struct gemm_shape *shape, size_t rows);
size_t gemm_panel_bytes(const struct gemm_shape *shape);

/* Row `row` of a left side of `rows`, from k complex numbers (float, or double where the mode is wide) that are
 * multiplied by 2^-exponent first. */
void gemm_put_row(const struct gemm_shape *shape, const void *x, int exponent, void *left, size_t rows, size_t row);

/* Row k of a panel from `columns` complex numbers, at most 1 in size if the mode has slices; zeros fill it. */
void gemm_put_panel_row(const struct gemm_shape *shape, const void *x, size_t columns, void *panel, size_t k);

/* Element (k, column) of a panel, slice by slice: bfloat16 values, or for plain reals the one number. */
void gemm_put_element(const struct gemm_shape *shape, void *panel, size_t k, size_t column, const double (*slices)[2]);

/* x as slices of the mode, as gemm_put_element takes them; |x| <= 1. */
void gemm_slice(const struct gemm_mode *mode, long double x, double ret_slices[GEMM_MAX_SLICES]);

/* Around any number of products in one thread. */
void gemm_begin(const struct gemm_shape *shape);
void gemm_end(const struct gemm_shape *shape);

/* c (+)= left panel: rows [first, first + count) of a left side of `rows`; c has `count` rows of gemm_lanes reals
 * (float, or double where the mode is wide), c_row reals apart; exact modes: gemm_lanes apart, aligned to 64. */
void gemm_product(const struct gemm_shape *shape, const void *left, size_t rows, size_t first, size_t count,
		  const void *panel, bool add, void *c, size_t c_row);

/* The same of rows of reals as they lie, a_row reals apart, with results c_row reals apart; a mode without slices. */
void gemm_product_of_rows(const struct gemm_shape *shape, const void *a, size_t a_row, size_t count, const void *panel,
			  void *c, size_t c_row);

/* Rows that the kernel takes at once. */
size_t gemm_rows_at_once(const struct gemm_shape *shape);

/* About the time of a complex multiply-add. */
double gemm_cost_ns(const struct gemm_shape *shape);

#endif
