/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of one element, in plain C: the reference that the others are held against. Included by base/simd.h. */
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

enum { F32_LANES = 1, F64_LANES = 1 };

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
static inline f32v f32_muladd(f32v a, f32v b, f32v c) { return a * b + c; }
static inline f64v f64_muladd(f64v a, f64v b, f64v c) { return a * b + c; }
static inline f32v f32_mulsub(f32v a, f32v b, f32v c) { return a * b - c; }
static inline f64v f64_mulsub(f64v a, f64v b, f64v c) { return a * b - c; }
static inline f32v f32_sqrt(f32v a) { return sqrtf(a); }
static inline f64v f64_sqrt(f64v a) { return sqrt(a); }

static inline f64v f64_min(f64v a, f64v b) { return a < b ? a : b; }
/* F64_LANES floats, widened; and doubles rounded to F64_LANES floats. */
static inline f64v f64_load_f32(const float *at) { return *at; }
static inline void f64_store_f32(float *at, f64v a) { *at = (float)a; }

#endif
