/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the names that the *_body.h files use, for float64. Include it again before the bodies of this precision. */
#include "fft/kernels/lanes_none.h"

#define real double
#define vec f64v
#define LANES F64_LANES
#define LOCAL(stem) SIMD_SUFFIX(stem##_f64)
#define v_load f64_load
#define v_store f64_store
#define v_load_part f64_load_part
#define v_store_part f64_store_part
#define v_set f64_set
#define v_add f64_add
#define v_sub f64_sub
#define v_mul f64_mul
#define v_muladd f64_muladd
#define v_mulsub f64_mulsub
#define v_nmuladd f64_nmuladd
#define v_order_t f64_order_t
#define v_order f64_order
#define v_split f64_split
#define v_join f64_join
#define v_split_lanes f64_split_lanes
#define v_natural f64_natural
#define v_join_lanes f64_join_lanes
#define v_lane f64_lane
#define v_transpose f64_transpose
#define v_reverse f64_reverse
#define v_reverse_pairs f64_reverse_pairs
#define v_gather_square f64_gather_square
#define v_scatter_square f64_scatter_square
#define v_load_group f64_load_group
#define v_transpose_group f64_transpose_group
#define v_join_group f64_join_group
#define v_pair_group f64_pair_group
#define v_stream f64_stream
#define v_stream_end stream_end
