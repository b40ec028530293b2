/* SPDX-License-Identifier: Apache-2.0 */
/* The affine maps on vectors of 128 bits. */
#define SIMD_NEON
#include "dist/uniform_body.h"
