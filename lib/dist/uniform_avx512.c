/* SPDX-License-Identifier: Apache-2.0 */
/* The affine maps on vectors of 512 bits. */
#define SIMD_AVX512
#include "dist/uniform_body.h"
