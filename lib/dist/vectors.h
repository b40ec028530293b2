/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions whose samples have components: dirichlet and points on a sphere. Component c of sample k is element k D
 * + c. */
#ifndef TRNSCI_DIST_VECTORS_H
#define TRNSCI_DIST_VECTORS_H

#include "dist/draw.h"

/* Elements [begin, begin + n), from any component to any; the vectors that they cut are made whole on the stack. */
void vectors_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
