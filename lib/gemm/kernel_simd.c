/* SPDX-License-Identifier: Apache-2.0 */
/* Product kernels on vectors, with dot products of bfloat16 pairs emulated. MAC_NS and DOT_NS are first values of what
 * a complex multiply-add takes; the engine corrects what follows from them by the chunks that it runs. */
#define ROWS 6
#if defined(SIMD_AVX512)
#define VECTORS 4
#define MAC_NS  0.07
#define DOT_NS  0.1
#else
#define VECTORS 2
#define MAC_NS  0.14
#define DOT_NS  0.2
#endif
#include "gemm/kernel.h"
#include "gemm/kernel_bodies.h"
#include "gemm/dot_emulated.h"

const struct gemm_kernel SIMD_SUFFIX(gemm) = {
	.name = SIMD_NAME,
	.needs = SIMD_NEEDS,
	.rows = ROWS,
	.dot_rows = ROWS,
	.lanes_f32 = VECTORS * F32_LANES,
	.lanes_f64 = VECTORS * F64_LANES,
	.lanes_dot = VECTORS * F32_LANES,
	.f32 = tile_any_f32,
	.f64 = tile_any_f64,
	.bf16 = dot_flushed,
	.bf16_short = short_flushed,
	.vectors = &loops,
	.mac_ns = MAC_NS,
	.dot_ns = DOT_NS,
};
