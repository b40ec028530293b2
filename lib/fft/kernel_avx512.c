/* SPDX-License-Identifier: Apache-2.0 */
/* Transform kernels on vectors of 512 bits. */
#define SIMD_AVX512
#include "fft/kernel_bodies.h"
