/* SPDX-License-Identifier: Apache-2.0 */
/* Probabilities by which multinomial draws one outcome after the other. */
#ifndef TRNSCI_DIST_MULTINOMIAL_TABLE_H
#define TRNSCI_DIST_MULTINOMIAL_TABLE_H

#include <stddef.h>

struct multinomial_table {
	size_t n;
	double p[]; /* of an outcome, given that it is none of those before it */
};

/* Returns the bytes of a table of n outcomes. */
size_t multinomial_table_bytes(size_t n);

/* Allocates the table of n outcomes, whose probabilities multinomial_table_build sets. The caller frees it with free().
 * Returns NULL when memory is short. */
struct multinomial_table *multinomial_table_alloc(size_t n);

/* Sets the probabilities from table->n shares, each at least 0, not all 0. */
void multinomial_table_build(const double *shares, struct multinomial_table *table);

#endif
