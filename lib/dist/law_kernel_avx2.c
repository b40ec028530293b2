/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the laws on vectors of 256 bits. */
#define SIMD_AVX2
#include "dist/law_kernel_body.h"
