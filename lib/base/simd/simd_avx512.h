/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 512 bits: AVX-512 F, DQ, BW and VL. Included by base/simd/simd.h. */
#ifndef TRNSCI_BASE_SIMD_AVX512_H
#define TRNSCI_BASE_SIMD_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#include "base/cpu.h"

#define SIMD_NAME "avx512"
#define SIMD_NEEDS ((uint32_t)(CPU_AVX2 | CPU_AVX512))
#define SIMD_FUSED
#define SIMD_SUFFIX(stem) SIMD_SUFFIX_(stem)
#define SIMD_SUFFIX_(stem) stem##_avx512

typedef __m512 f32v;
typedef __m512d f64v;
typedef __m512i u32v;
typedef __m512i u64v;

enum { F32_LANES = 16, F64_LANES = 8, U32_LANES = 16 };

static inline f32v f32_load(const float *at) { return _mm512_loadu_ps(at); }
static inline f64v f64_load(const double *at) { return _mm512_loadu_pd(at); }
static inline void f32_store(float *at, f32v a) { _mm512_storeu_ps(at, a); }
static inline void f64_store(double *at, f64v a) { _mm512_storeu_pd(at, a); }
/* Store past the caches, at an address aligned to the vector. Call stream_end before another thread may read. */
static inline void f32_stream(float *at, f32v a) { _mm512_stream_ps(at, a); }
static inline void f64_stream(double *at, f64v a) { _mm512_stream_pd(at, a); }
static inline void stream_end(void) { _mm_sfence(); }
static inline f32v f32_set(float a) { return _mm512_set1_ps(a); }
static inline f64v f64_set(double a) { return _mm512_set1_pd(a); }
static inline f32v f32_add(f32v a, f32v b) { return _mm512_add_ps(a, b); }
static inline f64v f64_add(f64v a, f64v b) { return _mm512_add_pd(a, b); }
static inline f32v f32_sub(f32v a, f32v b) { return _mm512_sub_ps(a, b); }
static inline f64v f64_sub(f64v a, f64v b) { return _mm512_sub_pd(a, b); }
static inline f32v f32_mul(f32v a, f32v b) { return _mm512_mul_ps(a, b); }
static inline f64v f64_mul(f64v a, f64v b) { return _mm512_mul_pd(a, b); }
static inline f32v f32_fma(f32v a, f32v b, f32v c) { return _mm512_fmadd_ps(a, b, c); }
static inline f64v f64_fma(f64v a, f64v b, f64v c) { return _mm512_fmadd_pd(a, b, c); }
static inline f32v f32_muladd(f32v a, f32v b, f32v c) { return _mm512_fmadd_ps(a, b, c); }
static inline f64v f64_muladd(f64v a, f64v b, f64v c) { return _mm512_fmadd_pd(a, b, c); }
static inline f32v f32_mulsub(f32v a, f32v b, f32v c) { return _mm512_fmsub_ps(a, b, c); }
static inline f64v f64_mulsub(f64v a, f64v b, f64v c) { return _mm512_fmsub_pd(a, b, c); }
static inline f32v f32_sqrt(f32v a) { return _mm512_sqrt_ps(a); }
static inline f64v f64_sqrt(f64v a) { return _mm512_sqrt_pd(a); }

static inline f64v f64_min(f64v a, f64v b) { return _mm512_min_pd(a, b); }
/* Loads F64_LANES floats as doubles; stores doubles rounded to floats. */
static inline f64v f64_load_f32(const float *at) { return _mm512_cvtps_pd(_mm256_loadu_ps(at)); }
static inline void f64_store_f32(float *at, f64v a) { _mm256_storeu_ps(at, _mm512_cvtpd_ps(a)); }

static inline u32v u32_load(const void *at) { return _mm512_loadu_si512(at); }
static inline void u32_store(void *at, u32v a) { _mm512_storeu_si512(at, a); }
static inline u32v u32_set(uint32_t a) { return _mm512_set1_epi32((int)a); }
static inline u32v u32_add(u32v a, u32v b) { return _mm512_add_epi32(a, b); }
static inline u32v u32_sub(u32v a, u32v b) { return _mm512_sub_epi32(a, b); }
static inline u32v u32_xor(u32v a, u32v b) { return _mm512_xor_si512(a, b); }
static inline u32v u32_and(u32v a, u32v b) { return _mm512_and_si512(a, b); }
#define U32_ROTL(a, bits) _mm512_rol_epi32(a, bits)
#define U64_ROTL(a, bits) _mm512_rol_epi64(a, bits)
/* Interleave within each 128 bits, as the instructions do. */
static inline u32v u32_unpack_low(u32v a, u32v b) { return _mm512_unpacklo_epi32(a, b); }
static inline u32v u32_unpack_high(u32v a, u32v b) { return _mm512_unpackhi_epi32(a, b); }
static inline u32v u64_unpack_low(u32v a, u32v b) { return _mm512_unpacklo_epi64(a, b); }
static inline u32v u64_unpack_high(u32v a, u32v b) { return _mm512_unpackhi_epi64(a, b); }
/* Interleave units of 128 bits: the lower, and the upper halves of a and b. */
static inline u32v u128_zip_low(u32v a, u32v b)
{
	return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b);
}
static inline u32v u128_zip_high(u32v a, u32v b)
{
	return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b);
}
static inline u32v u64_srl11(u32v a) { return _mm512_srli_epi64(a, 11); }
static inline f32v f32_from_i32(u32v a) { return _mm512_cvtepi32_ps(a); }
/* Converts 64-bit integers below 2^53. */
static inline f64v f64_from_u53(u32v a) { return _mm512_cvtepu64_pd(a); }
/* Return integers from 0 on times 2^-24 or 2^-53. A subtraction that stops at 0 lowers the exponent: it shares fewer
 * units with AES and rotations than a product. */
static inline f32v f32_over_2_24(f32v a)
{
	return _mm512_castsi512_ps(_mm512_subs_epu16(_mm512_castps_si512(a), u32_set(24u << 23)));
}
static inline f64v f64_over_2_53(f64v a)
{
	return _mm512_castsi512_pd(_mm512_subs_epu16(_mm512_castpd_si512(a), _mm512_set1_epi64(INT64_C(53) << 52)));
}

static inline f32v f32_max(f32v a, f32v b) { return _mm512_max_ps(a, b); }
static inline f64v f64_max(f64v a, f64v b) { return _mm512_max_pd(a, b); }
static inline u32v f32_bits(f32v a) { return _mm512_castps_si512(a); }
static inline u64v f64_bits(f64v a) { return _mm512_castpd_si512(a); }
static inline f32v f32_of_bits(u32v a) { return _mm512_castsi512_ps(a); }
static inline f64v f64_of_bits(u64v a) { return _mm512_castsi512_pd(a); }
/* Returns the 64-bit products of the even 32-bit elements. */
static inline u64v u64_mul32(u32v a, u32v b) { return _mm512_mul_epu32(a, b); }
/* Copies each odd element to the even place before it; swaps the two elements of each pair. */
static inline u32v u32_from_odd(u32v a) { return _mm512_shuffle_epi32(a, (_MM_PERM_ENUM)0xF5); }
static inline u32v u64_swap32(u32v a) { return _mm512_shuffle_epi32(a, (_MM_PERM_ENUM)0xB1); }
/* Returns the low halves of 64-bit elements: those of a, and above them those of b. */
static inline u64v u64_join_low(u64v a, u64v b)
{
	return _mm512_mask_shuffle_epi32(a, 0xAAAA, b, (_MM_PERM_ENUM)0xB1);
}
static inline u32v u32_xor3(u32v a, u32v b, u32v c) { return _mm512_ternarylogic_epi32(a, b, c, 0x96); }
static inline u32v u32_xor_and(u32v a, u32v b, u32v c) { return _mm512_ternarylogic_epi32(a, b, c, 0x78); }
static inline u64v u64_set(uint64_t a) { return _mm512_set1_epi64((long long)a); }
static inline u64v u64_add(u64v a, u64v b) { return _mm512_add_epi64(a, b); }
static inline u64v u64_sub(u64v a, u64v b) { return _mm512_sub_epi64(a, b); }
static inline u64v u64_and(u64v a, u64v b) { return _mm512_and_si512(a, b); }
#define U32_SHL(a, bits) _mm512_slli_epi32(a, bits)
#define U64_SHL(a, bits) _mm512_slli_epi64(a, bits)
/* Converts the signed integer in the top 12 bits (above a double's fraction), -2048 to 2047. */
static inline f64v f64_from_i12(u64v a) { return _mm512_cvtepi64_pd(_mm512_srai_epi64(a, 52)); }
/* Negates a where the top bit of `signs` is set. */
static inline f32v f32_flip(f32v a, u32v signs)
{
	return f32_of_bits(_mm512_ternarylogic_epi32(f32_bits(a), signs, u32_set(0x80000000), 0x78));
}
static inline f64v f64_flip(f64v a, u64v signs)
{
	return f64_of_bits(_mm512_ternarylogic_epi64(f64_bits(a), signs, u64_set(1ull << 63), 0x78));
}
/* Returns b where bit 0 of `which` is set, else a. */
static inline f32v f32_select(u32v which, f32v a, f32v b)
{
	return _mm512_mask_blend_ps(_mm512_test_epi32_mask(which, u32_set(1)), a, b);
}
static inline f64v f64_select(u64v which, f64v a, f64v b)
{
	return _mm512_mask_blend_pd(_mm512_test_epi64_mask(which, u64_set(1)), a, b);
}
/* Splits a, b into even and odd elements. Their order is arbitrary, the same in both, and undone by zip. */
static inline void f32_unzip(f32v a, f32v b, f32v *ret_even, f32v *ret_odd)
{
	*ret_even = _mm512_shuffle_ps(a, b, 0x88);
	*ret_odd = _mm512_shuffle_ps(a, b, 0xDD);
}
static inline void f64_unzip(f64v a, f64v b, f64v *ret_even, f64v *ret_odd)
{
	*ret_even = _mm512_unpacklo_pd(a, b);
	*ret_odd = _mm512_unpackhi_pd(a, b);
}
static inline void f32_zip(f32v even, f32v odd, f32v *ret_a, f32v *ret_b)
{
	*ret_a = _mm512_unpacklo_ps(even, odd);
	*ret_b = _mm512_unpackhi_ps(even, odd);
}
static inline void f64_zip(f64v even, f64v odd, f64v *ret_a, f64v *ret_b)
{
	*ret_a = _mm512_unpacklo_pd(even, odd);
	*ret_b = _mm512_unpackhi_pd(even, odd);
}

#endif
