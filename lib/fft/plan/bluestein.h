/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of any length, by a convolution of a smooth one. */
#ifndef TRNSCI_FFT_BLUESTEIN_H
#define TRNSCI_FFT_BLUESTEIN_H

#include "fft/fft.h"

/* Returns 0 with a plan that is the caller's, or -ERROR_NO_MEMORY. */
int fft_plan_create_bluestein(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);

#endif
