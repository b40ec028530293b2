/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations of 0 .. items - 1, addressable at any index. */
#ifndef TRNSCI_DISTRIBUTIONS_PERMUTATION_H
#define TRNSCI_DISTRIBUTIONS_PERMUTATION_H

#include "math/feistel.h"
#include "rng/stream.h"

enum {
	/* The most items of a shuffled permutation, where every order is equally likely. Larger permutations come from a
	 * keyed bijection, which reaches only some of the orders. */
	PERMUTATION_SHUFFLED = 1024,
	/* Permutations read words of the stream's draws below this number. */
	PERMUTATION_DRAWS = 64,
};

/* Writes the whole permutation of items <= PERMUTATION_SHUFFLED whose first sample is `first`: ret_order[i] is element i.
 */
void permutation_shuffle(const struct rng_kernel *generator, const struct stream *stream, uint64_t first, size_t items,
			 uint16_t *ret_order);

/* Derives the network whose image of i is element i of the permutation of any number of items up to 2^62. */
void permutation_network(const struct rng_kernel *generator, const struct stream *stream, uint64_t first,
			 uint64_t items, struct feistel_modular *ret_network);

#endif
