/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol's sequence on vectors of 512 bits. */
#define SIMD_AVX512
#include "dist/sobol_body.h"
