/* SPDX-License-Identifier: Apache-2.0 */
/* Panels on vectors of 512 bits. */
#define SIMD_AVX512
#define PANEL_VECTORS 2
#define PANEL_FMA_NS  0.06
#include "gemm/panel_body.h"
