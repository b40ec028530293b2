/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed bijections on vectors of 256 bits. */
#define SIMD_AVX2
#include "dist/feistel_body.h"
