/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling `run`: steps that bind their own parameters, the names they give, and the results that go with the reply.
 */
#include <stdio.h>
#include <string.h>

#include "engine/compile/compiler.h"
#include "engine/call/placement.h"

/* Both bound what compiling a request takes of the thread that got it. A name may stand in `results` twice, which is
 * harmless, so there may be more of them than steps. */
enum { STEPS_MAX = 256, RESULTS_MAX = 2 * STEPS_MAX };

/* Adds a name; it stays in the request's own bytes, which outlive the program's compilation. */
static struct name_entry *add_name(struct compiler *compiler, const struct value *text)
{
	struct name_entry *entry = bump_alloc(compiler->plan->bump, sizeof *entry);

	if (!entry)
		return NULL;
	*entry = (struct name_entry){text->bytes.at, text->bytes.size, false, NULL, compiler->names};
	compiler->names = entry;
	return entry;
}

/* Reads the names that the reply shall have, before the steps: so each step knows whether its output is wanted, and
 * can be computed into the reply without a copy. */
static int read_results(struct compiler *compiler)
{
	const struct value *list = compiler->run->at[RUN_RESULTS].value;

	if (!list)
		return 0;
	if (list->kind != VALUE_ARRAY)
		return bind_error(compiler->run, RUN_RESULTS, compiler->err, ERROR_WRONG_TYPE,
				  "got %s, allowed is an array of the names of steps", bind_kind_text(list->kind));
	if (list->array.count > RESULTS_MAX)
		return bind_error(compiler->run, RUN_RESULTS, compiler->err, ERROR_LIMIT, "%zu names, allowed are %d",
				  list->array.count, RESULTS_MAX);
	for (size_t i = 0; i < list->array.count; i++) {
		struct name_entry *entry;

		if (list->array.at[i].kind != VALUE_STRING)
			return bind_error(compiler->run, RUN_RESULTS, compiler->err, ERROR_WRONG_TYPE,
					  "element %zu is not a text, allowed: an array of the names of steps", i);
		if (compile_find_name(compiler, &list->array.at[i]))
			continue;
		entry = add_name(compiler, &list->array.at[i]);
		if (!entry)
			return compile_no_memory(compiler);
		entry->wanted = true;
	}
	return 0;
}

/* Every name that was listed must have become a step's. */
static int check_results(struct compiler *compiler)
{
	char got[BIND_TEXT];

	for (const struct name_entry *entry = compiler->names; entry; entry = entry->after)
		if (!entry->buffer)
			return bind_error(compiler->run, RUN_RESULTS, compiler->err, ERROR_BAD_TILE,
					  "no step is called \"%s\", allowed are the `as` of steps",
					  bind_text(entry->at, entry->size, got));
	return 0;
}

/* The name a step gives its output: new, or promised by `results`. */
static int read_name(struct compiler *compiler, const struct value *map)
{
	const struct value *as = value_get(map, "as");
	const char *context = compiler->args.context;
	char got[BIND_TEXT];

	compiler->name = NULL;
	if (!as)
		return 0;
	if (as->kind != VALUE_STRING || as->bytes.size == 0)
		return error_set(compiler->err, ERROR_WRONG_TYPE, "%s: as: got %s, allowed is text of at least one byte",
				 context, as->kind == VALUE_STRING ? "empty text" : bind_kind_text(as->kind));
	compiler->name = compile_find_name(compiler, as);
	if (compiler->name && compiler->name->buffer)
		return error_set(compiler->err, ERROR_OUT_OF_RANGE,
				 "%s: as: \"%s\" is the name of an earlier step, allowed is a new one", context,
				 bind_text(as->bytes.at, as->bytes.size, got));
	if (!compiler->name)
		compiler->name = add_name(compiler, as);
	return compiler->name ? 0 : compile_no_memory(compiler);
}

/* Finds the step's operation. Methods of the session, the service and of named streams are no steps; their classes
 * come first in the enum. */
static int read_operation(struct compiler *compiler, const struct value *map, size_t index,
			  char context[STEP_CONTEXT])
{
	const struct value *op = map->kind == VALUE_MAP ? value_get(map, "op") : NULL;
	const struct operation *operation = NULL;
	char got[BIND_TEXT];

	snprintf(context, STEP_CONTEXT, "%s: steps[%zu]", compiler->run->context, index);
	compiler->args = (struct args){.context = context, .in_program = true};
	if (map->kind != VALUE_MAP)
		return error_set(compiler->err, ERROR_WRONG_TYPE, "%s: not a map, allowed: {op, its parameters, as}",
				 context);
	if (!op)
		return error_set(compiler->err, ERROR_MISSING_PARAMETER,
				 "%s: op: missing: give the name of an operation", context);
	if (op->kind == VALUE_STRING || op->kind == VALUE_BYTES)
		operation = operation_find(op->bytes.at, op->bytes.size);
	else
		return error_set(compiler->err, ERROR_WRONG_TYPE,
				 "%s: op: not a text, allowed: the name of an operation", context);
	if (!operation || operation->class < METHOD_DRAW)
		return error_set(
			compiler->err, ERROR_UNKNOWN_METHOD,
			"%s: op: \"%s\" cannot be a step, allowed are draws, element-wise operations and transforms",
			context, bind_text(op->bytes.at, op->bytes.size, got));
	snprintf(context, STEP_CONTEXT, "%s: steps[%zu] %s", compiler->run->context, index, operation->name);
	compiler->args.operation = operation;
	compiler->step = index;
	compiler->step_name = operation->name;
	return 0;
}

/* `stream_name`: of those that draw from one place of one stream. */
static int read_stream_name(struct compiler *compiler, const struct value *map)
{
	const struct operation *operation = compiler->args.operation;
	const struct value *name = value_get(map, "stream_name");

	compiler->stream_name = NULL;
	compiler->args.names_stream = operation->class == METHOD_DRAW || strcmp(operation->name, "trace") == 0;
	if (!name || !compiler->args.names_stream)
		return 0;
	if (name->kind != VALUE_STRING && name->kind != VALUE_BYTES)
		return error_set(compiler->err, ERROR_WRONG_TYPE, "%s: stream_name: got %s, allowed is the name of a stream",
				 compiler->args.context, bind_kind_text(name->kind));
	compiler->stream_name = name;
	return 0;
}

/* Binds a step's parameters to compiler->args. context is the caller's memory, which args point at. A step has no
 * timeout of its own: it would have to be stopped alone, and the steps that need its output with it. */
static int bind_step(struct compiler *compiler, const struct value *map, size_t index, char context[STEP_CONTEXT])
{
	int error = read_operation(compiler, map, index, context);

	if (!error)
		error = read_stream_name(compiler, map);
	if (!error)
		error = bind_args(&compiler->args, map, compiler->err);
	if (!error && value_get(map, "timeout_ms"))
		error = error_set(compiler->err, ERROR_UNKNOWN_PARAMETER,
				  "%s: timeout_ms: a step has none, allowed is that of the whole program", context);
	return error;
}

/* Compiles the step whose parameters are bound. Its reply begins with what the client called it. */
static int compile_step(struct compiler *compiler, const struct value *map, struct value *ret_reply)
{
	struct bump *bump = compiler->plan->bump;
	int error = read_name(compiler, map);
	struct value as;

	if (error)
		return error;
	compiler->reply = ret_reply;
	if (value_put(bump, ret_reply, "op", value_string(compiler->args.operation->name)))
		return compile_no_memory(compiler);
	if (compiler->name && (value_copy(bump, value_get(map, "as"), &as) || value_put(bump, ret_reply, "as", as)))
		return compile_no_memory(compiler);
	return compile_operation(compiler);
}

/* Checks the list of steps itself, before any is read. */
static int check_steps(const struct args *run, const struct value *list, struct error *err)
{
	if (list->kind != VALUE_ARRAY)
		return bind_error(run, RUN_STEPS, err, ERROR_WRONG_TYPE, "got %s, allowed is an array of maps",
				  bind_kind_text(list->kind));
	if (list->array.count > STEPS_MAX)
		return bind_error(run, RUN_STEPS, err, ERROR_LIMIT, "%zu steps, allowed are %d", list->array.count,
				  STEPS_MAX);
	return 0;
}

/* Compiles the steps one after the other, and lists their replies. `next` is written by placement_seek, once positions
 * are known. */
static int compile_steps(struct compiler *compiler, const struct value *list)
{
	struct bump *bump = compiler->plan->bump;
	struct value *reply = compiler->reply;
	struct value steps = value_array(), results = value_map();
	char context[STEP_CONTEXT];
	int error;

	compiler->results = &results;
	error = read_results(compiler);
	for (size_t i = 0; i < list->array.count && !error; i++) {
		struct value one = value_map();

		error = bind_step(compiler, &list->array.at[i], i, context);
		if (!error)
			error = compile_step(compiler, &list->array.at[i], &one);
		if (!error && value_push(bump, &steps, one))
			error = compile_no_memory(compiler);
	}
	compiler->results = NULL;
	compiler->reply = reply;
	if (!error)
		error = check_results(compiler);
	if (error)
		return error;
	if (value_put(bump, reply, "steps", steps) || value_put(bump, reply, "results", results) ||
	    value_put(bump, reply, "next", value_nil()))
		return compile_no_memory(compiler);
	return 0;
}

struct stream_choice compile_choice(const struct args *run)
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
		.trn24 = at[RUN_KEY_LAYOUT].choice != 0,
		.offset = at[RUN_OFFSET].u64,
		.text = at[RUN_U64].choice != 0,
	};
}

/* What the named stream decides cannot be stated beside it. */
static int check_named(const struct args *run, struct error *err)
{
	static const unsigned own[] = {RUN_GENERATOR, RUN_SEED, RUN_STREAM, RUN_KEY_LAYOUT, RUN_OFFSET};

	for (size_t i = 0; run->at[RUN_NAME].given && i < sizeof own / sizeof *own; i++)
		if (run->at[own[i]].given)
			return bind_error(run, RUN_NAME, err, ERROR_OUT_OF_RANGE,
					  "given beside %s, allowed is one of them", run->operation->params[own[i]].name);
	return 0;
}

/* compiler->args is that of the step being compiled, so the program's own stand apart (compiler->run) and are put
 * back for whoever reads them afterwards. */
int compile_program(struct compiler *compiler)
{
	const struct args run = compiler->args;
	struct plan *plan = compiler->plan;
	int error = check_steps(&run, run.at[RUN_STEPS].value, compiler->err);

	if (!error)
		error = check_named(&run, compiler->err);
	if (error)
		return error;
	plan->placements.is_run = true;
	plan->placements.run = compile_choice(&run);
	plan->placements.name = run.at[RUN_NAME].given ? run.at[RUN_NAME].value : NULL;
	compiler->run = &run;
	error = compile_steps(compiler, run.at[RUN_STEPS].value);
	compiler->args = run;
	compiler->run = NULL;
	return error;
}
