/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of the affine maps by instruction set: what uniform.c makes its table of. */
#ifndef TRNSCI_DIST_UNIFORM_VARIANTS_H
#define TRNSCI_DIST_UNIFORM_VARIANTS_H

#include "dist/uniform.h"

#define UNIFORM_DECLARE(isa)                                                                                           \
	void uniform_range_f32_##isa(float *x, size_t n, double low, double high);                                     \
	void uniform_range_f64_##isa(double *x, size_t n, double low, double high);                                    \
	void uniform_affine_f32_##isa(float *x, size_t n, double scale, double shift);                                 \
	void uniform_affine_f64_##isa(double *x, size_t n, double scale, double shift)

UNIFORM_DECLARE(avx512);
UNIFORM_DECLARE(avx2);
UNIFORM_DECLARE(scalar);

#endif
