/* SPDX-License-Identifier: Apache-2.0 */
/* Making quasi-random points of any kind: the entry that callers outside this folder use. */
#ifndef TRNSCI_DISTRIBUTIONS_POINTS_H
#define TRNSCI_DISTRIBUTIONS_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "distributions/quasi/points_settings.h"

/* Returns how many points there are: Sobol 2^bits, Halton 2^50, lattice 2^53, Latin hypercube n. */
uint64_t points_limit(const struct points_settings *settings);

/* Returns whether the kind can be scrambled that way. */
bool points_can_scramble(enum points_kind kind, enum points_scramble scramble);

/* The tables of a set of points, read by any number of threads. */
struct points;

/* Allocates and builds the tables. The settings respect the limits above, and their stream exists. Uses the kernels
 * that the CPU_ features allow. On success *ret_points is the caller's. Returns 0 or -ERROR_NO_MEMORY. Takes up to half
 * a millisecond (a thousand dimensions), but tens of milliseconds for a Latin hypercube of thousands of dimensions. */
int points_create(const struct points_settings *settings, uint32_t features, struct points **ret_points);

/* Does the same in steps: call points_start, then points_build until it returns 0 instead of 1. A call takes no
 * longer than a chunk. Points can be filled once points_build has returned 0. */
int points_start(const struct points_settings *settings, uint32_t features, struct points **ret_points);
int points_build(struct points *points);

void points_free(struct points *points); /* accepts NULL */

/* Return the bytes that the tables take, and about how many nanoseconds points_create takes. */
size_t points_bytes(const struct points_settings *settings);
uint64_t points_cost_ns(const struct points_settings *settings);
/* Returns about the picoseconds that a coordinate takes in a long run of points, rounded up generously. */
uint64_t points_coordinate_ps(const struct points_settings *settings, uint32_t features);

/* Writes elements [begin, begin + n) of the array, point by point, to out, n elements of the dtype at any alignment.
 * The caller is inside fpenv_enter. Uses at most 64 KiB of stack. Any thread. */
void points_fill(const struct points *points, uint64_t begin, size_t n, void *out);

#endif
