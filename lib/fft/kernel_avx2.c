/* SPDX-License-Identifier: Apache-2.0 */
/* Transform kernels on vectors of 256 bits. */
#define SIMD_AVX2
#include "fft/kernel_bodies.h"
