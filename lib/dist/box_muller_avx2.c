/* SPDX-License-Identifier: Apache-2.0 */
/* Box-Muller on vectors of 256 bits. */
#define SIMD_AVX2
#include "dist/box_muller_body.h"
