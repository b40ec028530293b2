/* SPDX-License-Identifier: Apache-2.0 */
/* Panels on vectors of 128 bits. */
#define SIMD_NEON
#define PANEL_VECTORS 2
#define PANEL_FMA_NS  0.25
#include "gemm/panel_body.h"
