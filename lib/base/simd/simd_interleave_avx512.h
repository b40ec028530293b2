/* SPDX-License-Identifier: Apache-2.0 */
/* Complex vectors of 512 bits. Included by base/simd/simd_interleave.h. */
#ifndef TRNSCI_BASE_SIMD_INTERLEAVE_AVX512_H
#define TRNSCI_BASE_SIMD_INTERLEAVE_AVX512_H

#include <stdbool.h>
#include <stddef.h>

/* Indices for permutations of two sources: split uses first and second, join uses low and high. Exchanging the members
 * of a pair flips the lowest bit of an index; exchanging the sources of a join flips the bit above the lane number. */
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

/* Shuffles within the 128-bit quarters of a vector have less than half of the latency of permutations, and where there are
 * more of them than those per cycle. Their order is fixed, so each order needs code of its own; and the halves of each quarter
 * have elements of the two halves of what is split. */
enum { LANES_DEALT = 1 };

static inline unsigned f32_lane(unsigned i) { return i / 4 * 2 + i % 2 + i / 2 % 2 * 8; }
static inline unsigned f64_lane(unsigned i) { return i / 2 + i % 2 * 4; }

static inline f32v f32_natural(f32v a)
{
	return _mm512_permutexvar_ps(_mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15), a);
}

static inline f64v f64_natural(f64v a)
{
	return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), a);
}

static inline void f32_split_lanes(const bool exchange, f32v a, f32v b, f32v *re, f32v *im)
{
	*(exchange ? im : re) = _mm512_shuffle_ps(a, b, 0x88);
	*(exchange ? re : im) = _mm512_shuffle_ps(a, b, 0xdd);
}

static inline void f64_split_lanes(const bool exchange, f64v a, f64v b, f64v *re, f64v *im)
{
	*(exchange ? im : re) = _mm512_unpacklo_pd(a, b);
	*(exchange ? re : im) = _mm512_unpackhi_pd(a, b);
}

static inline void f32_join_lanes(const bool exchange, f32v re, f32v im, f32v *a, f32v *b)
{
	const f32v first = exchange ? im : re, second = exchange ? re : im;

	*a = _mm512_unpacklo_ps(first, second);
	*b = _mm512_unpackhi_ps(first, second);
}

static inline void f64_join_lanes(const bool exchange, f64v re, f64v im, f64v *a, f64v *b)
{
	const f64v first = exchange ? im : re, second = exchange ? re : im;

	*a = _mm512_unpacklo_pd(first, second);
	*b = _mm512_unpackhi_pd(first, second);
}

/* Transposes blocks of 4 x 4 within the 128-bit quarters, then the quarters. */
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

/* Loads 128 bits from each of four rows, `step` reals apart. */
static inline f32v f32_load_quarters(const float *at, size_t step)
{
	f32v a = _mm512_castps128_ps512(_mm_loadu_ps(at));

	a = _mm512_insertf32x4(a, _mm_loadu_ps(at + step), 1);
	a = _mm512_insertf32x4(a, _mm_loadu_ps(at + 2 * step), 2);
	return _mm512_insertf32x4(a, _mm_loadu_ps(at + 3 * step), 3);
}

static inline f64v f64_load_quarters(const double *at, size_t step)
{
	f64v a = _mm512_castpd128_pd512(_mm_loadu_pd(at));

	a = _mm512_insertf64x2(a, _mm_loadu_pd(at + step), 1);
	a = _mm512_insertf64x2(a, _mm_loadu_pd(at + 2 * step), 2);
	return _mm512_insertf64x2(a, _mm_loadu_pd(at + 3 * step), 3);
}

/* Transposes the 4 x 4 in each 128-bit quarter. */
static inline __attribute__((always_inline)) void f32_transpose_quarters(f32v *a, f32v *b, f32v *c, f32v *d)
{
	const __m512d ab_low = _mm512_castps_pd(_mm512_unpacklo_ps(*a, *b));
	const __m512d ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(*a, *b));
	const __m512d cd_low = _mm512_castps_pd(_mm512_unpacklo_ps(*c, *d));
	const __m512d cd_high = _mm512_castps_pd(_mm512_unpackhi_ps(*c, *d));

	*a = _mm512_castpd_ps(_mm512_unpacklo_pd(ab_low, cd_low));
	*b = _mm512_castpd_ps(_mm512_unpackhi_pd(ab_low, cd_low));
	*c = _mm512_castpd_ps(_mm512_unpacklo_pd(ab_high, cd_high));
	*d = _mm512_castpd_ps(_mm512_unpackhi_pd(ab_high, cd_high));
}

/* Transposes the 4 x 4 of 128-bit quarters. */
static inline __attribute__((always_inline)) void f32_exchange_quarters(f32v v[4])
{
	const f32v a = _mm512_shuffle_f32x4(v[0], v[1], 0x44), b = _mm512_shuffle_f32x4(v[0], v[1], 0xee);
	const f32v c = _mm512_shuffle_f32x4(v[2], v[3], 0x44), d = _mm512_shuffle_f32x4(v[2], v[3], 0xee);

	v[0] = _mm512_shuffle_f32x4(a, c, 0x88);
	v[1] = _mm512_shuffle_f32x4(a, c, 0xdd);
	v[2] = _mm512_shuffle_f32x4(b, d, 0x88);
	v[3] = _mm512_shuffle_f32x4(b, d, 0xdd);
}

static inline void f32_gather_square(const float *pairs, size_t step, f32v *r, f32v *i)
{
	for (int j = 0; j < 16; j += 2, pairs += 4) {
		f32v a = f32_load_quarters(pairs, 4 * step), b = f32_load_quarters(pairs + step, 4 * step);
		f32v c = f32_load_quarters(pairs + 2 * step, 4 * step), d = f32_load_quarters(pairs + 3 * step, 4 * step);

		f32_transpose_quarters(&a, &b, &c, &d);
		r[j] = a, i[j] = b, r[j + 1] = c, i[j + 1] = d;
	}
}

/* Rows k, k + 4, k + 8 and k + 12 lie in the k-th vectors of four transposes. */
static inline void f32_scatter_square(float *pairs, size_t step, const f32v *r, const f32v *i)
{
	for (int half = 0; half < 2; half++, pairs += 16, r += 8, i += 8) {
		f32v rows[4][4];

#pragma GCC unroll 4
		for (int j = 0; j < 4; j++) {
			f32v a = r[2 * j], b = i[2 * j], c = r[2 * j + 1], d = i[2 * j + 1];

			f32_transpose_quarters(&a, &b, &c, &d);
			rows[0][j] = a, rows[1][j] = b, rows[2][j] = c, rows[3][j] = d;
		}
#pragma GCC unroll 4
		for (int k = 0; k < 4; k++) {
			f32_exchange_quarters(rows[k]);
			for (int q = 0; q < 4; q++)
				_mm512_storeu_ps(pairs + (size_t)(k + 4 * q) * step, rows[k][q]);
		}
	}
}

static inline void f64_gather_square(const double *pairs, size_t step, f64v *r, f64v *i)
{
	for (int j = 0; j < 8; j++, pairs += 2) {
		const f64v even = f64_load_quarters(pairs, 2 * step), odd = f64_load_quarters(pairs + step, 2 * step);

		r[j] = _mm512_unpacklo_pd(even, odd);
		i[j] = _mm512_unpackhi_pd(even, odd);
	}
}

static inline void f64_scatter_square(double *pairs, size_t step, const f64v *r, const f64v *i)
{
	for (int half = 0; half < 2; half++, pairs += 8, r += 4, i += 4) {
		f32v even[4], odd[4];

#pragma GCC unroll 4
		for (int j = 0; j < 4; j++) {
			even[j] = _mm512_castpd_ps(_mm512_unpacklo_pd(r[j], i[j]));
			odd[j] = _mm512_castpd_ps(_mm512_unpackhi_pd(r[j], i[j]));
		}
		f32_exchange_quarters(even);
		f32_exchange_quarters(odd);
#pragma GCC unroll 4
		for (int q = 0; q < 4; q++) {
			_mm512_storeu_pd(pairs + (size_t)(2 * q) * step, _mm512_castps_pd(even[q]));
			_mm512_storeu_pd(pairs + (size_t)(2 * q + 1) * step, _mm512_castps_pd(odd[q]));
		}
	}
}

/* --- groups: lanes of two or four transforms in one vector --- */

/* Loads a row of F32_LANES / width transforms, `distance` reals apart, and splits it into real and imaginary parts. */
static inline __attribute__((always_inline)) void f32_load_group(const unsigned width, const bool exchange, const float *at,
								  size_t distance, f32v *re, f32v *im)
{
	f32v a = _mm512_loadu_ps(at), b = _mm512_loadu_ps(at + distance);

	if (width == 4) {
		a = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(at)), _mm256_loadu_ps(at + distance), 1);
		b = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(at + 2 * distance)),
				       _mm256_loadu_ps(at + 3 * distance), 1);
	}
	f32_split_lanes(exchange, a, b, re, im);
}

static inline __attribute__((always_inline)) void f64_load_group(const unsigned width, const bool exchange, const double *at,
								  size_t distance, f64v *re, f64v *im)
{
	(void)width;
	f64_split_lanes(exchange, _mm512_loadu_pd(at), _mm512_loadu_pd(at + distance), re, im);
}

/* Transposes each transform's width x width. A half of a quarter has two elements of one transform; so the 2 x 2 of these
 * are transposed, then the quarters. */
static inline __attribute__((always_inline)) void f32_transpose_group(const unsigned width, f32v *v)
{
	f32v even[4], odd[4];

#pragma GCC unroll 4
	for (unsigned i = 0; i < width / 2; i++) {
		even[i] = _mm512_mask_moveldup_ps(v[2 * i], 0xaaaa, v[2 * i + 1]);
		odd[i] = _mm512_mask_movehdup_ps(v[2 * i + 1], 0x5555, v[2 * i]);
	}
	if (width == 4) {
		v[0] = _mm512_shuffle_f32x4(even[0], even[1], 0x88);
		v[1] = _mm512_shuffle_f32x4(odd[0], odd[1], 0x88);
		v[2] = _mm512_shuffle_f32x4(even[0], even[1], 0xdd);
		v[3] = _mm512_shuffle_f32x4(odd[0], odd[1], 0xdd);
		return;
	}
	f32_exchange_quarters(even);
	f32_exchange_quarters(odd);
#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++) {
		v[2 * i] = even[i];
		v[2 * i + 1] = odd[i];
	}
}

static inline __attribute__((always_inline)) void f64_transpose_group(const unsigned width, f64v *v)
{
	f32v t[4];

#pragma GCC unroll 4
	for (unsigned i = 0; i < width; i++)
		t[i] = _mm512_castpd_ps(v[i]);
	f32_exchange_quarters(t);
#pragma GCC unroll 4
	for (unsigned i = 0; i < width; i++)
		v[i] = _mm512_castps_pd(t[i]);
}

/* Joins vectors from f32_transpose_group: one transform's vector, then the other's. */
static inline void f32_join_group(const unsigned width, const bool exchange, f32v re, f32v im, f32v *a, f32v *b)
{
	(void)width;
	f32_join_lanes(exchange, re, im, a, b);
}

static inline void f64_join_group(const unsigned width, const bool exchange, f64v re, f64v im, f64v *a, f64v *b)
{
	(void)width;
	f64_join_lanes(exchange, re, im, a, b);
}

/* Joins what two vectors of f32_join_group have of one transform, and of the other. */
static inline void f32_pair_group(f32v a, f32v b, f32v *first, f32v *second)
{
	*first = _mm512_shuffle_f32x4(a, b, 0x88);
	*second = _mm512_shuffle_f32x4(a, b, 0xdd);
}
static inline void f64_pair_group(f64v a, f64v b, f64v *first, f64v *second)
{
	*first = _mm512_shuffle_f64x2(a, b, 0x88);
	*second = _mm512_shuffle_f64x2(a, b, 0xdd);
}

static inline f64v f64_reverse_pairs(f64v a) { return _mm512_shuffle_f64x2(a, a, 0x1b); }
static inline f32v f32_reverse_pairs(f32v a)
{
	return _mm512_castpd_ps(_mm512_permutexvar_pd(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_castps_pd(a)));
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
