/* SPDX-License-Identifier: Apache-2.0 */
/* How a smooth length is cut into stages and radices.
 *
 * The choice depends only on the length and on `width`, FFT_WIDTH_BYTES in reals of the plan's precision. So a length
 * is cut the same way by every instruction set, which fixes the order of its roundings. */
#ifndef TRNSCI_FFT_FACTOR_H
#define TRNSCI_FFT_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "fft/kernels/kernel.h"

/* Returns whether n has no prime factor above 13, the largest radix. */
bool factor_is_smooth(uint64_t n);

/* Fills in everything but the tables, the layout and the sizes of buffers. n must be smooth. */
void factor_stages(uint64_t n, size_t width, struct fft_smooth *ret_smooth);

/* Lays the stages out for vectors of `lanes`: the padding of rows, the items of a stage, transforms that go together.
 * It changes no arithmetic. */
void factor_lay_out(struct fft_smooth *smooth, size_t lanes);

/* Returns the passes of a transform with flat_rows as those of one column. */
struct fft_columns factor_join_stages(const struct fft_smooth *smooth);

/* Returns the cheapest of some smooth lengths that are at least `least`, for a convolution. */
uint64_t factor_convolution(uint64_t least, size_t width);

/* Returns up to how many transforms of one stage are faster one by one than as lanes, in a variant that has flat_body.h or not. */
size_t factor_singles(const struct fft_smooth *smooth, size_t lanes, bool has_flat);

/* Estimates the vector operations of one transform. One-stage transforms share them: `lanes` run at once. */
double factor_cost(const struct fft_smooth *smooth, size_t lanes);
/* Estimates the vector operations of one item of a stage. */
double factor_item_cost(const struct fft_smooth *smooth, unsigned stage, size_t lanes);

#endif
