/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the gamma sampler. */
#include "distributions/tables/gamma_table.h"

#include <math.h>
#include <stdlib.h>

struct gamma_constants gamma_constants_of(double shape)
{
	const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;

	return (struct gamma_constants){d, 1 / sqrt(9 * d), shape < 1 ? 1 / (shape * GAMMA_BOOST_SCALE) : 0};
}

struct gamma_table *gamma_table_alloc(size_t n)
{
	struct gamma_table *table = malloc(gamma_table_bytes(n));

	if (table)
		table->n = n;
	return table;
}

void gamma_table_build(const double *shapes, struct gamma_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		table->components[i] = gamma_constants_of(shapes[i]);
}

size_t gamma_table_bytes(size_t n)
{
	return sizeof(struct gamma_table) + n * sizeof(struct gamma_constants);
}
