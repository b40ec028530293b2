/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of complex numbers: conversion between (re, im) pairs in memory and vectors of parts, square transposes, and
 * rows that end within a vector.
 *
 * An order says which member of a pair is the real part. Exchanging them on the way in and on the way out turns a
 * forward transform into the inverse at no cost. */
#ifndef TRNSCI_BASE_SIMD_INTERLEAVE_H
#define TRNSCI_BASE_SIMD_INTERLEAVE_H

#include "base/simd/simd.h"

/* Each variant defines, for f32 and f64:
 *   f32_order(exchange)                    returns the order: re first, or im first with exchange
 *   f32_split(order, a, b, &re, &im)       splits LANES pairs in two vectors into their parts
 *   f32_join(order, re, im, &a, &b)        undoes f32_split
 *   f32_split_lanes(exchange, a, b, &re, &im)  splits pairs to parts whose lane i holds element f32_lane(i); exchange as in
 *                                          an order, but a constant
 *   f32_join_lanes(exchange, re, im, &a, &b)   undoes f32_split_lanes
 *   f32_lane(i)                            where LANES_DEALT is 1: 64 bits of elements come from the first half, the next
 *                                          64 bits from the second half, and so on in turn
 *   f32_natural(a)                         returns parts from f32_split_lanes with element i in lane i
 *   f32_gather_square(pairs, step, r, i)   loads LANES rows of LANES pairs, `step` reals apart, as columns: r[j] has
 *                                          the first members of all rows' pairs j, i[j] the second
 *   f32_scatter_square(pairs, step, r, i)  stores what f32_gather_square loads
 *   f32_transpose(rows)                    transposes LANES rows of LANES in place
 *   f32_reverse(a)                         reverses the lanes, where LANES_DEALT is 0
 *   f32_reverse_pairs(a)                   reverses the order of the pairs in memory, where LANES_DEALT is 1
 *   f32_load_part(at, n)                   loads the first n (0 to LANES) elements; the other lanes are 0
 *   f32_store_part(at, n, a)               stores the first n lanes
 *   f32_nmuladd(a, b, c)                   returns c - a b, fused where f32_muladd is */
#if defined(SIMD_AVX512)
#include "base/simd/simd_interleave_avx512.h"
#elif defined(SIMD_AVX2)
#include "base/simd/simd_interleave_avx2.h"
#elif defined(SIMD_NEON)
#include "base/simd/simd_interleave_neon.h"
#else
#include "base/simd/simd_interleave_scalar.h"
#endif

#endif
