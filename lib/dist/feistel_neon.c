/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed bijections on vectors of 128 bits. */
#define SIMD_NEON
#include "dist/feistel_body.h"
