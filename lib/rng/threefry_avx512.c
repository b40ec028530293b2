/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry on vectors of 512 bits. */
#define SIMD_AVX512

enum { BLOCKS = 4 };

#include "rng/threefry_body.h"
