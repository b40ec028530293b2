/* SPDX-License-Identifier: Apache-2.0 */
/* The distributions by number, and the one place where their parameters are checked: each against the range that its
 * row states (dist/distribution_rows.h), then what the dtype and the other parameters allow. */
#ifndef TRNSCI_DIST_DISTRIBUTION_H
#define TRNSCI_DIST_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "dist/distribution_rows.h"

enum distribution {
#define ROW(id, name, shape, dtypes, fallback, help) DIST_##id,
	DISTRIBUTION_ROWS(ROW)
#undef ROW
		DIST_COUNT,
};

enum normal_method { NORMAL_BOXMULLER, NORMAL_BOXMULLER64 };

enum {
	DIST_PARAMETERS = 4,
	/* Components of a sample: each vector is made whole, on the stack. */
	DIST_MAX_COMPONENTS = 1024,
};

/* Which member, tells the distribution: integer for randint, natural for normal's method, binomial's trials,
 * permutation's items and sphere's dimensions; a float64 in all else, whatever the dtype of the samples. */
union dist_value {
	double real;
	int64_t integer;
	uint64_t natural;
};

/* A parameter that was refused, by its place in the distribution's order, and why: "got -1, allowed is above 0". */
struct dist_fault {
	enum error_code code;
	unsigned parameter;
	char text[160];
};

const char *dist_name(enum distribution distribution);

/* The distribution of that name; DIST_COUNT when there is none. */
enum distribution dist_find(const char *name, size_t size);

/* Whether a sample of the distribution is a vector, of as many components as its parameters tell. */
bool dist_is_vector(enum distribution distribution);

/* Whether the distribution is drawn in that dtype. */
bool dist_has_dtype(enum distribution distribution, enum dtype dtype);

/* 0, or -ERROR_OUT_OF_RANGE with the fault. list: the weights of categorical, alpha of dirichlet. ret_fault may not be
 * NULL. */
int dist_check(enum distribution distribution, enum dtype dtype, const union dist_value parameters[],
	       const double *list, size_t n_list, struct dist_fault *ret_fault);

/* The same for categorical alone, in parts: how many there are; weights [begin, end) (float64 of any alignment), *most
 * being raised to the greatest; and the greatest of all. */
int dist_check_weight_count(size_t n, struct dist_fault *ret_fault);
int dist_check_weights(const void *weights, size_t begin, size_t end, double *most, struct dist_fault *ret_fault);
int dist_check_most_weight(double most, struct dist_fault *ret_fault);

#endif
