/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the distributions on vectors of 128 bits. */
#define SIMD_NEON
#include "dist/dist_kernel_body.h"
