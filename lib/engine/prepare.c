/* SPDX-License-Identifier: Apache-2.0 */
/* Making prepared calls: a plan and its first run, which later runs copy. */
#include "engine/prepare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/placement.h"
#include "engine/call/prepared_core.h"
#include "engine/compile/compile.h"

/* Returns the index of the buffer of a tile, or -1. */
static int find_buffer(const struct prepared *prepared, uint64_t handle)
{
	for (size_t i = 0; i < prepared->plan.n_buffers; i++)
		if (prepared->plan.buffers[i]->kind == BUFFER_TILE && prepared->plan.buffers[i]->handle == handle)
			return (int)i;
	return -1;
}

/* Returns the operation that a map {op: ...} is a step of, or NULL. */
static const struct operation *operation_of(const struct value *map)
{
	const struct value *op = map->kind == VALUE_MAP ? value_get(map, "op") : NULL;

	return op && (op->kind == VALUE_STRING || op->kind == VALUE_BYTES) ? operation_find(op->bytes.at, op->bytes.size)
									     : NULL;
}

static bool is_named_before(const struct prepared *prepared, uint64_t handle)
{
	for (size_t i = 0; i < prepared->n_tiles; i++)
		if (prepared->tiles[i].handle == handle)
			return true;
	return false;
}

/* Reads the handle that a parameter's value is, or has as {tile: ...}. */
static bool read_handle(const struct operation *operation, const struct param *param, const struct value *value,
			uint64_t *ret)
{
	if (value->kind == VALUE_MAP && operation_takes_array(operation, (size_t)(param - operation->params)))
		value = value_get(value, "tile");
	else if (param->type != PARAM_TILE)
		return false;
	return value && value_to_natural(value, ret);
}

/* Lists the handles of one operation's parameters in the order of the request's map; those of its steps, or of the draw
 * inside it, come where they stand. A first walk, while prepared->tiles is NULL, only counts them, with repetitions. */
static void walk_tiles(struct prepared *prepared, const struct operation *operation, const struct value *map)
{
	for (size_t i = 0; i < map->map.count; i++) {
		const struct value_member *member = &map->map.at[i];
		const struct param *param = operation_param(operation, member->name, member->name_size);
		const struct value *at = &member->value;
		const size_t count = at->kind == VALUE_ARRAY ? at->array.count : 1;

		if (at->kind == VALUE_ARRAY)
			at = at->array.at;
		for (size_t k = 0; k < count && param; k++) {
			const struct operation *inner = operation_of(&at[k]);
			uint64_t handle;
			const bool is_tile = !inner && read_handle(operation, param, &at[k], &handle);

			if (inner)
				walk_tiles(prepared, inner, &at[k]);
			else if (is_tile && !prepared->tiles)
				prepared->n_tiles++;
			else if (is_tile && !is_named_before(prepared, handle))
				prepared->tiles[prepared->n_tiles++] =
					(struct prepared_tile){handle, find_buffer(prepared, handle)};
		}
	}
}

/* Lists the tiles that the call names, each once. Clients number them by this order (run_prepared's `tiles`). */
static int list_tiles(struct prepared *prepared, const struct value *params)
{
	struct prepared_tile *tiles;

	walk_tiles(prepared, prepared->operation, params);
	tiles = bump_alloc(prepared->bump, (prepared->n_tiles + 1) * sizeof *tiles);
	if (!tiles)
		return -ERROR_NO_MEMORY;
	prepared->tiles = tiles;
	prepared->n_tiles = 0;
	walk_tiles(prepared, prepared->operation, params);
	return 0;
}

/* ---- the call ---- */

/* Copies the name of the stream that a run draws from, which lies in the request. */
static int keep_name(struct prepared *prepared)
{
	struct placements *placements = &prepared->plan.placements;
	struct value *copy;

	if (!placements->name)
		return 0;
	copy = bump_alloc(prepared->bump, sizeof *copy);
	if (!copy || value_copy(prepared->bump, placements->name, copy))
		return -ERROR_NO_MEMORY;
	placements->name = copy;
	run_name_stream(&prepared->first, copy);
	return 0;
}

/* Compiles the call into prepared->plan and its reply, as a request would be. */
static int compile_call(struct prepared *prepared, const struct value *params, struct error *err)
{
	struct plan *plan = &prepared->plan;
	struct compiler compiler;
	int error;

	memset(&compiler, 0, offsetof(struct compiler, args.at));
	compiler.plan = plan;
	compiler.first_run = &prepared->first;
	compiler.reply = &prepared->reply;
	compiler.err = err;
	compiler.args.operation = prepared->operation;
	compiler.args.context = prepared->operation->name;
	error = bind_args(&compiler.args, params, err);
	if (!error)
		error = compile(&compiler);
	if (error)
		return error;
	prepared->timeout_ms = bind_timeout_ms(&compiler.args);
	if (keep_name(prepared))
		return error_set(err, ERROR_NO_MEMORY, "prepare: no memory for it");
	/* Where it lies as it stands, so that what is wrong is reported now. */
	return placement_seek(&prepared->first, err);
}

/* Lists what each run states or shares beside the plan. */
static int arrange(struct prepared *prepared, const struct value *params)
{
	const struct plan *plan = &prepared->plan;
	const size_t bytes = (plan->n_buffers + 1) * sizeof *prepared->constants;

	prepared->constant_bytes = prepared_find_constants(&prepared->plan);
	prepared->constants = bump_alloc(prepared->bump, bytes);
	if (!prepared->constants)
		return -ERROR_NO_MEMORY;
	memset(prepared->constants, 0, bytes);
	for (size_t i = 0; i < plan->n_buffers; i++)
		prepared->names_memory |= plan->buffers[i]->kind == BUFFER_CALLER;
	return list_tiles(prepared, params);
}

/* Returns whether the reply carries what a run computes: inline results, or the numbers of a trace. */
static bool has_results_in_reply(const struct plan *plan)
{
	bool any = plan->inline_out > 0;

	for (size_t i = 0; i < plan->n_steps; i++)
		any |= plan->steps[i].ops->replies;
	return any;
}

/* Compiles and arranges. run_end gives back the tiles and plans of the compilation: a prepared call holds neither.
 * *ret_bytes is about what the call holds from now on. */
static int create_from_call(struct engine_session *session, struct prepared *prepared, const struct operation *operation,
			    const struct value *params, uint64_t *ret_bytes, struct error *err)
{
	int error;

	prepared->operation = operation;
	prepared->takes = (operation_param(operation, "seed", 4) ? PREPARED_SEED : 0u) |
			  (operation_param(operation, "stream", 6) ? PREPARED_STREAM : 0u) |
			  (operation_param(operation, "offset", 6) ? PREPARED_OFFSET : 0u) |
			  (operation_param(operation, "position", 8) ? PREPARED_POSITION : 0u);
	prepared->plan = (struct plan){.session = session, .bump = prepared->bump};
	prepared->first = (struct run){.plan = &prepared->plan,
				       .bound = {.engine = session->engine, .bump = prepared->bump},
				       .is_template = true};
	prepared->engine = session->engine;
	prepared->reply = value_map();
	atomic_flag_clear(&prepared->taken);
	atomic_init(&prepared->learnt, false);
	error = compile_call(prepared, params, err);
	prepared->replies = !error && has_results_in_reply(&prepared->plan);
	if (!error && arrange(prepared, params))
		error = error_set(err, ERROR_NO_MEMORY, "prepare: no memory for it");
	if (!error && prepared_create_inline(prepared))
		error = error_set(err, ERROR_NO_MEMORY, "prepare: no memory for it");
	run_end(&prepared->first);
	if (error)
		return error;
	*ret_bytes = prepared_inline_bytes(prepared) + bump_bytes(prepared->bump) + prepared->first.bound.deferred.held_bytes + prepared->constant_bytes;
	return 0;
}

/* ---- the request ---- */

bool prepared_allows(const struct operation *operation)
{
	return operation->start == START_COMPILED || operation->start == START_STREAM_DRAW;
}

/* Charges the bytes to the session's owner. The call keeps the callback, not the session: its last run may outlive the
 * session, but not the owner. */
static int reserve_prepared(struct engine_session *session, struct prepared *prepared, uint64_t bytes, struct error *err)
{
	const struct session_owner *limits = &session->limits;
	int error = limits->reserve ? limits->reserve(limits->reserve_arg, bytes, err) : 0;

	if (error)
		return error;
	prepared->charge += bytes;
	prepared->unreserve = limits->unreserve;
	prepared->reserve_arg = limits->reserve_arg;
	return 0;
}

/* The operation that `method` names, if a call of it computes. */
static int find_operation(const struct args *args, const struct operation **ret, struct error *err)
{
	const struct value *method = args->at[PREPARE_METHOD].value;
	const struct operation *operation = operation_find(method->bytes.at, method->bytes.size);
	char got[BIND_TEXT];

	if (!operation || !prepared_allows(operation))
		return bind_error(
			args, PREPARE_METHOD, err, ERROR_UNKNOWN_METHOD,
			"\"%s\" cannot be prepared, allowed are run, stream_draw and what can be a step of a run",
			bind_text(method->bytes.at, method->bytes.size, got));
	*ret = operation;
	return 0;
}

/* An empty array stands for an empty map, as in a request. */
static int find_params(const struct args *args, const struct value **ret, struct error *err)
{
	static const struct value nothing = {.kind = VALUE_MAP};
	const struct arg *arg = &args->at[PREPARE_PARAMS];
	const bool is_empty = !arg->given || (arg->value->kind == VALUE_ARRAY && arg->value->array.count == 0);

	if (!is_empty && arg->value->kind != VALUE_MAP)
		return bind_error(args, PREPARE_PARAMS, err, ERROR_WRONG_TYPE,
				  "got %s, allowed is a map of the call's parameters", bind_kind_text(arg->value->kind));
	*ret = is_empty ? &nothing : arg->value;
	return 0;
}

/* Creates the call, within the session's number of them, max_bytes and the owner's memory. The number is checked again
 * when the call gets its handle; here it saves the work of one that would be refused. */
static int create_prepared(struct engine_session *session, const struct operation *operation, const struct value *params,
			   uint64_t max_bytes, struct prepared *prepared, struct error *err)
{
	uint64_t bytes = 0;
	int error;

	pthread_mutex_lock(&session->lock);
	error = prepared_check_room(session, err);
	pthread_mutex_unlock(&session->lock);
	if (!error)
		error = create_from_call(session, prepared, operation, params, &bytes, err);
	bytes += sizeof *prepared;
	if (!error && bytes > max_bytes)
		error = error_set(err, ERROR_LIMIT,
				  "prepare: max_bytes: the prepared call would hold %" PRIu64
				  " bytes, allowed are %" PRIu64,
				  bytes, max_bytes);
	return error ? error : reserve_prepared(session, prepared, bytes, err);
}

static int begin_prepared(struct engine_session *session, const struct operation *operation, const struct value *params,
			  uint64_t max_bytes, struct prepared **ret_prepared, struct error *err)
{
	struct prepared *prepared = calloc(1, sizeof *prepared);
	int error;

	if (!prepared)
		return error_set(err, ERROR_NO_MEMORY, "prepare: no memory for it");
	atomic_init(&prepared->refs, 1);
	prepared->bump = bump_new();
	error = prepared->bump ? create_prepared(session, operation, params, max_bytes, prepared, err)
			       : error_set(err, ERROR_NO_MEMORY, "prepare: no memory for it");
	if (error) {
		prepared_drop(prepared);
		return error;
	}
	*ret_prepared = prepared;
	return 0;
}

int prepared_begin(struct engine_session *session, const struct args *args, struct prepared **ret_prepared,
		   struct error *err)
{
	const struct arg *most = &args->at[PREPARE_MAX_BYTES];
	const struct operation *operation = NULL;
	const struct value *params = NULL;
	int error = find_operation(args, &operation, err);

	if (!error)
		error = find_params(args, &params, err);
	return error ? error
		     : begin_prepared(session, operation, params, most->given ? most->u64 : UINT64_MAX, ret_prepared,
				      err);
}

/* Tables are built in this thread, so what draws from them can run without a request, too. Of the two references one is
 * the table's and one the caller's. */
int prepared_make(struct engine_session *session, const struct operation *operation, const struct value *params,
		  uint64_t max_bytes, struct prepared **ret_prepared, struct error *err)
{
	struct prepared *prepared = NULL;
	uint32_t handle;
	int more, error = begin_prepared(session, operation, params, max_bytes, &prepared, err);

	if (error)
		return error;
	do
		more = deferred_build_advance(&prepared->first.bound.deferred, err);
	while (more > 0);
	error = more;
	if (!error && !prepared->kept && prepared_create_inline(prepared))
		error = error_set(err, ERROR_NO_MEMORY, "prepare: no memory for it");
	atomic_fetch_add(&prepared->refs, 1);
	if (!error)
		error = prepared_keep(session, prepared, &handle, err);
	if (error) {
		prepared_drop(prepared);
		prepared_drop(prepared);
		return error;
	}
	*ret_prepared = prepared;
	return 0;
}
