/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 256 bits: AVX2 with FMA. Included by base/simd/simd.h. */
#ifndef TRNSCI_BASE_SIMD_AVX2_H
#define TRNSCI_BASE_SIMD_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#include "base/cpu.h"

#define SIMD_NAME "avx2"
#define SIMD_NEEDS ((uint32_t)CPU_AVX2)
#define SIMD_FUSED
#define SIMD_SUFFIX(stem) SIMD_SUFFIX_(stem)
#define SIMD_SUFFIX_(stem) stem##_avx2

typedef __m256 f32v;
typedef __m256d f64v;
typedef __m256i u32v;
typedef __m256i u64v;

enum { F32_LANES = 8, F64_LANES = 4, U32_LANES = 8 };

static inline f32v f32_load(const float *at) { return _mm256_loadu_ps(at); }
static inline f64v f64_load(const double *at) { return _mm256_loadu_pd(at); }
static inline void f32_store(float *at, f32v a) { _mm256_storeu_ps(at, a); }
static inline void f64_store(double *at, f64v a) { _mm256_storeu_pd(at, a); }
/* Store past the caches, at an address aligned to the vector. Call stream_end before another thread may read. */
static inline void f32_stream(float *at, f32v a) { _mm256_stream_ps(at, a); }
static inline void f64_stream(double *at, f64v a) { _mm256_stream_pd(at, a); }
static inline void stream_end(void) { _mm_sfence(); }
static inline f32v f32_set(float a) { return _mm256_set1_ps(a); }
static inline f64v f64_set(double a) { return _mm256_set1_pd(a); }
static inline f32v f32_add(f32v a, f32v b) { return _mm256_add_ps(a, b); }
static inline f64v f64_add(f64v a, f64v b) { return _mm256_add_pd(a, b); }
static inline f32v f32_sub(f32v a, f32v b) { return _mm256_sub_ps(a, b); }
static inline f64v f64_sub(f64v a, f64v b) { return _mm256_sub_pd(a, b); }
static inline f32v f32_mul(f32v a, f32v b) { return _mm256_mul_ps(a, b); }
static inline f64v f64_mul(f64v a, f64v b) { return _mm256_mul_pd(a, b); }
static inline f32v f32_fma(f32v a, f32v b, f32v c) { return _mm256_fmadd_ps(a, b, c); }
static inline f64v f64_fma(f64v a, f64v b, f64v c) { return _mm256_fmadd_pd(a, b, c); }
static inline f32v f32_muladd(f32v a, f32v b, f32v c) { return _mm256_fmadd_ps(a, b, c); }
static inline f64v f64_muladd(f64v a, f64v b, f64v c) { return _mm256_fmadd_pd(a, b, c); }
static inline f32v f32_mulsub(f32v a, f32v b, f32v c) { return _mm256_fmsub_ps(a, b, c); }
static inline f64v f64_mulsub(f64v a, f64v b, f64v c) { return _mm256_fmsub_pd(a, b, c); }
static inline f32v f32_sqrt(f32v a) { return _mm256_sqrt_ps(a); }
static inline f64v f64_sqrt(f64v a) { return _mm256_sqrt_pd(a); }

static inline f64v f64_min(f64v a, f64v b) { return _mm256_min_pd(a, b); }
/* Loads F64_LANES floats as doubles; stores doubles rounded to floats. */
static inline f64v f64_load_f32(const float *at) { return _mm256_cvtps_pd(_mm_loadu_ps(at)); }
static inline void f64_store_f32(float *at, f64v a) { _mm_storeu_ps(at, _mm256_cvtpd_ps(a)); }

static inline u32v u32_load(const void *at) { return _mm256_loadu_si256(at); }
static inline void u32_store(void *at, u32v a) { _mm256_storeu_si256(at, a); }
static inline u32v u32_set(uint32_t a) { return _mm256_set1_epi32((int)a); }
static inline u32v u32_add(u32v a, u32v b) { return _mm256_add_epi32(a, b); }
static inline u32v u32_sub(u32v a, u32v b) { return _mm256_sub_epi32(a, b); }
static inline u32v u32_xor(u32v a, u32v b) { return _mm256_xor_si256(a, b); }
static inline u32v u32_and(u32v a, u32v b) { return _mm256_and_si256(a, b); }
#define U32_ROTL(a, bits) _mm256_or_si256(_mm256_slli_epi32(a, bits), _mm256_srli_epi32(a, 32 - (bits)))
#define U64_ROTL(a, bits) _mm256_or_si256(_mm256_slli_epi64(a, bits), _mm256_srli_epi64(a, 64 - (bits)))
/* Interleave within each 128 bits, as the instructions do. */
static inline u32v u32_unpack_low(u32v a, u32v b) { return _mm256_unpacklo_epi32(a, b); }
static inline u32v u32_unpack_high(u32v a, u32v b) { return _mm256_unpackhi_epi32(a, b); }
static inline u32v u64_unpack_low(u32v a, u32v b) { return _mm256_unpacklo_epi64(a, b); }
static inline u32v u64_unpack_high(u32v a, u32v b) { return _mm256_unpackhi_epi64(a, b); }
/* Interleave units of 128 bits: the lower, and the upper halves of a and b. */
static inline u32v u128_zip_low(u32v a, u32v b) { return _mm256_permute2x128_si256(a, b, 0x20); }
static inline u32v u128_zip_high(u32v a, u32v b) { return _mm256_permute2x128_si256(a, b, 0x31); }
static inline u32v u64_srl11(u32v a) { return _mm256_srli_epi64(a, 11); }
static inline f32v f32_from_i32(u32v a) { return _mm256_cvtepi32_ps(a); }
/* Converts 64-bit integers below 2^53: the halves become fractions of doubles at 2^84 and 2^52. All steps are exact. */
static inline f64v f64_from_u53(u32v a)
{
	const __m256i high = _mm256_or_si256(_mm256_srli_epi64(a, 32), _mm256_castpd_si256(_mm256_set1_pd(0x1p84)));
	const __m256i low = _mm256_blend_epi32(a, _mm256_castpd_si256(_mm256_set1_pd(0x1p52)), 0xAA);

	return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(0x1p84 + 0x1p52)),
			     _mm256_castsi256_pd(low));
}
/* Return integers from 0 on times 2^-24 or 2^-53. A subtraction that stops at 0 lowers the exponent of the first: it
 * shares fewer units with AES than a product. The second would gain nothing. */
static inline f32v f32_over_2_24(f32v a)
{
	return _mm256_castsi256_ps(_mm256_subs_epu16(_mm256_castps_si256(a), u32_set(24u << 23)));
}
static inline f64v f64_over_2_53(f64v a) { return _mm256_mul_pd(a, _mm256_set1_pd(0x1p-53)); }

static inline f32v f32_max(f32v a, f32v b) { return _mm256_max_ps(a, b); }
static inline f64v f64_max(f64v a, f64v b) { return _mm256_max_pd(a, b); }
static inline u32v f32_bits(f32v a) { return _mm256_castps_si256(a); }
static inline u64v f64_bits(f64v a) { return _mm256_castpd_si256(a); }
static inline f32v f32_of_bits(u32v a) { return _mm256_castsi256_ps(a); }
static inline f64v f64_of_bits(u64v a) { return _mm256_castsi256_pd(a); }
/* Returns the 64-bit products of the even 32-bit elements. */
static inline u64v u64_mul32(u32v a, u32v b) { return _mm256_mul_epu32(a, b); }
/* Copies each odd element to the even place before it; swaps the two elements of each pair. */
static inline u32v u32_from_odd(u32v a) { return _mm256_shuffle_epi32(a, 0xF5); }
static inline u32v u64_swap32(u32v a) { return _mm256_shuffle_epi32(a, 0xB1); }
/* Returns the low halves of 64-bit elements: those of a, and above them those of b. */
static inline u64v u64_join_low(u64v a, u64v b) { return _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0xAA); }
static inline u32v u32_xor3(u32v a, u32v b, u32v c) { return _mm256_xor_si256(_mm256_xor_si256(a, c), b); }
static inline u32v u32_xor_and(u32v a, u32v b, u32v c) { return u32_xor(a, u32_and(b, c)); }
static inline u64v u64_set(uint64_t a) { return _mm256_set1_epi64x((long long)a); }
static inline u64v u64_add(u64v a, u64v b) { return _mm256_add_epi64(a, b); }
static inline u64v u64_sub(u64v a, u64v b) { return _mm256_sub_epi64(a, b); }
static inline u64v u64_and(u64v a, u64v b) { return _mm256_and_si256(a, b); }
#define U32_SHL(a, bits) _mm256_slli_epi32(a, bits)
#define U64_SHL(a, bits) _mm256_slli_epi64(a, bits)
/* Converts the signed integer in the top 12 bits (above a double's fraction), -2048 to 2047. */
static inline f64v f64_from_i12(u64v a)
{
	/* Adds an offset that makes a non-negative, uses it as the fraction of a double in [2^52, 2^53), and subtracts
	 * both. */
	const u64v biased = _mm256_srli_epi64(_mm256_add_epi64(a, u64_set(1ull << 63)), 52);

	return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(biased, _mm256_castpd_si256(_mm256_set1_pd(0x1p52)))),
			     _mm256_set1_pd(0x1p52 + 2048));
}
/* Negates a where the top bit of `signs` is set. */
static inline f32v f32_flip(f32v a, u32v signs)
{
	return _mm256_xor_ps(a, f32_of_bits(u32_and(signs, u32_set(0x80000000))));
}
static inline f64v f64_flip(f64v a, u64v signs)
{
	return _mm256_xor_pd(a, f64_of_bits(u64_and(signs, u64_set(1ull << 63))));
}
/* Returns b where bit 0 of `which` is set, else a. */
static inline f32v f32_select(u32v which, f32v a, f32v b)
{
	return _mm256_blendv_ps(a, b, f32_of_bits(U32_SHL(which, 31)));
}
static inline f64v f64_select(u64v which, f64v a, f64v b)
{
	return _mm256_blendv_pd(a, b, f64_of_bits(U64_SHL(which, 63)));
}
/* Splits a, b into even and odd elements. Their order is arbitrary, the same in both, and undone by zip. */
static inline void f32_unzip(f32v a, f32v b, f32v *ret_even, f32v *ret_odd)
{
	*ret_even = _mm256_shuffle_ps(a, b, 0x88);
	*ret_odd = _mm256_shuffle_ps(a, b, 0xDD);
}
static inline void f64_unzip(f64v a, f64v b, f64v *ret_even, f64v *ret_odd)
{
	*ret_even = _mm256_unpacklo_pd(a, b);
	*ret_odd = _mm256_unpackhi_pd(a, b);
}
static inline void f32_zip(f32v even, f32v odd, f32v *ret_a, f32v *ret_b)
{
	*ret_a = _mm256_unpacklo_ps(even, odd);
	*ret_b = _mm256_unpackhi_ps(even, odd);
}
static inline void f64_zip(f64v even, f64v odd, f64v *ret_a, f64v *ret_b)
{
	*ret_a = _mm256_unpacklo_pd(even, odd);
	*ret_b = _mm256_unpackhi_pd(even, odd);
}

#endif
