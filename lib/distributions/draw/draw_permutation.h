/* SPDX-License-Identifier: Apache-2.0 */
/* Draws of permutations. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_PERMUTATION_H
#define TRNSCI_DISTRIBUTIONS_DRAW_PERMUTATION_H

#include "distributions/draw/draw.h"

/* Writes samples [begin, begin + n) to out, n int64 at any alignment. Sample c items + i is element i of permutation c;
 * the permutations are independent of each other. */
void draw_permutation_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n,
			   void *out);

#endif
