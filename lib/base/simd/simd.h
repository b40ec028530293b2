/* SPDX-License-Identifier: Apache-2.0 */
/* Vector types and operations under the same names on every CPU: an algorithm is written once over them, and compiled
 * once for each instruction set.
 *
 *     simd.h              types, loads, arithmetic (below)
 *     simd_bits.h         masks, comparisons, selection by lane, conversions of 64-bit integers
 *     simd_u64.h          64-bit integers: products, remainders, packing
 *     simd_interleave.h   vectors of complex numbers, transposes, rows that end within a vector
 *
 * Each has a part, or a file, for each instruction set. A new operation goes into all of them for which a kernel that
 * uses it is built. The scalar part, where there is one, is the plainest description of what an operation returns.
 *
 *     f32v, f64v        floats and doubles, F32_LANES and F64_LANES of them
 *     u32v, u64v        the same bits as integers; u64v has as many elements as f64v
 *     T_load, T_store   any address
 *     T_stream          past the caches, to an aligned address, on x86-64 alone; stream_end before another thread reads
 *     T_set             all lanes the same
 *     T_min, T_max      b where either is NaN
 *     T_bits, T_of_bits the same bits as another type
 *     T_flip(a, signs)  negates a where the top bit of signs is set
 *     T_select(w, a, b) b where bit 0 of w is set, else a
 *     T_unzip, T_zip    pairs to even and odd elements in an order of its own, and back
 *     CAPITALS          macros: shifts, whose count must be a constant
 *
 * The build compiles X_simd.c with SIMD_AVX512, SIMD_AVX2 or SIMD_NEON defined. Without any of them (in X.c) a vector
 * has one element. Two kinds of multiply-add differ on purpose:
 *   f32_fma, f64_fma        always fused (in software where the CPU has none): for random numbers, which give the
 *                           same bytes everywhere;
 *   f32_muladd, f64_muladd  fused where the instruction set has it (SIMD_FUSED), else two roundings: for transforms,
 *                           whose bytes are the same in all instruction sets that have it. */
#ifndef TRNSCI_BASE_SIMD_H
#define TRNSCI_BASE_SIMD_H

#if defined(SIMD_AVX512)
#include "base/simd/simd_avx512.h"
#elif defined(SIMD_AVX2)
#include "base/simd/simd_avx2.h"
#elif defined(SIMD_NEON)
#include "base/simd/simd_neon.h"
#else
#include "base/simd/simd_scalar.h"
#endif

#endif
