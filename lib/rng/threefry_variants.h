/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of Threefry by instruction set: what threefry.c makes its table of. */
#ifndef TRNSCI_RNG_THREEFRY_VARIANTS_H
#define TRNSCI_RNG_THREEFRY_VARIANTS_H

#include "rng/threefry.h"

#define THREEFRY_DECLARE(isa)                                                                                          \
	void threefry_bits_##isa(const struct threefry_span *span, size_t n_groups, uint32_t *ret_words);              \
	void threefry_uniform_f32_##isa(const struct threefry_span *span, size_t n_groups, float *ret_uniforms);       \
	void threefry_uniform_f64_##isa(const struct threefry_span *span, size_t n_groups, double *ret_uniforms)

#define THREEFRY_ROW(isa, needs)                                                                                       \
	{                                                                                                              \
		#isa, needs, threefry_bits_##isa, threefry_uniform_f32_##isa, threefry_uniform_f64_##isa               \
	}

THREEFRY_DECLARE(avx512);
THREEFRY_DECLARE(avx2);
THREEFRY_DECLARE(scalar);

#endif
