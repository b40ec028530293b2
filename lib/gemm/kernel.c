/* SPDX-License-Identifier: Apache-2.0 */
/* Product kernels in plain C, the reference, and the table of variants. */
#define ROWS    2
#define VECTORS 8
#include "gemm/kernel.h"
#include "gemm/kernel_bodies.h"

#include "base/kernel_table.h"

typedef uint32_t pairs;

static inline pairs pairs_load(const uint32_t *at) { return *at; }
static inline pairs pairs_set(uint32_t a) { return a; }

static inline float half_of(uint32_t bits)
{
	return bf16_float_of((bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits);
}

/* Returns fmaf(a, b, sum), with zero for tiny results: those that round to less than 2^-126 with an unbounded exponent.
 * The product is exact. Rounding the sum to double first is harmless: the product has 16 bits and sum 24, so bits that
 * a double cannot hold are too small to change the rounding to float. */
static inline float multiply_add(float a, float b, float sum)
{
	const double exact = (double)a * (double)b + (double)sum;
	const double least = 0x1p-126 - 0x1p-151;

	return (float)(exact > -least && exact < least ? 0 * exact : exact);
}

static inline float dot(pairs a, pairs b, float sum)
{
	sum = multiply_add(half_of(a & 0xFFFF0000), half_of(b & 0xFFFF0000), half_of(bf16_float_bits(sum)));
	return multiply_add(half_of(a << 16), half_of(b << 16), sum);
}

#include "gemm/dot_body.h"

const struct gemm_kernel gemm_scalar = {
	.name = "scalar",
	.rows = ROWS,
	.dot_rows = ROWS,
	.lanes_f32 = VECTORS,
	.lanes_f64 = VECTORS,
	.lanes_dot = VECTORS,
	.f32 = tile_any_f32,
	.f64 = tile_any_f64,
	.bf16 = dot_any,
	.bf16_short = short_any,
	.vectors = &loops,
	.mac_ns = 1,
	.dot_ns = 4,
};

#if defined(__x86_64__)
#define ROWS_OF_DOT &gemm_amx, &gemm_avx512bf16,
#else
#define ROWS_OF_DOT
#endif

KERNEL_TABLE(struct gemm_kernel, gemm, ROWS_OF_DOT KERNEL_ROWS_X86(gemm))
