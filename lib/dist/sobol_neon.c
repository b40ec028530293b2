/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol's sequence on vectors of 128 bits. */
#define SIMD_NEON
#include "dist/sobol_body.h"
