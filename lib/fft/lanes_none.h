/* SPDX-License-Identifier: Apache-2.0 */
/* Forgets the words that lanes_f32.h and lanes_f64.h define. */
#undef real
#undef vec
#undef LANES
#undef LOCAL
#undef v_load
#undef v_store
#undef v_load_part
#undef v_store_part
#undef v_set
#undef v_add
#undef v_sub
#undef v_mul
#undef v_muladd
#undef v_mulsub
#undef v_nmuladd
#undef v_order_t
#undef v_order
#undef v_split
#undef v_join
#undef v_transpose
#undef v_reverse
#undef v_gather_square
#undef v_scatter_square
