/* SPDX-License-Identifier: Apache-2.0 */
/* Box-Muller on vectors of 512 bits. */
#define SIMD_AVX512
#include "dist/box_muller_body.h"
