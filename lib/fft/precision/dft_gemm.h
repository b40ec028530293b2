/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of n <= 256 as products with the matrix W[j][k] = exp(-2 pi i j k / n), in the arithmetics of lib/gemm.
 *
 * The plan is a struct fft_plan and everything in fft.h works on it. W comes from angles reduced as integers, in long
 * double, and is only then rounded or sliced. Each transform is scaled by a power of two that brings its largest finite
 * element to [0.5, 1), so nothing overflows or is flushed; NaN and infinity stay in their own transform. The inverse
 * is the forward transform with real and imaginary parts exchanged on both sides. */
#ifndef TRNSCI_FFT_DFT_GEMM_H
#define TRNSCI_FFT_DFT_GEMM_H

#include "fft/fft.h"
#include "gemm/mode.h"

/* refined (with GEMM_BF16): after the first transform y, the residual x - W^-1 y is made in float32, transformed and
 * added. Elements are float or, in wide modes, double pairs. As fft_plan_create; -ERROR_OUT_OF_RANGE for n > 256. */
int fft_plan_create_gemm(uint64_t n, enum gemm_precision precision, bool refined, uint32_t features,
			 struct fft_plan **ret_plan);

#endif
