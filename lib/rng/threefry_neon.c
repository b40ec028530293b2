/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x32-20 on vectors of 128 bits. */
#define SIMD_NEON
#define GENERATOR threefry
#define ROUNDS    20

enum { BLOCKS = 4 };

#include "rng/threefry_body.h"
