/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional probabilities of multinomial, from the last outcome to the first: so each is a share of the sum of itself
 * and those behind it, and rounding cannot make one greater than 1. */
#include "dist/tables/multinomial_table.h"

#include <stdlib.h>

size_t multinomial_table_bytes(size_t n)
{
	return sizeof(struct multinomial_table) + n * sizeof(double);
}

struct multinomial_table *multinomial_table_alloc(size_t n)
{
	struct multinomial_table *table = malloc(multinomial_table_bytes(n));

	if (table)
		table->n = n;
	return table;
}

void multinomial_table_build(const double *shares, struct multinomial_table *table)
{
	double rest = 0;

	for (size_t i = table->n; i-- > 0;) {
		rest += shares[i];
		table->p[i] = rest > 0 ? shares[i] / rest : 0;
	}
}
