/* SPDX-License-Identifier: Apache-2.0 */
/* Real transforms of odd length; real.h is their interface. */
#ifndef TRNSCI_FFT_REAL_ODD_H
#define TRNSCI_FFT_REAL_ODD_H

#include "fft/plan/wrapper.h"

/* Wraps (r + 1) / 2 complex transforms of n / r, r = fft_odd_radix(n). */
extern const struct fft_wrapper fft_wrapper_odd;

/* Returns the largest of 13, 11, 7, 5, 3 that divides n, or 1 if cutting n would be slower. */
unsigned fft_odd_radix(uint64_t n);

#endif
