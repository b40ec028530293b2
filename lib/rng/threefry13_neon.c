/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x32-13 on vectors of 128 bits. */
#define SIMD_NEON
#define GENERATOR threefry13
#define ROUNDS    13

enum { BLOCKS = 4 };

#include "rng/threefry_body.h"
