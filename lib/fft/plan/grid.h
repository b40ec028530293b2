/* SPDX-License-Identifier: Apache-2.0 */
/* The grid a transform stands on: the frequencies of its bins, and lengths that are fast. */
#ifndef TRNSCI_FFT_GRID_H
#define TRNSCI_FFT_GRID_H

#include <stdbool.h>
#include <stdint.h>

/* Cycles a unit of `spacing` in bin k of n: k, or k - n in the upper half, times 1 / (n spacing); a spectrum of reals
 * has bins 0 .. n/2, none of them negative. As numpy's fftfreq and rfftfreq, bit for bit. k < n. */
double fft_frequency(uint64_t n, uint64_t k, double spacing, bool real);

/* The least length >= n >= 1 whose transform needs no convolution: without a prime factor above 13, of real transforms
 * an even one. 0 when that passes FFT_MAX_LENGTH. */
uint64_t fft_fast_length(uint64_t n, bool real);

#endif
