/* SPDX-License-Identifier: Apache-2.0 */
/* Latin hypercubes: n points of which each dimension has exactly one in each of its n cells [c / n, (c + 1) / n).
 *
 * Point i's cell in a dimension is a keyed bijection of i (feistel.h, binary: on the next even power of 2, so that at
 * most four steps on average lead below n), so any point can be made alone. Its place in the cell is the middle, or
 * jittered by words of draw 1 of the stream. Source: M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979)
 * 239-245. */
#ifndef TRNSCI_DIST_LATIN_HYPERCUBE_H
#define TRNSCI_DIST_LATIN_HYPERCUBE_H

#include "dist/points.h"

enum { LATIN_HYPERCUBE_DIMS = 4096, LATIN_HYPERCUBE_LOG2_POINTS = 32 };

struct latin_hypercube;

/* Kernels are those that the features allow. */
int latin_hypercube_create(const struct points_settings *settings, uint32_t features,
			   struct latin_hypercube **ret_design);
void latin_hypercube_free(struct latin_hypercube *design);
size_t latin_hypercube_bytes(uint32_t dims);

/* Coordinates [begin, begin + n), point by point. */
void latin_hypercube_fill(const struct latin_hypercube *design, uint64_t begin, size_t n, double *ret_x);

#endif
