/* SPDX-License-Identifier: Apache-2.0 */
/* Halton's nested scrambling on vectors of 128 bits. */
#define SIMD_NEON
#include "dist/halton_body.h"
