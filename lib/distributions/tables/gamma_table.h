/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the gamma sampler, for one shape and for the components of dirichlet. */
#ifndef TRNSCI_DISTRIBUTIONS_GAMMA_TABLE_H
#define TRNSCI_DISTRIBUTIONS_GAMMA_TABLE_H

#include <stddef.h>

/* 1 / shape can be infinite, and two infinite logarithms have no difference. So exponents are carried divided by 2^200:
 * no shape is below 2^-1074, no -ln u above 45. */
#define GAMMA_BOOST_SCALE 0x1p200

/* Marsaglia and Tsang's d and c. A shape below 1 is raised by 1, and the gamma then multiplied by a uniform to the
 * power 1 / shape = boost GAMMA_BOOST_SCALE; boost is 0 for larger shapes. */
struct gamma_constants {
	double d, c, boost;
};

/* Returns the constants of a shape above 0. */
struct gamma_constants gamma_constants_of(double shape);

struct gamma_table {
	size_t n;
	struct gamma_constants components[];
};

/* Allocates the table of n components, whose constants gamma_table_build sets. The caller frees it with free(). Returns
 * NULL when memory is short. */
struct gamma_table *gamma_table_alloc(size_t n);

/* Sets the constants from table->n shapes, each above 0. */
void gamma_table_build(const double *shapes, struct gamma_table *table);

/* Returns the bytes of a table of n components. */
size_t gamma_table_bytes(size_t n);

#endif
