/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional probabilities of multinomial, from the last outcome to the first: each is a share of the sum of itself and
 * those behind it. Sums of numbers >= 0 and their quotients keep their relative precision, so a rare outcome behind a common
 * one is not lost in the difference of 1 and the common one's probability. */
#include "distributions/tables/multinomial_table.h"

#include <stdlib.h>

size_t multinomial_table_bytes(size_t n)
{
	return sizeof(struct multinomial_table) + n * sizeof(struct multinomial_outcome);
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
	double behind = 0;

	for (size_t i = table->n; i-- > 0;) {
		const double all = behind + shares[i];
		const bool is_common = shares[i] > behind;

		table->outcomes[i].is_common = is_common;
		table->outcomes[i].p = all > 0 ? (is_common ? behind : shares[i]) / all : 0;
		behind = all;
	}
}
