/* SPDX-License-Identifier: Apache-2.0 */
/* Halton's sequence: coordinate j of point i is the radical inverse of i in the j-th prime.
 *
 * Digits are permuted by x to a x + c modulo the prime b, with a and c from a hash under a key of the dimension: such
 * maps take each pair of digits to each other pair equally often, so variances are those of uniform permutations.
 * PERMUTATION: one map for each place. OWEN: one for each place and all the digits before it. Scrambled coordinates
 * have all the digits that fit 64 bits (at least 51 bits), the zeros behind i's own included.
 * Sources: J. H. Halton, Numer. Math. 2 (1960) 84-90; J. Matousek, J. Complexity 14 (1998) 527-556 (linear digit
 * scrambling); A. B. Owen, arXiv:1706.02808 (2017). */
#ifndef TRNSCI_DIST_HALTON_H
#define TRNSCI_DIST_HALTON_H

#include "dist/points.h"

enum {
	HALTON_DIMS = 1000,
	/* Indices below 2^50 have fewer digits than any base has places. */
	HALTON_LOG2_POINTS = 50,
};

struct halton;

int halton_create(const struct points_settings *settings, struct halton **ret_halton);
void halton_free(struct halton *halton);

/* Point i < 2^HALTON_LOG2_POINTS: coordinates [dim, dim + n). */
void halton_point(const struct halton *halton, uint64_t i, uint32_t dim, uint32_t n, double *ret_x);

#endif
