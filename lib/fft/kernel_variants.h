/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of the transform kernels, as kernel.c lists them: each defined by its own file from the bodies. */
#ifndef TRNSCI_FFT_KERNEL_VARIANTS_H
#define TRNSCI_FFT_KERNEL_VARIANTS_H

#include "fft/kernel.h"

#define FFT_VARIANT(suffix) extern const struct fft_ops fft_ops_f32_##suffix, fft_ops_f64_##suffix;
FFT_VARIANT(scalar)
FFT_VARIANT(avx2)
FFT_VARIANT(avx512)
#undef FFT_VARIANT

#endif
