/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed bijections on vectors of 512 bits. */
#define SIMD_AVX512
#include "dist/feistel_body.h"
