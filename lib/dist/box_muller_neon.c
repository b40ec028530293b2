/* SPDX-License-Identifier: Apache-2.0 */
/* Box-Muller on vectors of 128 bits. */
#define SIMD_NEON
#include "dist/box_muller_body.h"
