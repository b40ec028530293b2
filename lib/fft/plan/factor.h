/* SPDX-License-Identifier: Apache-2.0 */
/* How a smooth length is cut into stages and radices.
 *
 * The choice depends on the length and the lanes of a vector only, through integers and constants. So the same length
 * is cut the same way on every run, which fixes the order of its roundings. */
#ifndef TRNSCI_FFT_FACTOR_H
#define TRNSCI_FFT_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "fft/kernels/kernel.h"

/* Returns whether n has no prime factor above 13, the largest radix. */
bool factor_is_smooth(uint64_t n);

/* Fills in everything but the tables and the sizes of buffers. n must be smooth. */
void factor_stages(uint64_t n, size_t lanes, struct fft_smooth *ret_smooth);

/* Returns the cheapest of some smooth lengths that are at least `least`, for a convolution. */
uint64_t factor_convolution(uint64_t least, size_t lanes);

/* Estimates the vector operations of one transform. One-stage transforms share them: `lanes` run at once. */
double factor_cost(const struct fft_smooth *smooth, size_t lanes);
/* Estimates the vector operations of one item of a stage. */
double factor_item_cost(const struct fft_smooth *smooth, unsigned stage, size_t lanes);

#endif
