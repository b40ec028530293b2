/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the laws on vectors of 128 bits. */
#define SIMD_NEON
#include "dist/law_kernel_body.h"
