/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of base/simd/simd.h: comparisons, selection by lane, and conversions between doubles and 64-bit integers.
 *
 * A comparison returns a mask (m32v for floats, m64v for doubles), and a pick takes one. m64_bits returns it as an
 * integer, lane i in bit i. Comparisons with NaN are false. Minimum and maximum return b if either is NaN. */
#ifndef TRNSCI_BASE_SIMD_BITS_H
#define TRNSCI_BASE_SIMD_BITS_H

#include "base/simd/simd.h"

/* clang-format off */
#if defined(SIMD_AVX512)

typedef __mmask16 m32v;
typedef __mmask8 m64v;

static inline m32v f32_less(f32v a, f32v b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline m64v f64_less(f64v a, f64v b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline m32v m32_and(m32v a, m32v b) { return a & b; }
static inline m64v m64_and(m64v a, m64v b) { return a & b; }
static inline m64v m64_or(m64v a, m64v b) { return a | b; }
static inline m64v m64_not(m64v a) { return (m64v)~a; }
static inline unsigned m64_bits(m64v a) { return a; }
/* Returns b where the mask is set, else a. */
static inline f32v f32_pick(m32v mask, f32v a, f32v b) { return _mm512_mask_blend_ps(mask, a, b); }
static inline f64v f64_pick(m64v mask, f64v a, f64v b) { return _mm512_mask_blend_pd(mask, a, b); }
static inline f32v f32_min(f32v a, f32v b) { return _mm512_min_ps(a, b); }
static inline f64v f64_abs(f64v a) { return _mm512_abs_pd(a); }
/* Returns b where the sign of a is set, else 0. */
static inline f64v f64_if_negative(f64v a, f64v b)
{
	return f64_of_bits(u32_and(_mm512_srai_epi64(f64_bits(a), 63), f64_bits(b)));
}
/* Compares as signed integers. */
static inline m64v i64_less(u64v a, u64v b) { return _mm512_cmplt_epi64_mask(a, b); }
static inline f64v f64_div(f64v a, f64v b) { return _mm512_div_pd(a, b); }
static inline f64v f64_floor(f64v a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
static inline u64v u64_load(const void *at) { return _mm512_loadu_si512(at); }
/* Loads F64_LANES 32-bit words, zero-extended. */
static inline u64v u64_load_u32(const uint32_t *at) { return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const void *)at)); }
static inline u64v u64_or(u64v a, u64v b) { return _mm512_or_si512(a, b); }
#define U32_SHR(a, bits) _mm512_srli_epi32(a, bits)
#define U64_SHR(a, bits) _mm512_srli_epi64(a, bits)
/* Converts signed 64-bit integers, rounded to nearest. */
static inline f64v f64_from_i64(u64v a) { return _mm512_cvtepi64_pd(a); }
/* Stores the integers, rounded towards zero; |a| < 2^63. */
static inline void f64_store_i64(int64_t *at, f64v a) { _mm512_storeu_si512(at, _mm512_cvttpd_epi64(a)); }
static inline u32v u32_or(u32v a, u32v b) { return _mm512_or_si512(a, b); }
static inline u32v u32_min(u32v a, u32v b) { return _mm512_min_epu32(a, b); }
/* Stores the lanes whose mask is set next to each other. Up to F64_LANES elements at `at` are overwritten. */
static inline void f64_pack(double *at, m64v mask, f64v a) { _mm512_storeu_pd(at, _mm512_maskz_compress_pd(mask, a)); }
static inline void u32_pack_u16(uint16_t *at, m64v mask, __m256i a)
{
	_mm_storeu_si128((void *)at, _mm256_cvtepi32_epi16(_mm256_maskz_compress_epi32(mask, a)));
}
/* As f64_pack, for the numbers first, first + 1 and so on, and for F64_LANES numbers in memory. */
static inline void lanes_pack(uint16_t *at, m64v mask, uint16_t first)
{
	u32_pack_u16(at, mask, _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}
static inline void u16_pack(uint16_t *at, m64v mask, const uint16_t *from)
{
	u32_pack_u16(at, mask, _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)from)));
}

#elif defined(SIMD_AVX2)

typedef __m256 m32v;
typedef __m256d m64v;

static inline m32v f32_less(f32v a, f32v b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline m64v f64_less(f64v a, f64v b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
static inline m32v m32_and(m32v a, m32v b) { return _mm256_and_ps(a, b); }
static inline m64v m64_and(m64v a, m64v b) { return _mm256_and_pd(a, b); }
static inline m64v m64_or(m64v a, m64v b) { return _mm256_or_pd(a, b); }
static inline m64v m64_not(m64v a) { return _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))); }
static inline unsigned m64_bits(m64v a) { return (unsigned)_mm256_movemask_pd(a); }
/* Returns b where the mask is set, else a. */
static inline f32v f32_pick(m32v mask, f32v a, f32v b) { return _mm256_blendv_ps(a, b, mask); }
static inline f64v f64_pick(m64v mask, f64v a, f64v b) { return _mm256_blendv_pd(a, b, mask); }
static inline f32v f32_min(f32v a, f32v b) { return _mm256_min_ps(a, b); }
static inline f64v f64_abs(f64v a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
/* Returns b where the sign of a is set, else 0. */
static inline f64v f64_if_negative(f64v a, f64v b) { return _mm256_blendv_pd(_mm256_setzero_pd(), b, a); }
/* Compares as signed integers. */
static inline m64v i64_less(u64v a, u64v b) { return _mm256_castsi256_pd(_mm256_cmpgt_epi64(b, a)); }
static inline f64v f64_div(f64v a, f64v b) { return _mm256_div_pd(a, b); }
static inline f64v f64_floor(f64v a) { return _mm256_floor_pd(a); }
static inline u64v u64_load(const void *at) { return _mm256_loadu_si256(at); }
/* Loads F64_LANES 32-bit words, zero-extended. */
static inline u64v u64_load_u32(const uint32_t *at) { return _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)at)); }
static inline u64v u64_or(u64v a, u64v b) { return _mm256_or_si256(a, b); }
#define U32_SHR(a, bits) _mm256_srli_epi32(a, bits)
#define U64_SHR(a, bits) _mm256_srli_epi64(a, bits)
/* Converts signed 64-bit integers: the high halves are exact, and the addition of the low halves rounds once. */
static inline f64v f64_from_i64(u64v a)
{
	const u64v flipped = _mm256_xor_si256(_mm256_srli_epi64(a, 32), _mm256_set1_epi64x(0x4530000080000000));
	const u64v low = _mm256_blend_epi32(a, _mm256_set1_epi64x(0x4330000000000000), 0xAA);
	const f64v high = _mm256_sub_pd(_mm256_castsi256_pd(flipped), _mm256_set1_pd(0x1p84 + 0x1p63 + 0x1p52));

	return _mm256_add_pd(high, _mm256_castsi256_pd(low));
}
/* Stores the integers, rounded towards zero; |a| < 2^63. */
static inline void f64_store_i64(int64_t *at, f64v a)
{
	double lanes[F64_LANES];

	f64_store(lanes, a);
	for (unsigned i = 0; i < F64_LANES; i++)
		at[i] = (int64_t)lanes[i];
}
static inline u32v u32_or(u32v a, u32v b) { return _mm256_or_si256(a, b); }
static inline u32v u32_min(u32v a, u32v b) { return _mm256_min_epu32(a, b); }
/* Stores the lanes whose mask is set next to each other. Up to F64_LANES elements at `at` are overwritten. */
static inline void f64_pack(double *at, m64v mask, f64v a)
{
	double lanes[F64_LANES];

	f64_store(lanes, a);
	for (unsigned i = 0; i < F64_LANES; i++) {
		*at = lanes[i];
		at += m64_bits(mask) >> i & 1;
	}
}

#elif defined(SIMD_NEON)

#include "base/simd/simd_bits_neon.h"

#else

typedef _Bool m32v;
typedef _Bool m64v;

static inline m32v f32_less(f32v a, f32v b) { return a < b; }
static inline m64v f64_less(f64v a, f64v b) { return a < b; }
static inline m32v m32_and(m32v a, m32v b) { return a && b; }
static inline m64v m64_and(m64v a, m64v b) { return a && b; }
static inline m64v m64_or(m64v a, m64v b) { return a || b; }
static inline m64v m64_not(m64v a) { return !a; }
static inline unsigned m64_bits(m64v a) { return a; }
/* Returns b where the mask is set, else a. */
static inline f32v f32_pick(m32v mask, f32v a, f32v b) { return mask ? b : a; }
static inline f64v f64_pick(m64v mask, f64v a, f64v b) { return mask ? b : a; }
static inline f32v f32_min(f32v a, f32v b) { return a < b ? a : b; }
static inline f64v f64_abs(f64v a) { return fabs(a); }
/* Returns b where the sign of a is set, else 0. */
static inline f64v f64_if_negative(f64v a, f64v b) { return f64_bits(a) >> 63 ? b : 0; }
/* Compares as signed integers. */
static inline m64v i64_less(u64v a, u64v b) { return (int64_t)a < (int64_t)b; }
static inline f64v f64_div(f64v a, f64v b) { return a / b; }
static inline f64v f64_floor(f64v a) { return floor(a); }
static inline u32v u32_load(const void *at) { u32v a; memcpy(&a, at, sizeof a); return a; }
static inline u64v u64_load(const void *at) { u64v a; memcpy(&a, at, sizeof a); return a; }
/* Loads F64_LANES 32-bit words, zero-extended. */
static inline u64v u64_load_u32(const uint32_t *at) { return *at; }
static inline u64v u64_or(u64v a, u64v b) { return a | b; }
#define U32_SHR(a, bits) ((a) >> (bits))
#define U64_SHR(a, bits) ((a) >> (bits))
/* Converts signed 64-bit integers, rounded to nearest. */
static inline f64v f64_from_i64(u64v a) { return (double)(int64_t)a; }
/* Stores the integers, rounded towards zero; |a| < 2^63. */
static inline void f64_store_i64(int64_t *at, f64v a) { *at = (int64_t)a; }
static inline u32v u32_or(u32v a, u32v b) { return a | b; }
/* Stores the lanes whose mask is set next to each other. Up to F64_LANES elements at `at` are overwritten. */
static inline void f64_pack(double *at, m64v mask, f64v a) { (void)mask; *at = a; }

#endif
/* clang-format on */

#if !defined(SIMD_AVX512)
/* As f64_pack, for the numbers first, first + 1 and so on, and for F64_LANES numbers in memory. */
static inline void lanes_pack(uint16_t *at, m64v mask, uint16_t first)
{
	for (unsigned i = 0; i < F64_LANES; i++) {
		*at = (uint16_t)(first + i);
		at += m64_bits(mask) >> i & 1;
	}
}

static inline void u16_pack(uint16_t *at, m64v mask, const uint16_t *from)
{
	for (unsigned i = 0; i < F64_LANES; i++) {
		const uint16_t number = from[i];

		*at = number;
		at += m64_bits(mask) >> i & 1;
	}
}
#endif

static inline unsigned m64_count(m64v a) { return (unsigned)__builtin_popcount(m64_bits(a)); }

static inline f64v f64_neg(f64v a) { return f64_sub(f64_set(-0.0), a); }

enum { F64_ALL = (1 << F64_LANES) - 1 };

#endif
