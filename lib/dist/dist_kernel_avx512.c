/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the distributions on vectors of 512 bits. */
#define SIMD_AVX512
#include "dist/dist_kernel_body.h"
