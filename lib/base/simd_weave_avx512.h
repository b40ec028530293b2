/* SPDX-License-Identifier: Apache-2.0 */
/* Complex vectors of 512 bits. Included by base/simd_weave.h. */
#ifndef TRNSCI_BASE_SIMD_WEAVE_AVX512_H
#define TRNSCI_BASE_SIMD_WEAVE_AVX512_H

#include <stdbool.h>
#include <stddef.h>

/* Indices of two-source permutations; the two members of a pair differ in the lowest index bit, the two sources of a
 * join in the bit above the lanes. */
typedef struct {
	__m512i first, second, low, high;
} f32_order_t;
typedef f32_order_t f64_order_t;

static inline f32_order_t f32_order(bool exchange)
{
	const __m512i first = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
	const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
	const __m512i flip = _mm512_set1_epi32(exchange ? 1 : 0), other = _mm512_set1_epi32(exchange ? 16 : 0);

	return (f32_order_t){
		_mm512_xor_si512(first, flip),
		_mm512_xor_si512(_mm512_or_si512(first, _mm512_set1_epi32(1)), flip),
		_mm512_xor_si512(low, other),
		_mm512_xor_si512(_mm512_or_si512(low, _mm512_set1_epi32(8)), other),
	};
}

static inline f64_order_t f64_order(bool exchange)
{
	const __m512i first = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
	const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
	const __m512i flip = _mm512_set1_epi64(exchange ? 1 : 0), other = _mm512_set1_epi64(exchange ? 8 : 0);

	return (f64_order_t){
		_mm512_xor_si512(first, flip),
		_mm512_xor_si512(_mm512_or_si512(first, _mm512_set1_epi64(1)), flip),
		_mm512_xor_si512(low, other),
		_mm512_xor_si512(_mm512_or_si512(low, _mm512_set1_epi64(4)), other),
	};
}

static inline void f32_split(f32_order_t order, f32v a, f32v b, f32v *re, f32v *im)
{
	*re = _mm512_permutex2var_ps(a, order.first, b);
	*im = _mm512_permutex2var_ps(a, order.second, b);
}

static inline void f64_split(f64_order_t order, f64v a, f64v b, f64v *re, f64v *im)
{
	*re = _mm512_permutex2var_pd(a, order.first, b);
	*im = _mm512_permutex2var_pd(a, order.second, b);
}

static inline void f32_join(f32_order_t order, f32v re, f32v im, f32v *a, f32v *b)
{
	*a = _mm512_permutex2var_ps(re, order.low, im);
	*b = _mm512_permutex2var_ps(re, order.high, im);
}

static inline void f64_join(f64_order_t order, f64v re, f64v im, f64v *a, f64v *b)
{
	*a = _mm512_permutex2var_pd(re, order.low, im);
	*b = _mm512_permutex2var_pd(re, order.high, im);
}

/* Blocks of 4 x 4 within the 128-bit quarters, then the quarters. */
static inline __attribute__((always_inline)) void f32_transpose(f32v rows[F32_LANES])
{
	f32v t[16];

#pragma GCC unroll 4
	for (int i = 0; i < 16; i += 4) {
		const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(rows[i], rows[i + 1]));
		const __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(rows[i], rows[i + 1]));
		const __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(rows[i + 2], rows[i + 3]));
		const __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(rows[i + 2], rows[i + 3]));

		t[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
		t[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
		t[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
		t[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
	}
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		const f32v a = _mm512_shuffle_f32x4(t[i], t[i + 4], 0x88), b = _mm512_shuffle_f32x4(t[i], t[i + 4], 0xdd);
		const f32v c = _mm512_shuffle_f32x4(t[i + 8], t[i + 12], 0x88);
		const f32v d = _mm512_shuffle_f32x4(t[i + 8], t[i + 12], 0xdd);

		rows[i] = _mm512_shuffle_f32x4(a, c, 0x88);
		rows[i + 4] = _mm512_shuffle_f32x4(b, d, 0x88);
		rows[i + 8] = _mm512_shuffle_f32x4(a, c, 0xdd);
		rows[i + 12] = _mm512_shuffle_f32x4(b, d, 0xdd);
	}
}

static inline __attribute__((always_inline)) void f64_transpose(f64v rows[F64_LANES])
{
	f64v t[8];

#pragma GCC unroll 4
	for (int i = 0; i < 8; i += 2) {
		t[i] = _mm512_unpacklo_pd(rows[i], rows[i + 1]);
		t[i + 1] = _mm512_unpackhi_pd(rows[i], rows[i + 1]);
	}
#pragma GCC unroll 2
	for (int i = 0; i < 2; i++) {
		const f64v a = _mm512_shuffle_f64x2(t[i], t[i + 2], 0x88), b = _mm512_shuffle_f64x2(t[i], t[i + 2], 0xdd);
		const f64v c = _mm512_shuffle_f64x2(t[i + 4], t[i + 6], 0x88);
		const f64v d = _mm512_shuffle_f64x2(t[i + 4], t[i + 6], 0xdd);

		rows[i] = _mm512_shuffle_f64x2(a, c, 0x88);
		rows[i + 2] = _mm512_shuffle_f64x2(b, d, 0x88);
		rows[i + 4] = _mm512_shuffle_f64x2(a, c, 0xdd);
		rows[i + 6] = _mm512_shuffle_f64x2(b, d, 0xdd);
	}
}

static inline f32v f32_reverse(f32v a)
{
	return _mm512_permutexvar_ps(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), a);
}

static inline f64v f64_reverse(f64v a)
{
	return _mm512_permutexvar_pd(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), a);
}

static inline __mmask16 f32_mask(size_t n) { return (__mmask16)((1u << n) - 1); }
static inline __mmask8 f64_mask(size_t n) { return (__mmask8)((1u << n) - 1); }
static inline f32v f32_load_part(const float *at, size_t n) { return _mm512_maskz_loadu_ps(f32_mask(n), at); }
static inline f64v f64_load_part(const double *at, size_t n) { return _mm512_maskz_loadu_pd(f64_mask(n), at); }
static inline void f32_store_part(float *at, size_t n, f32v a) { _mm512_mask_storeu_ps(at, f32_mask(n), a); }
static inline void f64_store_part(double *at, size_t n, f64v a) { _mm512_mask_storeu_pd(at, f64_mask(n), a); }
static inline f32v f32_nmuladd(f32v a, f32v b, f32v c) { return _mm512_fnmadd_ps(a, b, c); }
static inline f64v f64_nmuladd(f64v a, f64v b, f64v c) { return _mm512_fnmadd_pd(a, b, c); }

#endif
