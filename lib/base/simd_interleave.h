/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of complex numbers: (re, im) pairs to vectors of parts and back, square transposes, ends of rows.
 *
 * Beside base/simd.h, and chosen the same way. An order says which member of a pair comes first: by exchanging them
 * on the way in and on the way out, a forward transform becomes the inverse at no cost. */
#ifndef TRNSCI_BASE_SIMD_INTERLEAVE_H
#define TRNSCI_BASE_SIMD_INTERLEAVE_H

#include "base/simd.h"

/* Each variant defines, for f32 and f64:
 *   f32_order(exchange)                       the order, re first or im first
 *   f32_split(order, a, b, &re, &im)          LANES pairs in two vectors to their parts
 *   f32_join(order, re, im, &a, &b)           and back
 *   f32_gather_square(pairs, step, r, i)      LANES rows of LANES pairs, `step` reals apart, to vectors across the rows:
 *                                             r[j] the firsts and i[j] the seconds of pairs j
 *   f32_scatter_square(pairs, step, r, i)     and back
 *   f32_transpose(rows)                       LANES rows of LANES, in place
 *   f32_reverse(a)                            the last lane first
 *   f32_load_part(at, n), f32_store_part      the first n (0..LANES) elements; the others read as 0
 *   f32_nmuladd(a, b, c)                      c - a b, fused as f32_muladd is */
#if defined(SIMD_AVX512)
#include "base/simd_interleave_avx512.h"
#elif defined(SIMD_AVX2)
#include "base/simd_interleave_avx2.h"
#else
#include "base/simd_interleave_scalar.h"
#endif

#endif
