/* SPDX-License-Identifier: Apache-2.0 */
/* The distributions by number, name and dtype, as their rows describe them (dist_rows.h). */
#ifndef TRNSCI_DISTRIBUTIONS_DISTRIBUTION_H
#define TRNSCI_DISTRIBUTIONS_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "distributions/rows/dist_rows.h"

enum distribution {
#define ROW(id, name, shape, dtypes, fallback, help) DIST_##id,
	DISTRIBUTION_ROWS(ROW)
#undef ROW
		DIST_COUNT,
};

enum normal_method { NORMAL_BOXMULLER, NORMAL_BOXMULLER64 };

enum {
	/* The most parameters of a distribution, lists aside. */
	DIST_PARAMETERS = 4,
	/* The most components of a vector: whole vectors are made on the stack. */
	DIST_MAX_COMPONENTS = 1024,
};

/* The value of a parameter. `integer` is used for randint's bounds; `natural` for the method of normal, the trials of
 * binomial, the items of permutation and the dimensions of sphere; `real` for all others, whatever the dtype. */
union dist_value {
	double real;
	int64_t integer;
	uint64_t natural;
};

const char *dist_name(enum distribution distribution);

/* Returns whether parameter number `parameter` may be an array with an element for each sample. */
bool dist_takes_array(enum distribution distribution, unsigned parameter);

/* Returns the distribution of that name (size bytes, no terminator needed), or DIST_COUNT. */
enum distribution dist_find(const char *name, size_t size);

/* Returns whether every draw reads the parameters of each sample, numbers too, as if they were arrays. */
bool dist_is_per_sample(enum distribution distribution);

/* Returns whether the parameter is a count: a natural number in union dist_value, a float64 where it is an array. */
bool dist_is_count(enum distribution distribution, unsigned parameter);

/* Returns whether a sample is a vector, whose number of components depends on the parameters. */
bool dist_is_vector(enum distribution distribution);

/* Returns whether the distribution can be drawn in that dtype. */
bool dist_has_dtype(enum distribution distribution, enum dtype dtype);

#endif
