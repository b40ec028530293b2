/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations of 0 .. items - 1, addressable at any index. */
#ifndef TRNSCI_DIST_PERMUTATION_H
#define TRNSCI_DIST_PERMUTATION_H

#include "dist/draw.h"

/* Samples [begin, begin + n), n int64 of any alignment: sample c items + i is element i of permutation c, each of them
 * independent of the others. Up to PERMUTATION_SHUFFLED items every order is equally likely; beyond, permutations come
 * from a keyed bijection (permutation.c). */
enum { PERMUTATION_SHUFFLED = 1024 };

void permutation_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
