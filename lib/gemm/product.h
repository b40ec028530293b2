/* SPDX-License-Identifier: Apache-2.0 */
/* Products of packed rows with packed panels, in any of the arithmetics (gemm/mode.h). Any thread.
 *
 * A packed left operand has `slices` times `rows` rows of k complex elements. A packed panel has `slices` times k rows
 * of gemm_lanes / 2 complex elements, spread as gemm/kernel.h describes. Both are scaled so that no element exceeds 1.
 */
#ifndef TRNSCI_GEMM_PRODUCT_H
#define TRNSCI_GEMM_PRODUCT_H

#include "gemm/kernel.h"
#include "gemm/mode.h"

/* An arithmetic on one variant of the kernels, for chains of k complex elements. */
struct gemm_shape {
	const struct gemm_kernel *kernel;
	const struct gemm_mode *mode;
	size_t k;
};

enum { GEMM_MAX_K = 256 }; /* a longer chain would round in exact modes */

/* Returns the reals in a row of a panel, and of a result: twice the complex columns. */
size_t gemm_lanes(const struct gemm_shape *shape);

/* Return the bytes of a packed left operand of `rows` rows, and of a packed panel. */
size_t gemm_left_bytes(const struct gemm_shape *shape, size_t rows);
size_t gemm_panel_bytes(const struct gemm_shape *shape);

/* Packs row `row` of a left operand of `rows` rows from k complex numbers (float, or double if the mode is wide), which
 * it first multiplies by 2^-exponent. */
void gemm_put_row(const struct gemm_shape *shape, const void *x, int exponent, void *left, size_t rows, size_t row);

/* Packs row k of a panel from `columns` complex numbers, at most 1 in magnitude if the mode has slices. Fills the rest
 * of the row with zeros. */
void gemm_put_panel_row(const struct gemm_shape *shape, const void *x, size_t columns, void *panel, size_t k);

/* Stores element (k, column) of a panel, one value for each slice: bfloat16 values, or one real without slices. */
void gemm_put_element(const struct gemm_shape *shape, void *panel, size_t k, size_t column, const double (*slices)[2]);

/* Splits x, |x| <= 1, into the slices of the mode, for gemm_put_element. */
void gemm_slice(const struct gemm_mode *mode, long double x, double ret_slices[GEMM_MAX_SLICES]);

/* Enclose any number of products in one thread: AMX loads and releases its tiles here. */
void gemm_begin(const struct gemm_shape *shape);
void gemm_end(const struct gemm_shape *shape);

/* Multiplies rows [first, first + count) of a left operand of `rows` rows by a panel, and stores the products in c or,
 * with `add`, adds them to it. c has `count` rows of gemm_lanes reals (float, or double if the mode is wide), c_row
 * reals apart; exact modes need c_row = gemm_lanes and alignment to 64. */
void gemm_product(const struct gemm_shape *shape, const void *left, size_t rows, size_t first, size_t count,
		  const void *panel, bool add, void *c, size_t c_row);

/* As gemm_product, for unpacked rows that lie a_row reals apart. Only for modes without slices. */
void gemm_product_of_rows(const struct gemm_shape *shape, const void *a, size_t a_row, size_t count, const void *panel,
			  void *c, size_t c_row);

/* Returns the rows that the kernel multiplies at once. */
size_t gemm_rows_at_once(const struct gemm_shape *shape);

/* Estimates the time of a complex multiply-add. */
double gemm_cost_ns(const struct gemm_shape *shape);

#endif
