/* SPDX-License-Identifier: Apache-2.0 */
/* Draws of vectors: dirichlet and sphere. Component c of sample k, of D components, is element k D + c. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_VECTORS_H
#define TRNSCI_DISTRIBUTIONS_DRAW_VECTORS_H

#include "distributions/draw/draw.h"

/* Writes elements [begin, begin + n) to out, at any alignment; both ends may cut a vector. */
void draw_vectors_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
