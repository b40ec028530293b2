/* SPDX-License-Identifier: Apache-2.0 */
/* Product kernels on vectors of 512 bits, with the CPU's own dot product of bfloat16 pairs. */
#define ROWS    6
#define VECTORS 4
#include "gemm/kernel.h"
#include "gemm/kernel_bodies.h"
#include "gemm/split_bf16.h"

typedef __m512bh pairs;

static inline pairs pairs_load(const uint32_t *at) { return (__m512bh)_mm512_loadu_si512(at); }
static inline pairs pairs_set(uint32_t a) { return (__m512bh)_mm512_set1_epi32((int)a); }
static inline f32v dot(pairs a, pairs b, f32v sum) { return _mm512_dpbf16_ps(sum, a, b); }

#include "gemm/dot_body.h"
#include "gemm/rows_bf16.h"

const struct gemm_kernel gemm_avx512bf16 = {
	.name = "avx512bf16",
	.needs = CPU_AVX2 | CPU_AVX512 | CPU_AVX512_BF16,
	.rows = ROWS,
	.dot_rows = ROWS,
	.lanes_f32 = VECTORS * F32_LANES,
	.lanes_f64 = VECTORS * F64_LANES,
	.lanes_dot = VECTORS * F32_LANES,
	.f32 = tile_any_f32,
	.f64 = tile_any_f64,
	.bf16 = dot_any,
	.bf16_short = short_any,
	.bf16_rows = multiply_rows,
	.vectors = &split_loops,
	.mac_ns = 0.07,
	.dot_ns = 0.035,
};
