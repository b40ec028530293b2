/* SPDX-License-Identifier: Apache-2.0 */
/* Halton's nested scrambling on vectors of 256 bits. */
#define SIMD_AVX2
#include "dist/halton_body.h"
