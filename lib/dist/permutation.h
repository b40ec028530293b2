/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations of 0 .. items - 1, addressable at any index. */
#ifndef TRNSCI_DIST_PERMUTATION_H
#define TRNSCI_DIST_PERMUTATION_H

#include "dist/draw.h"
#include "dist/feistel.h"

/* Samples [begin, begin + n), n int64 of any alignment: sample c items + i is element i of permutation c, each of them
 * independent of the others. Up to PERMUTATION_SHUFFLED items every order is equally likely; beyond, permutations come
 * from a keyed bijection (permutation.c). */
enum {
	PERMUTATION_SHUFFLED = 1024,
	/* Permutations read draws below this one of their stream. */
	PERMUTATION_DRAWS = 64,
};

/* The permutation of items <= PERMUTATION_SHUFFLED whose first sample is `first`, whole. */
void permutation_shuffle(const struct rng_kernel *generator, const struct stream *stream, uint64_t first, size_t items,
			 uint16_t *ret_order);

/* The network of a permutation of more items. */
void permutation_network(const struct rng_kernel *generator, const struct stream *stream, uint64_t first,
			 uint64_t items, struct feistel_modular *ret_network);

void permutation_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
