/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of n <= 256 as products with the matrix W[j][k] = exp(-2 pi i j k / n), in the arithmetics of lib/gemm.
 *
 * Everything in fft.h works on such a plan. W is computed in long double from angles that are reduced in integers, and
 * then rounded or sliced. Each transform is scaled by the power of two that brings its largest finite element to [0.5,
 * 1), so nothing overflows or is flushed to zero. NaN and infinity stay in their own transform. The inverse is the
 * forward transform with real and imaginary parts exchanged on both sides. */
#ifndef TRNSCI_FFT_DFT_GEMM_H
#define TRNSCI_FFT_DFT_GEMM_H

#include "fft/fft.h"
#include "gemm/mode.h"

/* Creates a plan as fft_plan_create does; -ERROR_OUT_OF_RANGE for n > 256. Elements are pairs of floats, or of doubles
 * in wide modes. `refined` (with GEMM_BF16 only): after the first transform y, the residual x - W^-1 y is computed in
 * float32, transformed and added. */
int fft_plan_create_gemm(uint64_t n, enum gemm_precision precision, bool refined, uint32_t features,
			 struct fft_plan **ret_plan);

#endif
