/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which table a draw needs, and builds it. */
#include "distributions/draw/draw_prepare.h"

#include <assert.h>
#include <stdlib.h>

#include "distributions/tables/gamma_table.h"
#include "distributions/tables/multinomial_table.h"

/* What building takes for each component of dirichlet and multinomial, for each weight of categorical, and for each value of
 * hypergeometric, checks included. Measured, rounded up. */
enum { COMPONENT_NS = 30, WEIGHT_NS = 40, VALUE_NS = 10 };

/* Sets the fault of a table that cannot be allocated. */
static int report_no_memory(struct dist_fault *ret_fault)
{
	*ret_fault = (struct dist_fault){.code = ERROR_NO_MEMORY, .text = "no memory for the distribution's table"};
	return -ERROR_NO_MEMORY;
}

/* Checks what is quick to check: of categorical only the number of weights. */
static int check_begin(const struct draw *draw, const void *list, size_t n_list, struct dist_fault *ret_fault)
{
	if (dist_row(draw->distribution)->table == TABLE_ALIAS)
		return dist_check_weight_count(n_list, ret_fault);
	return dist_check(draw->distribution, draw->dtype, draw->parameters, list, n_list, ret_fault);
}

/* Allocates the builder's table, if the draw needs one: Poisson, binomial and hypergeometric distributions that are too wide for a
 * table are drawn without. */
static int alloc_table(const struct draw *draw, struct draw_builder *builder)
{
	switch (builder->kind) {
	case TABLE_DISCRETE:
		builder->discrete = dist_row(draw->distribution)->discrete(draw->parameters);
		if (!discrete_fits(&builder->discrete))
			return 0;
		builder->cost_ns = discrete_table_cost_ns(&builder->discrete);
		builder->table = malloc(sizeof(struct discrete_table));
		break;
	case TABLE_ALIAS:
		builder->cost_ns = WEIGHT_NS * builder->n_list;
		builder->work_bytes = ALIAS_WORK_BYTES * builder->n_list;
		builder->table = alias_table_alloc(builder->n_list);
		break;
	case TABLE_MULTINOMIAL:
		builder->cost_ns = COMPONENT_NS * builder->n_list;
		builder->table = multinomial_table_alloc(builder->n_list);
		break;
	case TABLE_GAMMA:
		builder->cost_ns = COMPONENT_NS * builder->n_list;
		builder->table = gamma_table_alloc(builder->n_list);
		break;
	case TABLE_HYPERGEOMETRIC:
		builder->hypergeometric = hypergeometric_reduce((double)draw->parameters[0].natural,
								(double)draw->parameters[1].natural,
								(double)draw->parameters[2].natural);
		if (!hypergeometric_fits(&builder->hypergeometric))
			return 0;
		builder->table = hypergeometric_table_alloc(&builder->hypergeometric);
		builder->cost_ns = builder->table ? VALUE_NS * ((struct hypergeometric_table *)builder->table)->n : 0;
		break;
	default:
		return 0;
	}
	return builder->table ? 0 : -ERROR_NO_MEMORY;
}

int draw_builder_begin(struct draw *draw, const void *list, size_t n_list, struct draw_builder *ret_builder,
		       struct dist_fault *ret_fault)
{
	struct draw_builder builder = {.kind = dist_row(draw->distribution)->table, .list = list, .n_list = n_list};
	int error;

	assert(dist_has_dtype(draw->distribution, draw->dtype));
	error = check_begin(draw, list, n_list, ret_fault);
	if (error)
		return error;
	if (alloc_table(draw, &builder))
		return report_no_memory(ret_fault);
	builder.is_checked = builder.kind != TABLE_ALIAS;
	draw->table = builder.table;
	*ret_builder = builder;
	return 0;
}

/* Checks the next weights of categorical. Returns 1, since building follows, or an error. */
static int check_step(struct draw_builder *builder, struct dist_fault *ret_fault)
{
	const size_t n = builder->n_list, left = n - builder->n_checked;
	const size_t end = left < ALIAS_STEP_WEIGHTS ? n : builder->n_checked + ALIAS_STEP_WEIGHTS;
	int error = dist_check_weights(builder->list, builder->n_checked, end, &builder->greatest_weight, ret_fault);

	builder->n_checked = end;
	if (!error && end == n)
		error = dist_check_greatest_weight(builder->greatest_weight, ret_fault);
	if (error)
		return error;
	if (end == n) {
		builder->is_checked = true;
		alias_builder_init(&builder->alias, builder->list, builder->greatest_weight, builder->table);
	}
	return 1;
}

int draw_builder_check(struct draw_builder *builder, struct dist_fault *ret_fault)
{
	int error = 0;

	while (!builder->is_checked && error >= 0)
		error = check_step(builder, ret_fault);
	return error < 0 ? error : 0;
}

int draw_builder_step(struct draw_builder *builder, struct dist_fault *ret_fault)
{
	int more;

	if (!builder->is_checked)
		return check_step(builder, ret_fault);
	if (!builder->table)
		return 0;
	switch (builder->kind) {
	case TABLE_ALIAS:
		more = alias_builder_step(&builder->alias);
		return more < 0 ? report_no_memory(ret_fault) : more;
	case TABLE_MULTINOMIAL:
		multinomial_table_build(builder->list, builder->table);
		return 0;
	case TABLE_GAMMA:
		gamma_table_build(builder->list, builder->table);
		return 0;
	case TABLE_HYPERGEOMETRIC:
		hypergeometric_table_build(&builder->hypergeometric, builder->table);
		return 0;
	default:
		discrete_table_build(&builder->discrete, builder->table);
		return 0;
	}
}

void draw_builder_free(struct draw_builder *builder)
{
	if (builder->kind == TABLE_ALIAS && builder->is_checked)
		alias_builder_free(&builder->alias);
}

int draw_prepare(struct draw *draw, const double *list, size_t n_list, void **ret_table, struct dist_fault *ret_fault)
{
	struct draw_builder builder;
	int more = draw_builder_begin(draw, list, n_list, &builder, ret_fault);

	if (more)
		return more;
	do
		more = draw_builder_step(&builder, ret_fault);
	while (more > 0);
	draw_builder_free(&builder);
	if (more < 0) {
		free(builder.table);
		draw->table = NULL;
		return more;
	}
	*ret_table = builder.table;
	return 0;
}
