/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of base/simd/simd.h: arithmetic of 64-bit integers, F64_LANES at a time. */
#ifndef TRNSCI_BASE_SIMD_U64_H
#define TRNSCI_BASE_SIMD_U64_H

#include "base/simd/simd_bits.h"

/* clang-format off */
#if defined(SIMD_AVX2) || defined(SIMD_NEON)

/* Returns the low 64 bits of the product, from 32-bit multiplications: these instruction sets have no other. */
static inline u64v u64_mul(u64v a, u64v b)
{
	const u64v low_high = u64_mul32(a, U64_SHR(b, 32)), high_low = u64_mul32(U64_SHR(a, 32), b);

	return u64_add(u64_mul32(a, b), U64_SHL(u64_add(low_high, high_low), 32));
}

#endif

#if defined(SIMD_AVX512)

static inline void u64_store(void *at, u64v a) { _mm512_storeu_si512(at, a); }
static inline u64v u64_xor(u64v a, u64v b) { return _mm512_xor_si512(a, b); }
/* Returns the low 64 bits of the product. */
static inline u64v u64_mul(u64v a, u64v b) { return _mm512_mullo_epi64(a, b); }
/* Returns a mod b, for a < 2 b; both below 2^63. */
static inline u64v u64_wrap(u64v a, u64v b) { return _mm512_min_epu64(a, _mm512_sub_epi64(a, b)); }
/* Compares a < b; both below 2^63. */
static inline m64v u64_less(u64v a, u64v b) { return _mm512_cmplt_epi64_mask(a, b); }
/* Converts integers below 2^52. */
static inline f64v f64_from_u52(u64v a) { return _mm512_cvtepu64_pd(a); }
/* Stores the lanes whose mask is set next to each other. Up to F64_LANES elements at `at` are overwritten. */
static inline void u64_pack(uint64_t *at, m64v mask, u64v a)
{
	_mm512_storeu_si512(at, _mm512_maskz_compress_epi64(mask, a));
}

#elif defined(SIMD_AVX2)

static inline void u64_store(void *at, u64v a) { _mm256_storeu_si256(at, a); }
static inline u64v u64_xor(u64v a, u64v b) { return _mm256_xor_si256(a, b); }
/* Returns a mod b, for a < 2 b; both below 2^63. */
static inline u64v u64_wrap(u64v a, u64v b)
{
	const __m256d less = f64_of_bits(u64_sub(a, b));

	return f64_bits(_mm256_blendv_pd(less, f64_of_bits(a), less));
}
/* Compares a < b; both below 2^63. */
static inline m64v u64_less(u64v a, u64v b) { return f64_of_bits(_mm256_cmpgt_epi64(b, a)); }

#elif defined(SIMD_NEON)

static inline void u64_store(void *at, u64v a) { vst1q_u32(at, a); }
static inline u64v u64_xor(u64v a, u64v b) { return veorq_u32(a, b); }
/* Compares a < b; both below 2^63. */
static inline m64v u64_less(u64v a, u64v b) { return vcltq_u64(AS_U64(a), AS_U64(b)); }
/* Returns a mod b, for a < 2 b; both below 2^63. */
static inline u64v u64_wrap(u64v a, u64v b)
{
	return OF_U64(vbslq_u64(u64_less(a, b), AS_U64(a), AS_U64(u64_sub(a, b))));
}

#else

static inline void u64_store(void *at, u64v a) { memcpy(at, &a, sizeof a); }
static inline u64v u64_xor(u64v a, u64v b) { return a ^ b; }
/* Returns the product of the low 32 bits. */
static inline u64v u64_mul32(u64v a, u64v b) { return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF); }
/* Returns the low 64 bits of the product. */
static inline u64v u64_mul(u64v a, u64v b) { return a * b; }
/* Returns a mod b, for a < 2 b; both below 2^63. */
static inline u64v u64_wrap(u64v a, u64v b) { return a < b ? a : a - b; }
/* Compares a < b; both below 2^63. */
static inline m64v u64_less(u64v a, u64v b) { return a < b; }
/* Converts integers below 2^52. */
static inline f64v f64_from_u52(u64v a) { return (double)(int64_t)a; }

#endif
/* clang-format on */

#if !defined(SIMD_AVX512)
/* Stores the lanes whose mask is set next to each other. Up to F64_LANES elements at `at` are overwritten. */
static inline void u64_pack(uint64_t *at, m64v mask, u64v a)
{
	uint64_t lanes[F64_LANES];

	u64_store(lanes, a);
	for (unsigned i = 0; i < F64_LANES; i++) {
		*at = lanes[i];
		at += m64_bits(mask) >> i & 1;
	}
}
#endif

#if defined(SIMD_AVX2) || defined(SIMD_NEON)
/* Converts integers below 2^52: they become the fraction of a double in [2^52, 2^53). */
static inline f64v f64_from_u52(u64v a)
{
	return f64_sub(f64_of_bits(u64_or(a, u64_set(0x4330000000000000))), f64_set(0x1p52));
}
#endif

#endif
