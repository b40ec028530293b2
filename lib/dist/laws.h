/* SPDX-License-Identifier: Apache-2.0 */
/* The distributions by number, and the one place where their parameters are checked: each against the range that its row
 * states (dist/distribution_rows.h), then what the dtype and the other parameters allow. */
#ifndef TRNSCI_DIST_LAWS_H
#define TRNSCI_DIST_LAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "dist/distribution_rows.h"

enum law {
#define ROW(id, name, shape, dtypes, fallback, help) LAW_##id,
	DISTRIBUTION_ROWS(ROW)
#undef ROW
		LAW_COUNT,
};

enum normal_method { NORMAL_BOXMULLER, NORMAL_BOXMULLER64 };

enum {
	LAW_PARAMETERS = 4,
	/* Components of a sample: each vector is made whole, on the stack. */
	LAW_COMPONENTS_MOST = 1024,
};

/* Which member, tells the law: integer for randint, natural for normal's method, binomial's trials, permutation's items
 * and sphere's dimensions; a float64 in all else, whatever the dtype of the samples. */
union law_value {
	double real;
	int64_t integer;
	uint64_t natural;
};

/* A parameter that was refused, by its place in the law's order, and why: "got -1, allowed is above 0". */
struct law_fault {
	enum error_code code;
	unsigned parameter;
	char text[160];
};

const char *law_name(enum law law);

/* The law of that name; LAW_COUNT when there is none. */
enum law law_find(const char *name, size_t size);

/* Whether a sample of the law is a vector, of as many components as its parameters tell. */
bool law_is_vector(enum law law);

/* Whether the law is drawn in that dtype. */
bool law_takes(enum law law, enum dtype dtype);

/* 0, or -ERROR_OUT_OF_RANGE with the fault. list: the weights of categorical, alpha of dirichlet. ret_fault may not be
 * NULL. */
int law_check(enum law law, enum dtype dtype, const union law_value parameters[], const double *list, size_t n_list,
	      struct law_fault *ret_fault);

/* The same for categorical alone, in parts: how many there are; weights [begin, end) (float64 of any alignment), *most
 * being raised to the greatest; and the greatest of all. */
int law_check_weight_count(size_t n, struct law_fault *ret_fault);
int law_check_weights(const void *weights, size_t begin, size_t end, double *most, struct law_fault *ret_fault);
int law_check_most_weight(double most, struct law_fault *ret_fault);

#endif
