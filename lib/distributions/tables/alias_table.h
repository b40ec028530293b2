/* SPDX-License-Identifier: Apache-2.0 */
/* Tables by which categorical picks an index: one 64-bit word to one of n, whatever the weights.
 *
 * The word's high part chooses a column, its low part one of the column's two indices. Each index's probability is
 * right to 2^-52 of 1/n. Source: M. D. Vose, IEEE Trans. Software Eng. 17 (1991) 972. */
#ifndef TRNSCI_DISTRIBUTIONS_ALIAS_TABLE_H
#define TRNSCI_DISTRIBUTIONS_ALIAS_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum {
	ALIAS_MAX_WEIGHTS = 1 << 24,
	/* Weights that a step handles, in about CHUNK_AIM_NS. */
	ALIAS_STEP_WEIGHTS = 8192,
	/* Temporary memory of a builder, for each weight. */
	ALIAS_WORK_BYTES = sizeof(double) + sizeof(uint32_t),
};

struct alias_column {
	uint64_t below, other; /* low parts below `below` give the column's own index, others give `other` */
};

struct alias_table {
	uint64_t n;
	struct alias_column columns[];
};

/* Allocates a table for n weights (1 to ALIAS_MAX_WEIGHTS), whose columns a builder sets. The caller frees it with
 * free(). Returns NULL when memory is short. */
struct alias_table *alias_table_alloc(size_t n);

/* Returns the bytes of a table of n weights. */
size_t alias_table_bytes(size_t n);

/* Allocates and builds the table of n weights, each finite and at least 0, not all 0. The caller frees it with free().
 * Returns NULL when memory is short. */
struct alias_table *alias_table_new(const double *weights, size_t n);

/* A table that is built step by step. Its members are private. */
struct alias_builder {
	struct alias_table *table; /* borrowed, as weights */
	const void *weights;       /* float64, at any alignment */
	double greatest, sum;      /* sum: of the weights divided by the greatest, which cannot overflow */
	double *shares; /* owned, as list: n times a weight's part of the sum, less what its index gave away */
	uint32_t *list; /* indices with shares below 1 from the left, the others from the right */
	size_t at;      /* the next weight of the phase */
	size_t n_small, n_large; /* indices in the two parts of list */
	int phase;
};

/* Starts to build `table` from table->n float64 weights of any alignment, as alias_table_new takes them; `greatest` is
 * the greatest of them. The weights must stay valid until the last step. */
void alias_builder_init(struct alias_builder *builder, const void *weights, double greatest, struct alias_table *table);

/* Does one step. Returns 1 while steps are left, 0 once the table is built, or -ERROR_NO_MEMORY. */
int alias_builder_step(struct alias_builder *builder);

/* Frees the temporary memory, not the table. May be called again. */
void alias_builder_free(struct alias_builder *builder);

#endif
