/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol's sequence on vectors of 256 bits. */
#define SIMD_AVX2
#include "dist/sobol_body.h"
