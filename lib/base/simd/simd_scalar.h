/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of one element, in plain C: the reference for the others. Included by base/simd/simd.h. */
#ifndef TRNSCI_BASE_SIMD_SCALAR_H
#define TRNSCI_BASE_SIMD_SCALAR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SIMD_NAME "scalar"
#define SIMD_NEEDS 0u
#define SIMD_SUFFIX(stem) SIMD_SUFFIX_(stem)
#define SIMD_SUFFIX_(stem) stem##_scalar

typedef float f32v;
typedef double f64v;
typedef uint32_t u32v;
typedef uint64_t u64v;

/* Every AArch64 CPU has fused operations in its base; of the others, only those with vectors are assumed to. */
#if defined(__aarch64__)
#define SIMD_FUSED
#endif

enum { F32_LANES = 1, F64_LANES = 1, U32_LANES = 1 };

static inline f32v f32_load(const float *at) { return *at; }
static inline f64v f64_load(const double *at) { return *at; }
static inline void f32_store(float *at, f32v a) { *at = a; }
static inline void f64_store(double *at, f64v a) { *at = a; }
static inline f32v f32_set(float a) { return a; }
static inline f64v f64_set(double a) { return a; }
static inline f32v f32_add(f32v a, f32v b) { return a + b; }
static inline f64v f64_add(f64v a, f64v b) { return a + b; }
static inline f32v f32_sub(f32v a, f32v b) { return a - b; }
static inline f64v f64_sub(f64v a, f64v b) { return a - b; }
static inline f32v f32_mul(f32v a, f32v b) { return a * b; }
static inline f64v f64_mul(f64v a, f64v b) { return a * b; }
static inline f32v f32_fma(f32v a, f32v b, f32v c) { return fmaf(a, b, c); }
static inline f64v f64_fma(f64v a, f64v b, f64v c) { return fma(a, b, c); }
#ifdef SIMD_FUSED
static inline f32v f32_muladd(f32v a, f32v b, f32v c) { return fmaf(a, b, c); }
static inline f64v f64_muladd(f64v a, f64v b, f64v c) { return fma(a, b, c); }
#else
static inline f32v f32_muladd(f32v a, f32v b, f32v c) { return a * b + c; }
static inline f64v f64_muladd(f64v a, f64v b, f64v c) { return a * b + c; }
#endif
static inline f32v f32_mulsub(f32v a, f32v b, f32v c) { return f32_muladd(a, b, -c); }
static inline f64v f64_mulsub(f64v a, f64v b, f64v c) { return f64_muladd(a, b, -c); }
static inline f32v f32_sqrt(f32v a) { return sqrtf(a); }
static inline f64v f64_sqrt(f64v a) { return sqrt(a); }

static inline f64v f64_min(f64v a, f64v b) { return a < b ? a : b; }
/* Loads F64_LANES floats as doubles; stores doubles rounded to floats. */
static inline f64v f64_load_f32(const float *at) { return *at; }
static inline void f64_store_f32(float *at, f64v a) { *at = (float)a; }

static inline f32v f32_max(f32v a, f32v b) { return a > b ? a : b; }
static inline f64v f64_max(f64v a, f64v b) { return a > b ? a : b; }
static inline u32v u32_set(uint32_t a) { return a; }
static inline u64v u64_set(uint64_t a) { return a; }
static inline u32v u32_add(u32v a, u32v b) { return a + b; }
static inline u64v u64_add(u64v a, u64v b) { return a + b; }
static inline u32v u32_sub(u32v a, u32v b) { return a - b; }
static inline u64v u64_sub(u64v a, u64v b) { return a - b; }
static inline u32v u32_and(u32v a, u32v b) { return a & b; }
static inline u64v u64_and(u64v a, u64v b) { return a & b; }
static inline void u32_store(uint32_t *at, u32v a) { *at = a; }
static inline u32v u32_xor(u32v a, u32v b) { return a ^ b; }
#define U32_ROTL(a, bits) ((a) << (bits) | (a) >> (32 - (bits)))
#define U32_SHL(a, bits) ((a) << (bits))
#define U64_SHL(a, bits) ((a) << (bits))
static inline u32v f32_bits(f32v a) { u32v bits; memcpy(&bits, &a, sizeof a); return bits; }
static inline u64v f64_bits(f64v a) { u64v bits; memcpy(&bits, &a, sizeof a); return bits; }
static inline f32v f32_of_bits(u32v bits) { f32v a; memcpy(&a, &bits, sizeof a); return a; }
static inline f64v f64_of_bits(u64v bits) { f64v a; memcpy(&a, &bits, sizeof a); return a; }
static inline f32v f32_from_i32(u32v a) { return (float)(int32_t)a; }
/* Converts the signed integer in the top 12 bits (above a double's fraction), -2048 to 2047. */
static inline f64v f64_from_i12(u64v a) { return (double)((int64_t)a >> 52); }
/* Negates a where the top bit of `signs` is set. */
static inline f32v f32_flip(f32v a, u32v signs) { return f32_of_bits(f32_bits(a) ^ (signs & 0x80000000)); }
static inline f64v f64_flip(f64v a, u64v signs) { return f64_of_bits(f64_bits(a) ^ (signs & 1ull << 63)); }
/* Returns b where bit 0 of `which` is set, else a. */
static inline f32v f32_select(u32v which, f32v a, f32v b) { return which & 1 ? b : a; }
static inline f64v f64_select(u64v which, f64v a, f64v b) { return which & 1 ? b : a; }
/* Splits a, b into even and odd elements. Their order is arbitrary, the same in both, and undone by zip. */
static inline void f32_unzip(f32v a, f32v b, f32v *ret_even, f32v *ret_odd) { *ret_even = a; *ret_odd = b; }
static inline void f64_unzip(f64v a, f64v b, f64v *ret_even, f64v *ret_odd) { *ret_even = a; *ret_odd = b; }
static inline void f32_zip(f32v even, f32v odd, f32v *ret_a, f32v *ret_b) { *ret_a = even; *ret_b = odd; }
static inline void f64_zip(f64v even, f64v odd, f64v *ret_a, f64v *ret_b) { *ret_a = even; *ret_b = odd; }

#endif
