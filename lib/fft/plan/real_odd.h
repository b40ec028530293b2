/* SPDX-License-Identifier: Apache-2.0 */
/* The half of real transforms that serves odd lengths; fft/real.h is their public face. */
#ifndef TRNSCI_FFT_REAL_ODD_H
#define TRNSCI_FFT_REAL_ODD_H

#include "fft/plan/shell.h"

/* Around (r + 1) / 2 complex transforms of n / r, r as fft_odd_radix says. */
extern const struct fft_shell fft_shell_odd;

/* The largest of 13, 11, 7, 5, 3 that divides n, or 1 where that does not pay. */
unsigned fft_odd_radix(uint64_t n);

#endif
