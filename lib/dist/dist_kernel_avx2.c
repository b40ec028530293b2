/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the distributions on vectors of 256 bits. */
#define SIMD_AVX2
#include "dist/dist_kernel_body.h"
