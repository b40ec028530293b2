/* SPDX-License-Identifier: Apache-2.0 */
/* The product loops of one variant. The includer defines ROWS and VECTORS (vectors in a row of a panel). */
#include "base/simd/simd.h"
#include "gemm/tile.h"
#include "gemm/vectors_body.h"

/* Loops over accumulators must vanish before the compiler decides what is kept in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#define real            float
#define vec             f32v
#define LANES           F32_LANES
#define LOCAL(stem)     stem##_f32
#define v_load          f32_load
#define v_store         f32_store
#define v_set           f32_set
#define v_muladd        f32_muladd
#include "gemm/tile_body.h"
#undef real
#undef vec
#undef LANES
#undef LOCAL
#undef v_load
#undef v_store
#undef v_set
#undef v_muladd

#define real            double
#define vec             f64v
#define LANES           F64_LANES
#define LOCAL(stem)     stem##_f64
#define v_load          f64_load
#define v_store         f64_store
#define v_set           f64_set
#define v_muladd        f64_muladd
#include "gemm/tile_body.h"
