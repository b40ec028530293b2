/* SPDX-License-Identifier: Apache-2.0 */
/* Weights to shares of mean 1, then each share below 1 filled up from one above.
 *
 * A column is 1/n of all words. Each step takes a small share (below 1) and a large one: the small share's column gets
 * the rest of its room from the large share, which shrinks by as much. Rounding can leave shares near 1 over; their
 * columns keep their own index alone, as sort_share set them. */
#include "distributions/tables/alias_table.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "distributions/tables/word_share.h"

/* Each goes once over all weights. The sum comes in order, so that the table is the same however it is cut into steps.
 */
enum phase { SUM_WEIGHTS, SCALE_SHARES, SORT_SHARES, FILL_COLUMNS, BUILT };

size_t alias_table_bytes(size_t n)
{
	return sizeof(struct alias_table) + n * sizeof(struct alias_column);
}

struct alias_table *alias_table_alloc(size_t n)
{
	struct alias_table *table = malloc(alias_table_bytes(n));

	assert(n > 0 && n <= ALIAS_MAX_WEIGHTS);
	if (table)
		table->n = n;
	return table;
}

void alias_builder_init(struct alias_builder *builder, const void *weights, double greatest, struct alias_table *table)
{
	*builder = (struct alias_builder){.table = table, .weights = weights, .greatest = greatest, .phase = SUM_WEIGHTS};
}

/* Weights may be unaligned: they can lie in the bytes of a request. */
static double read_weight(const struct alias_builder *builder, size_t i)
{
	double x;

	memcpy(&x, (const char *)builder->weights + i * sizeof x, sizeof x);
	return x;
}

/* Lists index i by whether its share is below 1, and sets its column to itself alone. */
static void sort_share(struct alias_builder *builder, size_t i)
{
	builder->table->columns[i] = (struct alias_column){UINT64_MAX, i};
	if (builder->shares[i] < 1)
		builder->list[builder->n_small++] = (uint32_t)i;
	else
		builder->list[builder->table->n - ++builder->n_large] = (uint32_t)i;
}

/* Completes the column of one small share from one large share, which may become small by that. */
static void fill_column(struct alias_builder *builder)
{
	double *const shares = builder->shares;
	const uint32_t small = builder->list[--builder->n_small], large = builder->list[builder->table->n - builder->n_large];

	builder->table->columns[small] = (struct alias_column){word_share(shares[small]), large};
	shares[large] -= 1 - shares[small];
	if (shares[large] < 1) {
		builder->n_large--;
		builder->list[builder->n_small++] = large;
	}
}

/* Does the phase's work for weight i; i does not matter to FILL_COLUMNS. */
static void advance_build(struct alias_builder *builder, size_t i)
{
	switch (builder->phase) {
	case SUM_WEIGHTS:
		builder->sum += read_weight(builder, i) / builder->greatest;
		break;
	case SCALE_SHARES:
		builder->shares[i] = read_weight(builder, i) / builder->greatest / (builder->sum / (double)builder->table->n);
		break;
	case SORT_SHARES:
		sort_share(builder, i);
		break;
	default:
		fill_column(builder);
	}
}

/* Returns whether no pair of a small and a large share is left. */
static bool is_filled(const struct alias_builder *builder)
{
	return builder->phase == FILL_COLUMNS && (builder->n_small == 0 || builder->n_large == 0);
}

int alias_builder_step(struct alias_builder *builder)
{
	const size_t n = builder->table->n, end = n - builder->at < ALIAS_STEP_WEIGHTS ? n : builder->at + ALIAS_STEP_WEIGHTS;

	if (!builder->shares) {
		builder->shares = malloc(n * sizeof *builder->shares);
		builder->list = malloc(n * sizeof *builder->list);
		if (!builder->shares || !builder->list)
			return -ERROR_NO_MEMORY;
	}
	while (builder->at < end && !is_filled(builder))
		advance_build(builder, builder->at++);
	/* Each call of fill_column completes a column, so n calls are enough. */
	if (builder->at == n || is_filled(builder)) {
		builder->phase++;
		builder->at = 0;
	}
	return builder->phase != BUILT;
}

void alias_builder_free(struct alias_builder *builder)
{
	free(builder->shares);
	free(builder->list);
	builder->shares = NULL;
	builder->list = NULL;
}

struct alias_table *alias_table_new(const double *weights, size_t n)
{
	struct alias_table *table = alias_table_alloc(n);
	struct alias_builder builder;
	double greatest = 0;
	int more;

	if (!table)
		return NULL;
	for (size_t i = 0; i < n; i++)
		greatest = weights[i] > greatest ? weights[i] : greatest;
	alias_builder_init(&builder, weights, greatest, table);
	do
		more = alias_builder_step(&builder);
	while (more > 0);
	alias_builder_free(&builder);
	if (more < 0)
		free(table);
	return more < 0 ? NULL : table;
}
