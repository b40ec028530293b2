/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a draw, and building the table that poisson, binomial, hypergeometric, categorical, multinomial and dirichlet sample
 * from. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_PREPARE_H
#define TRNSCI_DISTRIBUTIONS_DRAW_PREPARE_H

#include <stdbool.h>

#include "distributions/rows/dist_check.h"
#include "distributions/tables/alias_table.h"
#include "distributions/tables/hypergeometric_table.h"
#include "distributions/draw/draw.h"
#include "distributions/rows/dist_row.h"

/* Checks the draw's parameters and builds its table, all at once. `list` holds the weights of categorical, the alpha of
 * dirichlet or the probabilities of multinomial, and is not needed afterwards. On success *ret_table (NULL: the draw
 * needs none) is also in draw->table; the caller frees it with free() after the last draw_fill. Returns 0,
 * -ERROR_OUT_OF_RANGE or -ERROR_NO_MEMORY; on error ret_fault names the parameter and the reason. */
int draw_prepare(struct draw *draw, const double *list, size_t n_list, void **ret_table, struct dist_fault *ret_fault);

/* The same in steps no longer than a chunk, so that one client's large table delays nobody else. Callers read `table`,
 * `cost_ns` and `work_bytes`; `is_checked` and `n_list` are how much draw_builder_check has left to do; the other
 * members are private. */
struct draw_builder {
	enum dist_table kind;
	void *table;       /* NULL: none is needed; else the caller frees it with free(), also after an error */
	uint64_t cost_ns;  /* about what the remaining steps take */
	size_t work_bytes; /* temporary memory of the steps */
	const void *list;
	size_t n_list, n_checked;
	bool is_checked; /* false: weights of categorical are still unchecked */
	double greatest_weight;
	union {
		struct alias_builder alias;
		struct discrete discrete;
		struct hypergeometric hypergeometric;
	};
};

/* Checks everything but categorical's weights, allocates the table and puts it into draw->table, still empty. `list`
 * may be unaligned for categorical, and must stay valid until the last step. Errors are those of draw_prepare. */
int draw_builder_begin(struct draw *draw, const void *list, size_t n_list, struct draw_builder *ret_builder,
		       struct dist_fault *ret_fault);

/* Completes the check now, in one or two nanoseconds for each weight. Returns 0 or -ERROR_OUT_OF_RANGE. */
int draw_builder_check(struct draw_builder *builder, struct dist_fault *ret_fault);

/* Does one step. Returns 1 while steps are left, 0 once the table is built, or an error of draw_prepare. */
int draw_builder_step(struct draw_builder *builder, struct dist_fault *ret_fault);

/* Frees the temporary memory, not the table. May be called again. */
void draw_builder_free(struct draw_builder *builder);

#endif
