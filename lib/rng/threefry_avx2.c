/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry on vectors of 256 bits. */
#define SIMD_AVX2

enum { BLOCKS = 4 };

#include "rng/threefry_body.h"
