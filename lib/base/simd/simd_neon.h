/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 128 bits: AArch64's Advanced SIMD. Included by base/simd/simd.h.
 *
 * Integers of 32 and of 64 bits share one type, as on other CPUs. */
#ifndef TRNSCI_BASE_SIMD_NEON_H
#define TRNSCI_BASE_SIMD_NEON_H

#include <arm_neon.h>
#include <stdint.h>

#include "base/cpu.h"

#define SIMD_NAME "neon"
#define SIMD_NEEDS ((uint32_t)CPU_NEON)
#define SIMD_FUSED
#define SIMD_SUFFIX(stem) SIMD_SUFFIX_(stem)
#define SIMD_SUFFIX_(stem) stem##_neon

typedef float32x4_t f32v;
typedef float64x2_t f64v;
typedef uint32x4_t u32v;
typedef uint32x4_t u64v;

enum { F32_LANES = 4, F64_LANES = 2, U32_LANES = 4 };

#define AS_U64(a)  vreinterpretq_u64_u32(a)
#define AS_S64(a)  vreinterpretq_s64_u32(a)
#define OF_U64(a)  vreinterpretq_u32_u64(a)

static inline f32v f32_load(const float *at) { return vld1q_f32(at); }
static inline f64v f64_load(const double *at) { return vld1q_f64(at); }
static inline void f32_store(float *at, f32v a) { vst1q_f32(at, a); }
static inline void f64_store(double *at, f64v a) { vst1q_f64(at, a); }
static inline f32v f32_set(float a) { return vdupq_n_f32(a); }
static inline f64v f64_set(double a) { return vdupq_n_f64(a); }
static inline f32v f32_add(f32v a, f32v b) { return vaddq_f32(a, b); }
static inline f64v f64_add(f64v a, f64v b) { return vaddq_f64(a, b); }
static inline f32v f32_sub(f32v a, f32v b) { return vsubq_f32(a, b); }
static inline f64v f64_sub(f64v a, f64v b) { return vsubq_f64(a, b); }
static inline f32v f32_mul(f32v a, f32v b) { return vmulq_f32(a, b); }
static inline f64v f64_mul(f64v a, f64v b) { return vmulq_f64(a, b); }
static inline f32v f32_fma(f32v a, f32v b, f32v c) { return vfmaq_f32(c, a, b); }
static inline f64v f64_fma(f64v a, f64v b, f64v c) { return vfmaq_f64(c, a, b); }
static inline f32v f32_muladd(f32v a, f32v b, f32v c) { return vfmaq_f32(c, a, b); }
static inline f64v f64_muladd(f64v a, f64v b, f64v c) { return vfmaq_f64(c, a, b); }
static inline f32v f32_mulsub(f32v a, f32v b, f32v c) { return vfmaq_f32(vnegq_f32(c), a, b); }
static inline f64v f64_mulsub(f64v a, f64v b, f64v c) { return vfmaq_f64(vnegq_f64(c), a, b); }
static inline f32v f32_sqrt(f32v a) { return vsqrtq_f32(a); }
static inline f64v f64_sqrt(f64v a) { return vsqrtq_f64(a); }

/* Return b where either is NaN, as on other CPUs. */
static inline f64v f64_min(f64v a, f64v b) { return vbslq_f64(vcltq_f64(a, b), a, b); }
static inline f32v f32_max(f32v a, f32v b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
static inline f64v f64_max(f64v a, f64v b) { return vbslq_f64(vcgtq_f64(a, b), a, b); }
/* Loads F64_LANES floats as doubles; stores doubles rounded to floats. */
static inline f64v f64_load_f32(const float *at) { return vcvt_f64_f32(vld1_f32(at)); }
static inline void f64_store_f32(float *at, f64v a) { vst1_f32(at, vcvt_f32_f64(a)); }

static inline u32v u32_load(const void *at) { return vreinterpretq_u32_u8(vld1q_u8(at)); }
static inline void u32_store(void *at, u32v a) { vst1q_u8(at, vreinterpretq_u8_u32(a)); }
static inline u32v u32_set(uint32_t a) { return vdupq_n_u32(a); }
static inline u64v u64_set(uint64_t a) { return OF_U64(vdupq_n_u64(a)); }
static inline u32v u32_add(u32v a, u32v b) { return vaddq_u32(a, b); }
static inline u64v u64_add(u64v a, u64v b) { return OF_U64(vaddq_u64(AS_U64(a), AS_U64(b))); }
static inline u32v u32_sub(u32v a, u32v b) { return vsubq_u32(a, b); }
static inline u64v u64_sub(u64v a, u64v b) { return OF_U64(vsubq_u64(AS_U64(a), AS_U64(b))); }
static inline u32v u32_xor(u32v a, u32v b) { return veorq_u32(a, b); }
static inline u32v u32_and(u32v a, u32v b) { return vandq_u32(a, b); }
static inline u64v u64_and(u64v a, u64v b) { return vandq_u32(a, b); }
#define U32_SHL(a, bits) vshlq_n_u32(a, bits)
#define U64_SHL(a, bits) OF_U64(vshlq_n_u64(AS_U64(a), bits))
#define U32_ROTL(a, bits) vsriq_n_u32(vshlq_n_u32(a, bits), a, 32 - (bits))
#define U64_ROTL(a, bits) OF_U64(vsriq_n_u64(vshlq_n_u64(AS_U64(a), bits), AS_U64(a), 64 - (bits)))
/* Interleave within each 128 bits, as the instructions of x86 do. */
static inline u32v u32_unpack_low(u32v a, u32v b) { return vzip1q_u32(a, b); }
static inline u32v u32_unpack_high(u32v a, u32v b) { return vzip2q_u32(a, b); }
static inline u32v u64_unpack_low(u32v a, u32v b) { return OF_U64(vzip1q_u64(AS_U64(a), AS_U64(b))); }
static inline u32v u64_unpack_high(u32v a, u32v b) { return OF_U64(vzip2q_u64(AS_U64(a), AS_U64(b))); }
/* Interleave units of 128 bits: a vector is one of them. */
static inline u32v u128_zip_low(u32v a, u32v b) { (void)b; return a; }
static inline u32v u128_zip_high(u32v a, u32v b) { (void)a; return b; }
static inline u32v u64_srl11(u32v a) { return OF_U64(vshrq_n_u64(AS_U64(a), 11)); }
static inline f32v f32_from_i32(u32v a) { return vcvtq_f32_s32(vreinterpretq_s32_u32(a)); }
/* Converts 64-bit integers below 2^53. */
static inline f64v f64_from_u53(u32v a) { return vcvtq_f64_u64(AS_U64(a)); }
/* Return integers from 0 on times 2^-24 or 2^-53. */
static inline f32v f32_over_2_24(f32v a) { return vmulq_n_f32(a, 0x1p-24f); }
static inline f64v f64_over_2_53(f64v a) { return vmulq_n_f64(a, 0x1p-53); }

static inline u32v f32_bits(f32v a) { return vreinterpretq_u32_f32(a); }
static inline u64v f64_bits(f64v a) { return vreinterpretq_u32_f64(a); }
static inline f32v f32_of_bits(u32v a) { return vreinterpretq_f32_u32(a); }
static inline f64v f64_of_bits(u64v a) { return vreinterpretq_f64_u32(a); }
/* Returns the 64-bit products of the even 32-bit elements. */
static inline u64v u64_mul32(u32v a, u32v b) { return OF_U64(vmull_u32(vmovn_u64(AS_U64(a)), vmovn_u64(AS_U64(b)))); }
/* Copies each odd element to the even place before it; swaps the two elements of each pair. */
static inline u32v u32_from_odd(u32v a) { return vtrn2q_u32(a, a); }
static inline u32v u64_swap32(u32v a) { return vrev64q_u32(a); }
/* Returns the low halves of 64-bit elements: those of a, and above them those of b. */
static inline u64v u64_join_low(u64v a, u64v b) { return OF_U64(vsliq_n_u64(AS_U64(a), AS_U64(b), 32)); }
static inline u32v u32_xor3(u32v a, u32v b, u32v c) { return veorq_u32(veorq_u32(a, c), b); }
static inline u32v u32_xor_and(u32v a, u32v b, u32v c) { return veorq_u32(a, vandq_u32(b, c)); }
/* Converts the signed integer in the top 12 bits (above a double's fraction), -2048 to 2047. */
static inline f64v f64_from_i12(u64v a) { return vcvtq_f64_s64(vshrq_n_s64(AS_S64(a), 52)); }
/* Negates a where the top bit of `signs` is set. */
static inline f32v f32_flip(f32v a, u32v signs)
{
	return f32_of_bits(u32_xor_and(f32_bits(a), signs, u32_set(0x80000000)));
}
static inline f64v f64_flip(f64v a, u64v signs)
{
	return f64_of_bits(u32_xor_and(f64_bits(a), signs, u64_set(1ull << 63)));
}
/* Returns b where bit 0 of `which` is set, else a. */
static inline f32v f32_select(u32v which, f32v a, f32v b) { return vbslq_f32(vtstq_u32(which, u32_set(1)), b, a); }
static inline f64v f64_select(u64v which, f64v a, f64v b)
{
	return vbslq_f64(vtstq_u64(AS_U64(which), vdupq_n_u64(1)), b, a);
}
/* Splits a, b into even and odd elements. Their order is arbitrary, the same in both, and undone by zip. */
static inline void f32_unzip(f32v a, f32v b, f32v *ret_even, f32v *ret_odd)
{
	*ret_even = vuzp1q_f32(a, b);
	*ret_odd = vuzp2q_f32(a, b);
}
static inline void f64_unzip(f64v a, f64v b, f64v *ret_even, f64v *ret_odd)
{
	*ret_even = vuzp1q_f64(a, b);
	*ret_odd = vuzp2q_f64(a, b);
}
static inline void f32_zip(f32v even, f32v odd, f32v *ret_a, f32v *ret_b)
{
	*ret_a = vzip1q_f32(even, odd);
	*ret_b = vzip2q_f32(even, odd);
}
static inline void f64_zip(f64v even, f64v odd, f64v *ret_a, f64v *ret_b)
{
	*ret_a = vzip1q_f64(even, odd);
	*ret_b = vzip2q_f64(even, odd);
}

#endif
