/* SPDX-License-Identifier: Apache-2.0 */
/* Philox on vectors of 512 bits. */
#define SIMD_AVX512

enum { BLOCKS = 2 };

#include "rng/philox_body.h"
