/* SPDX-License-Identifier: Apache-2.0 */
/* Which lengths the passes can do, and how a length is cut into stages and radices. All integer and constant
 * arithmetic: the same length is cut the same way on every run. */
#ifndef TRNSCI_FFT_FACTOR_H
#define TRNSCI_FFT_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "fft/kernels/kernel.h"

/* Has no prime factor above 13. */
bool factor_is_smooth(uint64_t n);

/* Fills in lengths, radices, m, reps, items and row; no tables. n is smooth. */
void factor_stages(uint64_t n, size_t lanes, struct fft_smooth *ret_smooth);

/* The best smooth length >= least for a convolution. */
uint64_t factor_convolution(uint64_t least, size_t lanes);

/* Vector operations a whole transform takes, estimated (for direct ones: its share of LANES at once). */
double factor_cost(const struct fft_smooth *smooth, size_t lanes);
/* The same for one item of a stage. */
double factor_item_cost(const struct fft_smooth *smooth, unsigned stage, size_t lanes);

#endif
