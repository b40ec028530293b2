/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons, selection and conversions for AArch64's Advanced SIMD. Included by base/simd/simd_bits.h. */
#ifndef TRNSCI_BASE_SIMD_BITS_NEON_H
#define TRNSCI_BASE_SIMD_BITS_NEON_H

typedef uint32x4_t m32v;
typedef uint64x2_t m64v;

static inline m32v f32_less(f32v a, f32v b) { return vcltq_f32(a, b); }
static inline m64v f64_less(f64v a, f64v b) { return vcltq_f64(a, b); }
static inline m32v m32_and(m32v a, m32v b) { return vandq_u32(a, b); }
static inline m64v m64_and(m64v a, m64v b) { return vandq_u64(a, b); }
static inline m64v m64_or(m64v a, m64v b) { return vorrq_u64(a, b); }
static inline m64v m64_not(m64v a) { return veorq_u64(a, vdupq_n_u64(~0ull)); }
static inline unsigned m64_bits(m64v a) { return (unsigned)((vgetq_lane_u64(a, 0) & 1) | (vgetq_lane_u64(a, 1) & 2)); }
/* Returns b where the mask is set, else a. */
static inline f32v f32_pick(m32v mask, f32v a, f32v b) { return vbslq_f32(mask, b, a); }
static inline f64v f64_pick(m64v mask, f64v a, f64v b) { return vbslq_f64(mask, b, a); }
static inline f32v f32_min(f32v a, f32v b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
static inline f64v f64_abs(f64v a) { return vabsq_f64(a); }
/* Returns b where the sign of a is set, else 0. */
static inline f64v f64_if_negative(f64v a, f64v b)
{
	return f64_of_bits(u32_and(vreinterpretq_u32_s64(vshrq_n_s64(AS_S64(f64_bits(a)), 63)), f64_bits(b)));
}
/* Compares as signed integers. */
static inline m64v i64_less(u64v a, u64v b) { return vcltq_s64(AS_S64(a), AS_S64(b)); }
static inline f64v f64_div(f64v a, f64v b) { return vdivq_f64(a, b); }
static inline f64v f64_floor(f64v a) { return vrndmq_f64(a); }
static inline u64v u64_load(const void *at) { return u32_load(at); }
/* Loads F64_LANES 32-bit words, zero-extended. */
static inline u64v u64_load_u32(const uint32_t *at) { return OF_U64(vmovl_u32(vld1_u32(at))); }
static inline u64v u64_or(u64v a, u64v b) { return vorrq_u32(a, b); }
#define U32_SHR(a, bits) vshrq_n_u32(a, bits)
#define U64_SHR(a, bits) OF_U64(vshrq_n_u64(AS_U64(a), bits))
/* Converts signed 64-bit integers, rounded to nearest. */
static inline f64v f64_from_i64(u64v a) { return vcvtq_f64_s64(AS_S64(a)); }
/* Stores the integers, rounded towards zero; |a| < 2^63. */
static inline void f64_store_i64(int64_t *at, f64v a) { vst1q_s64(at, vcvtq_s64_f64(a)); }
static inline u32v u32_or(u32v a, u32v b) { return vorrq_u32(a, b); }
static inline u32v u32_min(u32v a, u32v b) { return vminq_u32(a, b); }
/* Stores the lanes whose mask is set next to each other. Up to F64_LANES elements at `at` are overwritten. */
static inline void f64_pack(double *at, m64v mask, f64v a)
{
	vst1q_f64(at, m64_bits(mask) == 2 ? vdupq_laneq_f64(a, 1) : a);
}

#endif
