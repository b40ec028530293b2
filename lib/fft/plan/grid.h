/* SPDX-License-Identifier: Apache-2.0 */
/* The frequencies of a transform's bins, and the lengths that transform fast. */
#ifndef TRNSCI_FFT_GRID_H
#define TRNSCI_FFT_GRID_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the frequency of bin k < n, in cycles per unit of `spacing`: k / (n spacing), or (k - n) / (n spacing) in the
 * upper half. A real spectrum (`real`) has bins 0 to n/2, none of them negative. The bits are those of numpy's fftfreq
 * and rfftfreq. */
double fft_frequency(uint64_t n, uint64_t k, double spacing, bool real);

/* Returns the least length >= n without a prime factor above 13, which needs no convolution; for real transforms the
 * least even one. Returns 0 if n is 0 or the length would exceed FFT_MAX_LENGTH. */
uint64_t fft_fast_length(uint64_t n, bool real);

#endif
