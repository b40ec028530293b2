/* SPDX-License-Identifier: Apache-2.0 */
/* Complex plans of any length. */
#ifndef TRNSCI_FFT_CREATE_H
#define TRNSCI_FFT_CREATE_H

#include "fft/fft.h"

/* Does as fft_plan_create without its bound on n, since a convolution is longer than its transform. */
int fft_plan_create_inner(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);

#endif
