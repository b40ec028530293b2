/* SPDX-License-Identifier: Apache-2.0 */
/* Philox on vectors of 256 bits. */
#define SIMD_AVX2

enum { BLOCKS = 1 };

#include "rng/philox_body.h"
