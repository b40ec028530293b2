/* SPDX-License-Identifier: Apache-2.0 */
/* Complex float32 vectors of AArch64's Advanced SIMD; vectors of two float64 gain nothing over plain C. Included by
 * base/simd/simd_interleave.h. */
#ifndef TRNSCI_BASE_SIMD_INTERLEAVE_NEON_H
#define TRNSCI_BASE_SIMD_INTERLEAVE_NEON_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct {
	bool exchange;
} f32_order_t;

static inline f32_order_t f32_order(bool exchange) { return (f32_order_t){exchange}; }

static inline void f32_split(f32_order_t order, f32v a, f32v b, f32v *re, f32v *im)
{
	const f32v first = vuzp1q_f32(a, b), second = vuzp2q_f32(a, b);

	*re = order.exchange ? second : first;
	*im = order.exchange ? first : second;
}

static inline void f32_join(f32_order_t order, f32v re, f32v im, f32v *a, f32v *b)
{
	const f32v first = order.exchange ? im : re, second = order.exchange ? re : im;

	*a = vzip1q_f32(first, second);
	*b = vzip2q_f32(first, second);
}

static inline f32v f32_low_halves(f32v a, f32v b) { return f32_of_bits(u64_unpack_low(f32_bits(a), f32_bits(b))); }
static inline f32v f32_high_halves(f32v a, f32v b) { return f32_of_bits(u64_unpack_high(f32_bits(a), f32_bits(b))); }

static inline void f32_transpose(f32v rows[F32_LANES])
{
	const f32v a = vtrn1q_f32(rows[0], rows[1]), b = vtrn2q_f32(rows[0], rows[1]);
	const f32v c = vtrn1q_f32(rows[2], rows[3]), d = vtrn2q_f32(rows[2], rows[3]);

	rows[0] = f32_low_halves(a, c);
	rows[1] = f32_low_halves(b, d);
	rows[2] = f32_high_halves(a, c);
	rows[3] = f32_high_halves(b, d);
}

static inline void f32_gather_square(const float *pairs, size_t step, f32v *r, f32v *i)
{
#pragma GCC unroll 4
	for (int j = 0; j < F32_LANES; j++, pairs += step) {
		const float32x4x2_t row = vld2q_f32(pairs);

		r[j] = row.val[0];
		i[j] = row.val[1];
	}
	f32_transpose(r);
	f32_transpose(i);
}

static inline void f32_scatter_square(float *pairs, size_t step, const f32v *r, const f32v *i)
{
	f32v re[F32_LANES] = {r[0], r[1], r[2], r[3]}, im[F32_LANES] = {i[0], i[1], i[2], i[3]};

	f32_transpose(re);
	f32_transpose(im);
#pragma GCC unroll 4
	for (int j = 0; j < F32_LANES; j++, pairs += step)
		vst2q_f32(pairs, (float32x4x2_t){{re[j], im[j]}});
}

static inline f32v f32_reverse(f32v a)
{
	const f32v pairs = vrev64q_f32(a);

	return vextq_f32(pairs, pairs, 2);
}

static inline f32v f32_load_part(const float *at, size_t n)
{
	float part[F32_LANES] = {0};

	if (n == F32_LANES)
		return f32_load(at);
	memcpy(part, at, n * sizeof *at);
	return f32_load(part);
}

static inline void f32_store_part(float *at, size_t n, f32v a)
{
	float part[F32_LANES];

	if (n == F32_LANES) {
		f32_store(at, a);
		return;
	}
	f32_store(part, a);
	memcpy(at, part, n * sizeof *at);
}

static inline f32v f32_nmuladd(f32v a, f32v b, f32v c) { return vfmsq_f32(c, a, b); }

#endif
