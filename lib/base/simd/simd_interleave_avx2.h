/* SPDX-License-Identifier: Apache-2.0 */
/* Complex vectors of 256 bits. Included by base/simd/simd_interleave.h. */
#ifndef TRNSCI_BASE_SIMD_INTERLEAVE_AVX2_H
#define TRNSCI_BASE_SIMD_INTERLEAVE_AVX2_H

#include <stdbool.h>
#include <stddef.h>

/* Permutations. split moves the first members of pairs to the low half, the second to the high half; join undoes it. */
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

/* Shuffles within the halves of a vector are the fastest. Their order is fixed, so each order needs code of its own;
 * and they split to, and join from, parts with the middle quarters exchanged. */
enum { LANES_DEALT = 1 };

static inline unsigned f32_lane(unsigned i) { return i / 2 % 3 ? i ^ 6 : i; }
static inline unsigned f64_lane(unsigned i) { return i % 3 ? i ^ 3 : i; }

static inline f64v f64_natural(f64v a) { return _mm256_permute4x64_pd(a, 0xd8); }
static inline f32v f32_natural(f32v a) { return _mm256_castpd_ps(f64_natural(_mm256_castps_pd(a))); }

static inline void f32_split_lanes(const bool exchange, f32v a, f32v b, f32v *re, f32v *im)
{
	*(exchange ? im : re) = _mm256_shuffle_ps(a, b, 0x88);
	*(exchange ? re : im) = _mm256_shuffle_ps(a, b, 0xdd);
}

static inline void f64_split_lanes(const bool exchange, f64v a, f64v b, f64v *re, f64v *im)
{
	*(exchange ? im : re) = _mm256_unpacklo_pd(a, b);
	*(exchange ? re : im) = _mm256_unpackhi_pd(a, b);
}

static inline void f32_join_lanes(const bool exchange, f32v re, f32v im, f32v *a, f32v *b)
{
	const f32v first = exchange ? im : re, second = exchange ? re : im;

	*a = _mm256_unpacklo_ps(first, second);
	*b = _mm256_unpackhi_ps(first, second);
}

static inline void f64_join_lanes(const bool exchange, f64v re, f64v im, f64v *a, f64v *b)
{
	const f64v first = exchange ? im : re, second = exchange ? re : im;

	*a = _mm256_unpacklo_pd(first, second);
	*b = _mm256_unpackhi_pd(first, second);
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

/* Loads 128 bits from each of two rows, `step` reals apart. */
static inline f32v f32_load_halves(const float *at, size_t step)
{
	return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at)), _mm_loadu_ps(at + step), 1);
}

static inline f64v f64_load_halves(const double *at, size_t step)
{
	return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at)), _mm_loadu_pd(at + step), 1);
}

/* Transposes the 4 x 4 in each 128-bit half. */
static inline __attribute__((always_inline)) void f32_transpose_halves(f32v *a, f32v *b, f32v *c, f32v *d)
{
	const f32v ab_low = _mm256_unpacklo_ps(*a, *b), ab_high = _mm256_unpackhi_ps(*a, *b);
	const f32v cd_low = _mm256_unpacklo_ps(*c, *d), cd_high = _mm256_unpackhi_ps(*c, *d);

	*a = _mm256_shuffle_ps(ab_low, cd_low, 0x44);
	*b = _mm256_shuffle_ps(ab_low, cd_low, 0xee);
	*c = _mm256_shuffle_ps(ab_high, cd_high, 0x44);
	*d = _mm256_shuffle_ps(ab_high, cd_high, 0xee);
}

static inline void f32_gather_square(const float *pairs, size_t step, f32v *r, f32v *i)
{
	for (int j = 0; j < 8; j += 2, pairs += 4) {
		f32v a = f32_load_halves(pairs, 4 * step), b = f32_load_halves(pairs + step, 4 * step);
		f32v c = f32_load_halves(pairs + 2 * step, 4 * step), d = f32_load_halves(pairs + 3 * step, 4 * step);

		f32_transpose_halves(&a, &b, &c, &d);
		r[j] = a, i[j] = b, r[j + 1] = c, i[j + 1] = d;
	}
}

static inline void f32_scatter_square(float *pairs, size_t step, const f32v *r, const f32v *i)
{
	for (int half = 0; half < 2; half++, pairs += 8, r += 4, i += 4) {
		f32v low[4] = {r[0], i[0], r[1], i[1]}, high[4] = {r[2], i[2], r[3], i[3]};

		f32_transpose_halves(&low[0], &low[1], &low[2], &low[3]);
		f32_transpose_halves(&high[0], &high[1], &high[2], &high[3]);
#pragma GCC unroll 4
		for (int k = 0; k < 4; k++) {
			_mm256_storeu_ps(pairs + (size_t)k * step, _mm256_permute2f128_ps(low[k], high[k], 0x20));
			_mm256_storeu_ps(pairs + (size_t)(k + 4) * step, _mm256_permute2f128_ps(low[k], high[k], 0x31));
		}
	}
}

static inline void f64_gather_square(const double *pairs, size_t step, f64v *r, f64v *i)
{
	for (int j = 0; j < 4; j++, pairs += 2) {
		const f64v even = f64_load_halves(pairs, 2 * step), odd = f64_load_halves(pairs + step, 2 * step);

		r[j] = _mm256_unpacklo_pd(even, odd);
		i[j] = _mm256_unpackhi_pd(even, odd);
	}
}

static inline void f64_scatter_square(double *pairs, size_t step, const f64v *r, const f64v *i)
{
	for (int j = 0; j < 4; j += 2, pairs += 4) {
		const f64v even0 = _mm256_unpacklo_pd(r[j], i[j]), odd0 = _mm256_unpackhi_pd(r[j], i[j]);
		const f64v even1 = _mm256_unpacklo_pd(r[j + 1], i[j + 1]), odd1 = _mm256_unpackhi_pd(r[j + 1], i[j + 1]);

		_mm256_storeu_pd(pairs, _mm256_permute2f128_pd(even0, even1, 0x20));
		_mm256_storeu_pd(pairs + step, _mm256_permute2f128_pd(odd0, odd1, 0x20));
		_mm256_storeu_pd(pairs + 2 * step, _mm256_permute2f128_pd(even0, even1, 0x31));
		_mm256_storeu_pd(pairs + 3 * step, _mm256_permute2f128_pd(odd0, odd1, 0x31));
	}
}

/* --- groups: lanes of one or two transforms in a vector --- */

/* Loads a row of F32_LANES / width transforms, `distance` reals apart, and splits it into real and imaginary parts.
 * Lanes are ordered by transform, then by element, but with the middle quarters exchanged. */
static inline __attribute__((always_inline)) void f32_load_group(const unsigned width, const bool exchange, const float *at,
								  size_t distance, f32v *re, f32v *im)
{
	f32_split_lanes(exchange, f32_load(at), f32_load(at + (width == 8 ? 8 : distance)), re, im);
}

static inline __attribute__((always_inline)) void f64_load_group(const unsigned width, const bool exchange, const double *at,
								  size_t distance, f64v *re, f64v *im)
{
	(void)width, (void)distance;
	f64_split_lanes(exchange, f64_load(at), f64_load(at + 4), re, im);
}

/* Transposes each transform's width x width, from the order of f32_load_group. With one transform, lanes are then in the
 * order of f32_join_lanes, else by transform. */
static inline __attribute__((always_inline)) void f32_transpose_group(const unsigned width, f32v *v)
{
	if (width == 8) {
		f32v t[8] = {v[0], v[1], v[4], v[5], v[2], v[3], v[6], v[7]};

		f32_transpose(t);
#pragma GCC unroll 8
		for (unsigned i = 0; i < 8; i++)
			v[f32_lane(i)] = t[i];
	} else {
		f32v even = v[0], odd = v[1];

		f32_transpose_halves(&even, &odd, &v[2], &v[3]);
		v[0] = _mm256_permute2f128_ps(even, v[2], 0x20);
		v[1] = _mm256_permute2f128_ps(odd, v[3], 0x20);
		v[2] = _mm256_permute2f128_ps(even, v[2], 0x31);
		v[3] = _mm256_permute2f128_ps(odd, v[3], 0x31);
	}
}

static inline __attribute__((always_inline)) void f64_transpose_group(const unsigned width, f64v *v)
{
	f64v t[4] = {v[0], v[2], v[1], v[3]};

	(void)width;
	f64_transpose(t);
#pragma GCC unroll 4
	for (unsigned i = 0; i < 4; i++)
		v[f64_lane(i)] = t[i];
}

/* Joins vectors from f32_transpose_group: one transform's vector and the other's, or both of one. */
static inline void f32_join_group(const unsigned width, const bool exchange, f32v re, f32v im, f32v *a, f32v *b)
{
	f32_join_lanes(exchange, re, im, a, b);
	if (width == 4) {
		const f32v low = *a;

		*a = _mm256_permute2f128_ps(low, *b, 0x20);
		*b = _mm256_permute2f128_ps(low, *b, 0x31);
	}
}

static inline void f64_join_group(const unsigned width, const bool exchange, f64v re, f64v im, f64v *a, f64v *b)
{
	(void)width;
	f64_join_lanes(exchange, re, im, a, b);
}

/* Joins what two vectors of f32_join_group have of one transform, and of the other. */
static inline void f32_pair_group(f32v a, f32v b, f32v *first, f32v *second)
{
	*first = _mm256_permute2f128_ps(a, b, 0x20);
	*second = _mm256_permute2f128_ps(a, b, 0x31);
}

static inline void f64_pair_group(f64v a, f64v b, f64v *first, f64v *second)
{
	*first = _mm256_permute2f128_pd(a, b, 0x20);
	*second = _mm256_permute2f128_pd(a, b, 0x31);
}

static inline f32v f32_reverse_pairs(f32v a) { return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(a), 0x1b)); }
static inline f64v f64_reverse_pairs(f64v a) { return _mm256_permute2f128_pd(a, a, 0x01); }

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
