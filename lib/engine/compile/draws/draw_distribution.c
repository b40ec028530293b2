/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution of a draw: its parameters, lists of numbers, and the tables that are built from them. */
#include "engine/compile/draws/draw_distribution.h"

#include <stdlib.h>
#include <string.h>

#include "distributions/draw/draw_prepare.h"

/* The most numbers in a list parameter, 128 MiB as float64. */
enum { LIST_MOST = 1 << 24 };

/* Copies the elements of an array, whose number the frame bounds. Bytes can be many more, and are read where they lie.
 */
static void read_elements(struct compiler *c, unsigned param, const struct value *value, struct list *ret)
{
	double *own = malloc((value->array.count + 1) * sizeof *own);

	*ret = (struct list){own, own, value->array.count};
	if (!own)
		compile_error(c, ERROR_NO_MEMORY, "no memory for %zu numbers", value->array.count);
	for (size_t i = 0; i < value->array.count && !c->error; i++)
		if (!value_to_f64(&value->array.at[i], &own[i]))
			compile_param_error(c, param, ERROR_WRONG_TYPE, "element %zu is not a number", i);
}

void compile_list(struct compiler *c, unsigned param, struct list *ret)
{
	const struct value *value = c->args.at[param].value;
	const bool array = value && value->kind == VALUE_ARRAY, bytes = value && value->kind == VALUE_BYTES;
	const size_t n = array ? value->array.count : bytes ? value->bytes.size / sizeof(double) : 0;

	if ((!array && !bytes) || (bytes && value->bytes.size % sizeof(double) != 0) || n > LIST_MOST)
		compile_param_error(c, param, ERROR_WRONG_TYPE,
				    "allowed: an array of at most %d numbers, or their bytes as float64", LIST_MOST);
	else if (array)
		read_elements(c, param, value, ret);
	else
		*ret = (struct list){value->bytes.at, NULL, n};
}

/* Returns a bound of randint: within the values of dtype, or one more for the end, which is exclusive. Distributions take
 * it modulo 2^64. */
static uint64_t read_bound(struct compiler *c, enum dtype dtype, unsigned param, bool end)
{
	const bool is_signed = dtype == DTYPE_I32 || dtype == DTYPE_I64;
	const int128 values = (int128)1 << 8 * dtype_size(dtype);
	const int128 least = (is_signed ? -values / 2 : 0) + end, most = least + values - 1;
	const int128 x = c->args.at[param].whole;
	char got[INT128_TEXT_BYTES], from[INT128_TEXT_BYTES], to[INT128_TEXT_BYTES];

	if (x < least || x > most)
		compile_param_error(c, param, ERROR_OUT_OF_RANGE, "got %s, allowed for %s is %s to %s", int128_text(x, got),
				    dtype_name(dtype), int128_text(least, from), int128_text(most, to));
	return (uint64_t)x;
}

/* Reads the distribution's own parameters, which stand behind the common ones in the order of its row. Arrays are left
 * to compile_parameter_arrays. */
static void read_parameters(struct compiler *c, struct draw *draw, struct list *ret_list)
{
	const struct operation *operation = c->args.operation;
	const struct arg *at = c->args.at + DRAW_COMMON;

	for (unsigned i = 0; i + DRAW_COMMON < operation->n_params && !c->error; i++)
		switch (at[i].is_array ? PARAM_TILE : operation->params[DRAW_COMMON + i].type) {
		case PARAM_TILE:
			break;
		case PARAM_F64:
			draw->parameters[i].real = at[i].f64;
			break;
		case PARAM_INT:
			draw->parameters[i].natural = read_bound(c, draw->dtype, DRAW_COMMON + i, i > 0);
			break;
		case PARAM_U64:
			draw->parameters[i].natural = at[i].u64;
			break;
		case PARAM_CHOICE:
			draw->parameters[i].natural = at[i].choice;
			break;
		default:
			compile_list(c, DRAW_COMMON + i, ret_list);
			return;
		}
}

/* A table that is built in pieces, before the first run. In the plan's bump. */
struct deferred_table {
	struct deferred_build build; /* must be the first member: the callbacks cast back to us */
	struct draw_builder builder;
	double *list; /* the copied list, freed by end_table; NULL: it lies in the request */
	const struct operation *operation; /* whose parameters an error names */
	char *context;                     /* with which it begins; in the bump */
};

/* Turns a fault of lib/distributions, which knows parameters by number, into an error that names the parameter. */
static int report_fault(const char *context, const struct operation *operation, const struct dist_fault *fault,
			struct error *err)
{
	return error_set(err, fault->code, "%s: %s: %s", context,
			 operation->params[DRAW_COMMON + fault->parameter].name, fault->text);
}

/* Frees what building needed. The table itself belongs to the plan. May be called again. */
static void end_table(void *arg)
{
	struct deferred_table *table = arg;

	draw_builder_free(&table->builder);
	free(table->list);
	table->list = NULL;
}

/* Builds the next piece. Returns 1 while some are left, then 0, or a negative error. */
static int make_table(struct deferred_build *build, struct error *err)
{
	struct deferred_table *table = (struct deferred_table *)build;
	struct dist_fault fault;
	const int more = draw_builder_step(&table->builder, &fault);

	if (more < 0)
		return report_fault(table->context, table->operation, &fault, err);
	if (more == 0)
		end_table(table);
	return more;
}

/* Checks the list's numbers without building, for runs that reserve words of a named stream first. */
static int check_table(struct deferred_build *build, struct error *err)
{
	struct deferred_table *table = (struct deferred_table *)build;
	struct dist_fault fault;

	return draw_builder_check(&table->builder, &fault) ? report_fault(table->context, table->operation, &fault, err)
							   : 0;
}

/* Leaves the table to be built in pieces before the run, which then owns the list. */
static void note_table(struct compiler *c, const struct draw_builder *builder, struct list *list)
{
	struct deferred_builds *deferred = &c->first_run->bound.deferred;
	struct plan *plan = c->plan;
	struct deferred_table *table = bump_alloc(plan->bump, sizeof *table);
	char *context = bump_copy(plan->bump, c->args.context, strlen(c->args.context));

	if (!table || !context || bump_defer(plan->bump, end_table, table)) {
		compile_error(c, ERROR_NO_MEMORY, "no memory");
		return;
	}
	*table = (struct deferred_table){.build = {.piece = make_table, .check = check_table},
					 .builder = *builder,
					 .list = list->own,
					 .operation = c->args.operation,
					 .context = context};
	list->own = NULL;
	table->build.checks = builder->is_checked ? 0 : builder->n_list;
	if (builder->work_bytes > deferred->work_bytes)
		deferred->work_bytes = builder->work_bytes;
	deferred_build_add(deferred, &table->build);
}

/* Reports a fault of the draw being compiled. No error may stand: its text would be lost. */
static void note_fault(struct compiler *c, const struct dist_fault *fault)
{
	compile_fail(c, report_fault(c->args.context, c->args.operation, fault, c->err));
}

/* Builds a small table at once, and frees the builder's memory. */
static void make_table_here(struct compiler *c, struct draw_builder *builder)
{
	struct dist_fault fault;
	int more;

	do
		more = draw_builder_step(builder, &fault);
	while (more > 0);
	draw_builder_free(builder);
	if (more)
		note_fault(c, &fault);
}

/* Begins the table that the distribution draws from, if it has one: a small one is built at once. */
static void begin_table(struct compiler *c, struct draw *draw, struct list *list)
{
	struct dist_fault fault;
	struct draw_builder builder;

	if (c->error)
		return;
	if (draw_builder_begin(draw, list->at, list->n, &builder, &fault)) {
		note_fault(c, &fault);
		return;
	}
	if (!builder.table)
		return;
	if (bump_defer(c->plan->bump, free, builder.table)) {
		free(builder.table);
		compile_error(c, ERROR_NO_MEMORY, "no memory");
		return;
	}
	c->first_run->bound.deferred.held_bytes += draw_table_bytes(draw);
	if (deferred_build_is_small(&c->first_run->bound.deferred, builder.cost_ns))
		make_table_here(c, &builder);
	else
		note_table(c, &builder, list);
}

/* Copies a list that lies in the request's own bytes, if it is read after the request is gone (a prepared call), or is
 * read by every chunk (Dirichlet, multinomial). Longer ones are refused by deferred_build_check. */
static void own_list(struct compiler *c, const struct draw *draw, struct list *list)
{
	const bool small = list->n <= DIST_MAX_COMPONENTS;

	if (c->error || list->own ||
	    !(dist_row(draw->distribution)->is_vector
		      ? small
		      : c->plan->copies_inputs && list->n <= DEFERRED_CHECKS_MAX))
		return;
	list->own = malloc((list->n + 1) * sizeof *list->own);
	if (!list->own) {
		compile_error(c, ERROR_NO_MEMORY, "no memory for %zu numbers", list->n);
		return;
	}
	if (list->n)
		memcpy(list->own, list->at, list->n * sizeof *list->own);
	list->at = list->own;
}

/* Returns whether any of the distribution's own parameters is an array. */
static bool has_arrays(const struct compiler *c)
{
	for (size_t i = DRAW_COMMON; i < c->args.operation->n_params; i++)
		if (c->args.at[i].is_array)
			return true;
	return false;
}

void compile_distribution(struct compiler *c, struct draw *draw)
{
	struct list list = {.n = 0};

	read_parameters(c, draw, &list);
	if (!has_arrays(c)) { /* with arrays each sample's parameters are checked when it is drawn */
		own_list(c, draw, &list);
		if (dist_row(draw->distribution)->zero_is_all && draw->parameters[0].natural == 0)
			draw->parameters[0].natural = 1;
		begin_table(c, draw, &list);
	}
	free(list.own);
}
