/* SPDX-License-Identifier: Apache-2.0 */
/* Why a parameter was refused, and what a check of parameters is. */
#ifndef TRNSCI_DISTRIBUTIONS_DIST_FAULT_H
#define TRNSCI_DISTRIBUTIONS_DIST_FAULT_H

#include <stdbool.h>

#include "base/dtype.h"
#include "base/error.h"
#include "distributions/rows/distribution.h"

struct dist_kernel;

/* The parameter's index in the distribution's row, and a text such as "got -1, allowed is above 0". */
struct dist_fault {
	enum error_code code;
	unsigned parameter;
	char text[160];
};

/* Stores why the parameter is refused, and returns -ERROR_OUT_OF_RANGE. */
__attribute__((format(printf, 3, 4))) int dist_refuse(struct dist_fault *fault, unsigned parameter, const char *format, ...);

/* The arguments of a check: a draw's dtype, its parameters, and its list. */
struct check_args {
	enum dtype dtype;
	const union dist_value *parameters;
	const double *list;
	size_t n_list;
	struct dist_fault *fault;
};

/* Checks what the ranges of a row leave open: dependencies on the dtype and between parameters. Returns 0 or the result of
 * dist_refuse. */
typedef int dist_check_function(const struct check_args *args);

/* The parameters of n samples, n a multiple of DIST_PAD: rows[j][i] is that of dist_check_samples. */
struct check_block {
	const struct dist_kernel *kernels;
	enum dtype dtype;
	const uint64_t *const *rows;
	size_t n;
};

/* Returns whether the check would pass all samples of a block, whose parameters lie in their ranges; false: each has to be looked
 * at. */
typedef bool dist_check_all(const struct check_block *block);

#endif
