/* SPDX-License-Identifier: Apache-2.0 */
/* Panels on vectors of 256 bits. */
#define SIMD_AVX2
#define PANEL_VECTORS 2
#define PANEL_FMA_NS  0.08
#include "gemm/panel_body.h"
