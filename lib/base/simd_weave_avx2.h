/* SPDX-License-Identifier: Apache-2.0 */
/* Complex vectors of 256 bits. Included by base/simd_weave.h. */
#ifndef TRNSCI_BASE_SIMD_WEAVE_AVX2_H
#define TRNSCI_BASE_SIMD_WEAVE_AVX2_H

#include <stdbool.h>
#include <stddef.h>

/* split: gathers the firsts of the pairs in the low half, the seconds in the high half; join: back. */
typedef struct {
	__m256i split, join;
} f32_order_t;
typedef f32_order_t f64_order_t;

static inline f32_order_t f32_order(bool exchange)
{
	return exchange ? (f32_order_t){_mm256_setr_epi32(1, 3, 5, 7, 0, 2, 4, 6), _mm256_setr_epi32(4, 0, 5, 1, 6, 2, 7, 3)}
			: (f32_order_t){_mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)};
}

static inline f64_order_t f64_order(bool exchange)
{
	return exchange ? (f64_order_t){_mm256_setr_epi32(2, 3, 6, 7, 0, 1, 4, 5), _mm256_setr_epi32(4, 5, 0, 1, 6, 7, 2, 3)}
			: (f64_order_t){_mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7), _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7)};
}

static inline f64v f64_permute(f64v a, __m256i index)
{
	return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(a), index));
}

static inline void f32_split(f32_order_t order, f32v a, f32v b, f32v *re, f32v *im)
{
	a = _mm256_permutevar8x32_ps(a, order.split);
	b = _mm256_permutevar8x32_ps(b, order.split);
	*re = _mm256_permute2f128_ps(a, b, 0x20);
	*im = _mm256_permute2f128_ps(a, b, 0x31);
}

static inline void f64_split(f64_order_t order, f64v a, f64v b, f64v *re, f64v *im)
{
	a = f64_permute(a, order.split);
	b = f64_permute(b, order.split);
	*re = _mm256_permute2f128_pd(a, b, 0x20);
	*im = _mm256_permute2f128_pd(a, b, 0x31);
}

static inline void f32_join(f32_order_t order, f32v re, f32v im, f32v *a, f32v *b)
{
	*a = _mm256_permutevar8x32_ps(_mm256_permute2f128_ps(re, im, 0x20), order.join);
	*b = _mm256_permutevar8x32_ps(_mm256_permute2f128_ps(re, im, 0x31), order.join);
}

static inline void f64_join(f64_order_t order, f64v re, f64v im, f64v *a, f64v *b)
{
	*a = f64_permute(_mm256_permute2f128_pd(re, im, 0x20), order.join);
	*b = f64_permute(_mm256_permute2f128_pd(re, im, 0x31), order.join);
}

static inline __attribute__((always_inline)) void f32_transpose(f32v rows[F32_LANES])
{
	f32v t[8];

#pragma GCC unroll 2
	for (int i = 0; i < 8; i += 4) {
		const f32v a = _mm256_unpacklo_ps(rows[i], rows[i + 1]), b = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
		const f32v c = _mm256_unpacklo_ps(rows[i + 2], rows[i + 3]);
		const f32v d = _mm256_unpackhi_ps(rows[i + 2], rows[i + 3]);

		t[i] = _mm256_shuffle_ps(a, c, 0x44);
		t[i + 1] = _mm256_shuffle_ps(a, c, 0xee);
		t[i + 2] = _mm256_shuffle_ps(b, d, 0x44);
		t[i + 3] = _mm256_shuffle_ps(b, d, 0xee);
	}
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		rows[i] = _mm256_permute2f128_ps(t[i], t[i + 4], 0x20);
		rows[i + 4] = _mm256_permute2f128_ps(t[i], t[i + 4], 0x31);
	}
}

static inline __attribute__((always_inline)) void f64_transpose(f64v rows[F64_LANES])
{
	const f64v a = _mm256_unpacklo_pd(rows[0], rows[1]), b = _mm256_unpackhi_pd(rows[0], rows[1]);
	const f64v c = _mm256_unpacklo_pd(rows[2], rows[3]), d = _mm256_unpackhi_pd(rows[2], rows[3]);

	rows[0] = _mm256_permute2f128_pd(a, c, 0x20);
	rows[1] = _mm256_permute2f128_pd(b, d, 0x20);
	rows[2] = _mm256_permute2f128_pd(a, c, 0x31);
	rows[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

static inline f32v f32_reverse(f32v a)
{
	return _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

static inline f64v f64_reverse(f64v a)
{
	return _mm256_permute4x64_pd(a, 0x1b);
}

static inline __m256i f32_mask(size_t n)
{
	return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline __m256i f64_mask(size_t n)
{
	return _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)n), _mm256_setr_epi64x(0, 1, 2, 3));
}

static inline f32v f32_load_part(const float *at, size_t n) { return _mm256_maskload_ps(at, f32_mask(n)); }
static inline f64v f64_load_part(const double *at, size_t n) { return _mm256_maskload_pd(at, f64_mask(n)); }
static inline void f32_store_part(float *at, size_t n, f32v a) { _mm256_maskstore_ps(at, f32_mask(n), a); }
static inline void f64_store_part(double *at, size_t n, f64v a) { _mm256_maskstore_pd(at, f64_mask(n), a); }
static inline f32v f32_nmuladd(f32v a, f32v b, f32v c) { return _mm256_fnmadd_ps(a, b, c); }
static inline f64v f64_nmuladd(f64v a, f64v b, f64v c) { return _mm256_fnmadd_pd(a, b, c); }

#endif
