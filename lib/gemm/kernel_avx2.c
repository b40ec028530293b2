/* SPDX-License-Identifier: Apache-2.0 */
/* Product kernels on vectors of 256 bits. */
#define SIMD_AVX2
#define ROWS    6
#define VECTORS 2
#include "gemm/kernel_bodies.h"
#include "gemm/dot_emulated.h"

#include "gemm/kernel_variants.h"

const struct gemm_kernel gemm_kernel_avx2 = {
	.name = "avx2",
	.needs = CPU_AVX2,
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
	.mac_ns = 0.14,
	.dot_ns = 0.2,
};
