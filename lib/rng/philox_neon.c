/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32-10 on vectors of 128 bits. */
#define SIMD_NEON
#define GENERATOR philox
#define ROUNDS    10

enum { BLOCKS = 2 };

#include "rng/philox_body.h"
