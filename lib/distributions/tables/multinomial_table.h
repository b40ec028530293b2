/* SPDX-License-Identifier: Apache-2.0 */
/* Probabilities by which multinomial draws one outcome after the other. */
#ifndef TRNSCI_DISTRIBUTIONS_MULTINOMIAL_TABLE_H
#define TRNSCI_DISTRIBUTIONS_MULTINOMIAL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Given that it is none of the outcomes before it, an outcome has probability p, at most 1/2, or (is_common) 1 - p. */
struct multinomial_outcome {
	double p;
	bool is_common;
};

struct multinomial_table {
	size_t n;
	struct multinomial_outcome outcomes[];
};

/* Returns the bytes of a table of n outcomes. */
size_t multinomial_table_bytes(size_t n);

/* Allocates the table of n outcomes, whose probabilities multinomial_table_build sets. The caller frees it with free().
 * Returns NULL when memory is short. */
struct multinomial_table *multinomial_table_alloc(size_t n);

/* Sets the probabilities from table->n shares, each at least 0, not all 0. */
void multinomial_table_build(const double *shares, struct multinomial_table *table);

#endif
