/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the names that the *_body.h files use, for float32. Include it again before the bodies of this precision. */
#include "fft/kernels/lanes_none.h"

#define real float
#define vec f32v
#define LANES F32_LANES
#define LOCAL(stem) SIMD_SUFFIX(stem##_f32)
#define v_load f32_load
#define v_store f32_store
#define v_load_part f32_load_part
#define v_store_part f32_store_part
#define v_set f32_set
#define v_add f32_add
#define v_sub f32_sub
#define v_mul f32_mul
#define v_muladd f32_muladd
#define v_mulsub f32_mulsub
#define v_nmuladd f32_nmuladd
#define v_order_t f32_order_t
#define v_order f32_order
#define v_split f32_split
#define v_join f32_join
#define v_split_lanes f32_split_lanes
#define v_natural f32_natural
#define v_join_lanes f32_join_lanes
#define v_lane f32_lane
#define v_transpose f32_transpose
#define v_reverse f32_reverse
#define v_reverse_pairs f32_reverse_pairs
#define v_gather_square f32_gather_square
#define v_scatter_square f32_scatter_square
#define v_load_group f32_load_group
#define v_transpose_group f32_transpose_group
#define v_join_group f32_join_group
#define v_pair_group f32_pair_group
#define v_stream f32_stream
#define v_stream_end stream_end
