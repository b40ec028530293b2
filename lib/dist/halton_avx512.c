/* SPDX-License-Identifier: Apache-2.0 */
/* Halton's nested scrambling on vectors of 512 bits. */
#define SIMD_AVX512
#include "dist/halton_body.h"
