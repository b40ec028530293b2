/* SPDX-License-Identifier: Apache-2.0 */
/* The distributions by number, as their rows list them (dist_rows.h), and the values of their parameters. */
#ifndef TRNSCI_DISTRIBUTIONS_DISTRIBUTION_H
#define TRNSCI_DISTRIBUTIONS_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

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

#endif
