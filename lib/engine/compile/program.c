/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling `run`: steps that bind their own parameters, the names they give, and the results that go with the reply.
 */
#include <stdio.h>
#include <string.h>

#include "engine/compile/compiler.h"

/* Both bound what compiling a request takes of the thread that got it. A name may stand in `results` twice, which is
 * harmless, so there may be more of them than steps. */
enum { STEPS_MAX = 256, RESULTS_MAX = 2 * STEPS_MAX };

/* Room for what begins an error about a step: "run: steps[255] hypergeometric". */
enum { STEP_CONTEXT = 72 };

/* Adds a name; it stays in the request's own bytes, which outlive the program's compilation. NULL: no memory. */
static struct name_entry *add_name(struct compiler *c, const struct value *text)
{
	struct name_entry *entry = bump_alloc(c->plan->bump, sizeof *entry);

	if (!entry) {
		compile_no_memory(c);
		return NULL;
	}
	*entry = (struct name_entry){text->bytes.at, text->bytes.size, false, NULL, c->names};
	c->names = entry;
	return entry;
}

/* Reads the names that the reply shall have, before the steps: so each step knows whether its output is wanted, and
 * can be computed into the reply without a copy. */
static void read_results(struct compiler *c)
{
	const struct value *list = c->args.at[RUN_RESULTS].value;

	if (!list)
		return;
	if (list->kind != VALUE_ARRAY) {
		compile_param_error(c, RUN_RESULTS, ERROR_WRONG_TYPE, "got %s, allowed is an array of the names of steps",
				    bind_kind_text(list->kind));
		return;
	}
	if (list->array.count > RESULTS_MAX)
		compile_param_error(c, RUN_RESULTS, ERROR_LIMIT, "%zu names, allowed are %d", list->array.count,
				    RESULTS_MAX);
	for (size_t i = 0; i < list->array.count && !c->error; i++) {
		const struct value *text = &list->array.at[i];
		struct name_entry *entry = NULL;

		if (text->kind != VALUE_STRING)
			compile_param_error(c, RUN_RESULTS, ERROR_WRONG_TYPE,
					    "element %zu is not a text, allowed: an array of the names of steps", i);
		else if (!compile_find_name(c, text))
			entry = add_name(c, text);
		if (entry)
			entry->wanted = true;
	}
}

/* Every name that was listed must have become a step's. */
static void check_results(struct compiler *c)
{
	char got[BIND_TEXT];

	for (const struct name_entry *entry = c->names; entry; entry = entry->after)
		if (!entry->buffer)
			compile_param_error(c, RUN_RESULTS, ERROR_BAD_TILE,
					    "no step is called \"%s\", allowed are the `as` of steps",
					    bind_text(entry->at, entry->size, got));
}

/* The name a step gives its output: new, or promised by `results`. */
static void read_name(struct compiler *c, const struct value *map)
{
	const struct value *as = value_get(map, "as");
	char got[BIND_TEXT];

	c->name = NULL;
	if (!as || c->error)
		return;
	if (as->kind != VALUE_STRING || as->bytes.size == 0) {
		compile_error(c, ERROR_WRONG_TYPE, "as: got %s, allowed is text of at least one byte",
			      as->kind == VALUE_STRING ? "empty text" : bind_kind_text(as->kind));
		return;
	}
	c->name = compile_find_name(c, as);
	if (!c->name)
		c->name = add_name(c, as);
	else if (c->name->buffer)
		compile_error(c, ERROR_OUT_OF_RANGE, "as: \"%s\" is the name of an earlier step, allowed is a new one",
			      bind_text(as->bytes.at, as->bytes.size, got));
}

/* Finds the step's operation. Methods of the session, the service and of named streams are no steps; their classes
 * come first in the enum. */
static void read_operation(struct compiler *c, const struct value *map, size_t index, char context[STEP_CONTEXT])
{
	const struct value *op = map->kind == VALUE_MAP ? value_get(map, "op") : NULL;
	const bool is_text = op && (op->kind == VALUE_STRING || op->kind == VALUE_BYTES);
	const struct operation *operation = is_text ? operation_find(op->bytes.at, op->bytes.size) : NULL;
	char got[BIND_TEXT];

	snprintf(context, STEP_CONTEXT, "%s: steps[%zu]", c->run->context, index);
	c->args.context = context;
	c->args.in_program = true;
	if (map->kind != VALUE_MAP)
		compile_error(c, ERROR_WRONG_TYPE, "not a map, allowed: {op, its parameters, as}");
	else if (!op)
		compile_error(c, ERROR_MISSING_PARAMETER, "op: missing: give the name of an operation");
	else if (!is_text)
		compile_error(c, ERROR_WRONG_TYPE, "op: not a text, allowed: the name of an operation");
	else if (!operation || operation->class < METHOD_DRAW)
		compile_error(c, ERROR_UNKNOWN_METHOD,
			      "op: \"%s\" cannot be a step, allowed are draws, element-wise operations and transforms",
			      bind_text(op->bytes.at, op->bytes.size, got));
	if (c->error)
		return;
	snprintf(context, STEP_CONTEXT, "%s: steps[%zu] %s", c->run->context, index, operation->name);
	c->args.operation = operation;
	c->step = index;
	c->step_name = operation->name;
}

/* Binds the step's parameters. Only what draws from one place of one stream has a stream_name. A step has no timeout of
 * its own: it would have to be stopped alone, and the steps that need its output with it. */
static void bind_step(struct compiler *c, const struct value *map)
{
	const struct operation *operation = c->args.operation;

	if (c->error)
		return;
	c->stream_name = NULL;
	c->args.names_stream = operation_param(operation, "position", strlen("position")) || strcmp(operation->name, "trace") == 0;
	if (c->args.names_stream)
		compile_read_stream_name(c, map);
	compile_bind(c, map);
	if (value_get(map, "timeout_ms"))
		compile_error(c, ERROR_UNKNOWN_PARAMETER,
			      "timeout_ms: a step has none, allowed is that of the whole program");
}

/* Compiles a step, and adds its reply, which begins with what the client called the step, to those of the others.
 * context is the caller's memory, which c->args point at. */
static void compile_step(struct compiler *c, const struct value *map, size_t index, char context[STEP_CONTEXT],
			 struct value *replies)
{
	struct bump *bump = c->plan->bump;
	struct value reply = value_map(), as;

	read_operation(c, map, index, context);
	bind_step(c, map);
	read_name(c, map);
	if (c->error)
		return;
	c->reply = &reply;
	compile_put(c, "op", value_string(c->args.operation->name));
	if (c->name && value_copy(bump, value_get(map, "as"), &as))
		compile_no_memory(c);
	else if (c->name)
		compile_put(c, "as", as);
	compile_operation(c);
	if (!c->error && value_push(bump, replies, reply))
		compile_no_memory(c);
}

/* Checks the list of steps itself, before any is read. */
static void check_steps(struct compiler *c, const struct value *list)
{
	if (list->kind != VALUE_ARRAY)
		compile_param_error(c, RUN_STEPS, ERROR_WRONG_TYPE, "got %s, allowed is an array of maps",
				    bind_kind_text(list->kind));
	else if (list->array.count > STEPS_MAX)
		compile_param_error(c, RUN_STEPS, ERROR_LIMIT, "%zu steps, allowed are %d", list->array.count, STEPS_MAX);
}

/* Returns what a run states for those of its draws that state nothing themselves. */
static struct stream_choice choice_of(const struct args *run)
{
	const struct arg *at = run->at;

	return (struct stream_choice){
		.has_generator = true,
		.has_seed = true,
		.has_stream = true,
		.has_layout = true,
		.has_offset = true,
		.has_text = true,
		.generator = at[RUN_GENERATOR].choice,
		.seed = at[RUN_SEED].u64,
		.stream = at[RUN_STREAM].u64,
		.layout = at[RUN_LAYOUT].choice,
		.offset = at[RUN_OFFSET].u64,
		.text = at[RUN_U64].choice != 0,
	};
}

/* What the named stream decides cannot be stated beside it, nor a generator beside another framework's layout. */
static void check_stated(struct compiler *c)
{
	static const unsigned own[] = {RUN_GENERATOR, RUN_SEED, RUN_STREAM, RUN_LAYOUT, RUN_OFFSET};
	const enum layout layout = (enum layout)c->args.at[RUN_LAYOUT].choice;

	if (layout_is_replay(layout) && c->args.at[RUN_GENERATOR].given)
		compile_param_error(c, RUN_GENERATOR, ERROR_OUT_OF_RANGE, "given with layout %s, allowed without it: the layout's is %s",
				    layout_rows[layout].name, layout_rows[layout].generator);
	for (size_t i = 0; c->args.at[RUN_NAME].given && i < sizeof own / sizeof *own; i++)
		if (c->args.at[own[i]].given)
			compile_param_error(c, RUN_NAME, ERROR_OUT_OF_RANGE, "given beside %s, allowed is one of them",
					    c->args.operation->params[own[i]].name);
}

/* Compiles the steps one after the other, and lists their replies. c->args is that of the step being compiled, so the
 * program's own stand apart (c->run) and are put back for whoever reads them afterwards. `next` is written by
 * placement_seek, once positions are known. */
void compile_program(struct compiler *c)
{
	const struct args run = c->args;
	const struct value *list = run.at[RUN_STEPS].value;
	struct placements *placements = &c->plan->placements;
	struct value *reply = c->reply;
	struct value steps = value_array(), results = value_map();
	char context[STEP_CONTEXT];

	check_steps(c, list);
	check_stated(c);
	read_results(c);
	placements->is_run = true;
	placements->run = choice_of(&run);
	placements->name = run.at[RUN_NAME].given ? run.at[RUN_NAME].value : NULL;
	c->run = &run;
	c->results = &results;
	for (size_t i = 0; !c->error && i < list->array.count; i++)
		compile_step(c, &list->array.at[i], i, context, &steps);
	c->results = NULL;
	c->run = NULL;
	c->reply = reply;
	compile_put(c, "steps", steps);
	compile_put(c, "results", results);
	compile_put(c, "next", value_nil());
	c->args = run;
	check_results(c);
}
