/* SPDX-License-Identifier: Apache-2.0 */
/* Latin hypercubes: n points, exactly one of them in each of the n cells [c / n, (c + 1) / n) of each dimension.
 *
 * By the default method, point i's cell in dimension j is element i of permutation j of the stream (permutation.h), so
 * that every order of up to PERMUTATION_SHUFFLED cells is equally likely. LHS_FEISTEL8 replays the designs of release
 * 0.1: a bijection of eight rounds (feistel.h, binary), under which some orders are far more likely than others. Within
 * its cell a point lies in the middle, or at random by the words of a draw that the permutations do not read. Source:
 * M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239-245. */
#ifndef TRNSCI_DISTRIBUTIONS_LATIN_HYPERCUBE_H
#define TRNSCI_DISTRIBUTIONS_LATIN_HYPERCUBE_H

#include "distributions/quasi/points_settings.h"

enum { LATIN_HYPERCUBE_DIMS = 4096, LATIN_HYPERCUBE_LOG2_POINTS = 32 };

struct latin_hypercube;

/* Like points_start and points_free. */
int latin_hypercube_create(const struct points_settings *settings, uint32_t features,
			   struct latin_hypercube **ret_design);
void latin_hypercube_free(struct latin_hypercube *design);

/* Builds the tables of some dimensions, in about CHUNK_AIM_NS. Returns 1 while dimensions are left, then 0. */
int latin_hypercube_build(struct latin_hypercube *design);

/* Return the bytes of the tables, and about how many nanoseconds it takes to build them. */
size_t latin_hypercube_bytes(const struct points_settings *settings);
uint64_t latin_hypercube_cost_ns(const struct points_settings *settings);

/* Writes coordinates [begin, begin + n), point by point. */
void latin_hypercube_fill(const struct latin_hypercube *design, uint64_t begin, size_t n, double *ret_x);

#endif
