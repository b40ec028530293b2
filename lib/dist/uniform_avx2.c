/* SPDX-License-Identifier: Apache-2.0 */
/* The affine maps on vectors of 256 bits. */
#define SIMD_AVX2
#include "dist/uniform_body.h"
