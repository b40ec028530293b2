/* SPDX-License-Identifier: Apache-2.0 */
/* Vector types and operations under the same names on every CPU: an algorithm is written once over them, and compiled
 * once for each instruction set.
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
#include "base/simd_avx512.h"
#elif defined(SIMD_AVX2)
#include "base/simd_avx2.h"
#elif defined(SIMD_NEON)
#include "base/simd_neon.h"
#else
#include "base/simd_scalar.h"
#endif

#endif
