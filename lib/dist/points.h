/* SPDX-License-Identifier: Apache-2.0 */
/* Quasi-random points: the one door to Sobol, Halton, lattice and Latin hypercube for the engine.
 *
 * A set of n points in d dimensions is an array of shape (n, d). Every coordinate is a pure function of (settings,
 * point, dimension), so any part of it can be made anywhere; scrambling takes its keys from a stream. */
#ifndef TRNSCI_DIST_POINTS_H
#define TRNSCI_DIST_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "rng/stream.h"

enum points_kind { POINTS_SOBOL, POINTS_HALTON, POINTS_LATTICE, POINTS_LHS, POINTS_KINDS };

/* PLAIN: the sequence itself, of a Latin hypercube the middles of its cells. OWEN: nested, each digit permuted by what
 * stands before it. SHIFT: Sobol's digits, or the lattice modulo 1, moved by one point. PERMUTATION: each digit
 * permuted, whatever stands before it. JITTER: a place in each cell of a Latin hypercube. */
enum points_scramble {
	SCRAMBLE_PLAIN,
	SCRAMBLE_OWEN,
	SCRAMBLE_SHIFT,
	SCRAMBLE_PERMUTATION,
	SCRAMBLE_JITTER,
};

/* How a Latin hypercube finds its cells (latin_hypercube.h). */
enum lhs_method { LHS_PERMUTATION, LHS_FEISTEL8 };

struct points_settings {
	enum points_kind kind;
	enum dtype dtype; /* F32: the float64 coordinate cut to 24 bits, so never 1; or F64 */
	uint32_t dims;    /* 1 to SOBOL_DIMS, HALTON_DIMS ...: the kind's own limit */
	uint32_t bits;    /* Sobol's resolution: 32 or 53 */
	/* Latin hypercube: points of the whole design, up to 2^32. Others: all indices that will be asked for lie
	 * below, which makes Sobol's tables shorter; 0: any. */
	uint64_t n;
	enum points_scramble scramble;
	struct stream stream;
	enum lhs_method method; /* of a Latin hypercube */
};

/* The points there are: indices 0 .. limit - 1 (Sobol 2^bits, Halton 2^50, lattice 2^53, Latin hypercube n). */
uint64_t points_limit(const struct points_settings *settings);

/* Whether the kind knows that scrambling. */
bool points_can_scramble(enum points_kind kind, enum points_scramble scramble);

/* Tables of a set of points, to be shared by any number of threads. */
struct points;

/* Kernels are those that the features allow. The settings are within what is said above, and the stream exists. On
 * success *ret_points is yours. -ERROR_NO_MEMORY. Takes up to half a millisecond (a thousand dimensions), but tens of
 * milliseconds for a Latin hypercube of thousands of dimensions. */
int points_create(const struct points_settings *settings, uint32_t features, struct points **ret_points);

/* The same in pieces: points_start as points_create, then points_build, which takes at most some 100 us, until it returns
 * 0 and not 1. Points can be filled from then on. */
int points_start(const struct points_settings *settings, uint32_t features, struct points **ret_points);
int points_build(struct points *points);

void points_free(struct points *points); /* accepts NULL */

/* What points_create takes of memory, and about of time. */
size_t points_bytes(const struct points_settings *settings);
uint64_t points_cost_ns(const struct points_settings *settings);

/* Elements [begin, begin + n) of the array, point by point, into out (n elements of the dtype, any alignment). The
 * caller is inside fpenv_enter. Uses at most 64 KiB of stack. Any thread. */
void points_fill(const struct points *points, uint64_t begin, size_t n, void *out);

#endif
