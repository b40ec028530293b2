/* SPDX-License-Identifier: Apache-2.0 */
/* Which candidates of a hypergeometric distribution are accepted, value by value, without a logarithm.
 *
 * The ratio of uniforms accepts a value x if u^2 is at most P(x) / P(mode). The kernel that decides computes that from logarithms,
 * right to 1e-9. A u that is further than 2^-20 from the root of the ratio is decided by the table, others by the kernel. */
#ifndef TRNSCI_DISTRIBUTIONS_HYPERGEOMETRIC_TABLE_H
#define TRNSCI_DISTRIBUTIONS_HYPERGEOMETRIC_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum {
	HYPERGEOMETRIC_SMALL = 10,    /* fewer draws than that are inverted */
	HYPERGEOMETRIC_VALUES = 2048, /* the most values of a table: 16 KiB */
};

/* Numbers u below accept[x] are accepted, those above accept[x] HYPERGEOMETRIC_REJECT are not. */
#define HYPERGEOMETRIC_ACCEPT (1 - 0x1p-20)
#define HYPERGEOMETRIC_REJECT (1 + 0x1p-19)

/* A distribution, reduced by symmetry: `few` successes and `many` failures, of which `drawn`, at most half, are drawn. */
struct hypergeometric {
	double few, many, drawn;
};

struct hypergeometric_table {
	size_t n;
	double accept[];
};

struct hypergeometric hypergeometric_reduce(double good, double bad, double sample);

/* Returns whether the distribution has a table: it is not inverted, and has few values enough. */
bool hypergeometric_fits(const struct hypergeometric *h);

/* Allocates the table of a distribution that fits. The caller frees it with free(). Returns NULL when memory is short. */
struct hypergeometric_table *hypergeometric_table_alloc(const struct hypergeometric *h);

/* Builds it, in a few nanoseconds for each value. */
void hypergeometric_table_build(const struct hypergeometric *h, struct hypergeometric_table *table);

/* Returns the bytes of a table of n values. */
size_t hypergeometric_table_bytes(size_t n);

#endif
