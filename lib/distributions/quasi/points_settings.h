/* SPDX-License-Identifier: Apache-2.0 */
/* What a set of quasi-random points is: n points in d dimensions, an array of shape (n, d).
 *
 * Every coordinate is a pure function of (settings, point, dimension), so any part of a set can be made by any thread.
 * Scrambling takes its keys from a stream. */
#ifndef TRNSCI_DISTRIBUTIONS_POINTS_SETTINGS_H
#define TRNSCI_DISTRIBUTIONS_POINTS_SETTINGS_H

#include <stdint.h>

#include "base/dtype.h"
#include "rng/stream.h"

enum points_kind { POINTS_SOBOL, POINTS_HALTON, POINTS_LATTICE, POINTS_LHS, POINTS_KINDS };

enum points_scramble {
	SCRAMBLE_PLAIN,       /* the sequence itself; of a Latin hypercube the middles of its cells */
	SCRAMBLE_OWEN,        /* nested: each digit is permuted depending on the digits before it */
	SCRAMBLE_SHIFT,       /* one random point is added: to Sobol's digits, or to lattice points modulo 1 */
	SCRAMBLE_PERMUTATION, /* each digit is permuted, whatever stands before it */
	SCRAMBLE_JITTER,      /* a random place in each cell of a Latin hypercube */
};

/* How a Latin hypercube chooses its cells (latin_hypercube.h). */
enum lhs_method { LHS_PERMUTATION, LHS_FEISTEL8 };

struct points_settings {
	enum points_kind kind;
	enum dtype dtype; /* F64, or F32: the float64 coordinate cut to 24 bits, so that it stays below 1 */
	uint32_t dims;    /* 1 to the kind's limit: SOBOL_DIMS, HALTON_DIMS ... */
	uint32_t bits;    /* Sobol's resolution: 32 or 53 */
	/* Latin hypercube: points of the whole design, at most 2^32. Others: a bound of all indices that will be asked
	 * for, which makes Sobol's tables shorter; 0: no bound. */
	uint64_t n;
	enum points_scramble scramble;
	struct stream stream;
	enum lhs_method method; /* Latin hypercube only */
};

#endif
