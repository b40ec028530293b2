/* SPDX-License-Identifier: Apache-2.0 */
/* The prepared calls of a space: their table, what they hold, and their end. */
#include "engine/prepared/prepared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/prepared/prepared_core.h"
#include "engine/steps/temp.h"

void prepared_drop(void *arg)
{
	struct prepared *prepared = arg;

	if (!prepared || atomic_fetch_sub(&prepared->refs, 1) > 1)
		return;
	for (size_t i = 0; i < prepared->n_buffers; i++)
		if (prepared->constants && prepared->buffers)
			temp_free(prepared->engine, prepared->constants[i], prepared->buffers[i].shape.bytes);
	bump_free(prepared->bump);
	if (prepared->charge && prepared->unreserve)
		prepared->unreserve(prepared->reserve_arg, prepared->charge);
	free(prepared);
}

/* The owner of the space, to whom it goes back, outlives every request, the space itself may not. */
static int reserve(struct space *space, struct prepared *prepared, uint64_t bytes, struct error *err)
{
	const struct space_limits *limits = &space->limits;
	int error = limits->reserve ? limits->reserve(limits->reserve_arg, bytes, err) : 0;

	if (error)
		return error;
	prepared->charge = bytes;
	prepared->unreserve = limits->unreserve;
	prepared->reserve_arg = limits->reserve_arg;
	return 0;
}

/* Under the lock. */
static int check_room(const struct space *space, struct error *err)
{
	if (space->closed)
		return error_set(err, ERROR_CLOSED, "prepare: the session is closed");
	if (space->n_prepared >= space->limits.prepared || space->last_prepared == UINT32_MAX)
		return error_set(err, ERROR_LIMIT, "prepare: %zu calls are prepared, allowed are %zu (prepared)",
				 space->n_prepared, space->limits.prepared);
	return 0;
}

bool prepared_allows(const struct operation *operation)
{
	return operation->class >= METHOD_DRAW || strcmp(operation->name, "run") == 0 ||
	       strcmp(operation->name, "stream_draw") == 0;
}

/* The operation that `method` names, if a call of it computes. */
static int find_operation(const struct args *args, const struct operation **ret, struct error *err)
{
	const struct value *method = args->at[PREPARE_METHOD].value;
	const struct operation *operation = operation_find(method->bytes.at, method->bytes.size);
	char got[BIND_TEXT];

	if (!operation || !prepared_allows(operation))
		return bind_error(args, PREPARE_METHOD, err, ERROR_UNKNOWN_METHOD,
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
		return bind_error(args, PREPARE_PARAMS, err, ERROR_WRONG_TYPE, "takes a map, the call's parameters");
	*ret = is_empty ? &nothing : arg->value;
	return 0;
}

static int build(struct space *space, const struct args *args, struct prepared *prepared, struct error *err)
{
	const struct arg *most = &args->at[PREPARE_MAX_BYTES];
	const struct operation *operation = NULL;
	const struct value *params = NULL;
	uint64_t bytes = 0;
	int error = find_operation(args, &operation, err);

	if (!error)
		error = find_params(args, &params, err);
	if (error)
		return error;
	pthread_mutex_lock(&space->lock);
	error = check_room(space, err);
	pthread_mutex_unlock(&space->lock);
	if (!error)
		error = prepared_create(space, prepared, operation, params, &bytes, err);
	bytes += sizeof *prepared;
	if (!error && most->given && bytes > most->u64)
		error = bind_error(args, PREPARE_MAX_BYTES, err, ERROR_LIMIT,
				   "the prepared call would hold %" PRIu64 " bytes, allowed are %" PRIu64, bytes, most->u64);
	return error ? error : reserve(space, prepared, bytes, err);
}

int prepared_begin(struct space *space, const struct args *args, struct prepared **ret_prepared, struct error *err)
{
	struct prepared *prepared = calloc(1, sizeof *prepared);
	int error;

	if (!prepared)
		return error_set(err, ERROR_NO_MEMORY, "prepare: no memory for it");
	atomic_init(&prepared->refs, 1);
	prepared->bump = bump_new();
	error = prepared->bump ? build(space, args, prepared, err)
			       : error_set(err, ERROR_NO_MEMORY, "prepare: no memory for it");
	if (error) {
		prepared_drop(prepared);
		return error;
	}
	*ret_prepared = prepared;
	return 0;
}

int prepared_keep(struct space *space, struct prepared *prepared, uint32_t *ret_handle, struct error *err)
{
	int error;

	pthread_mutex_lock(&space->lock);
	error = check_room(space, err);
	if (!error) {
		struct prepared **bucket;

		*ret_handle = prepared->handle = ++space->last_prepared;
		bucket = &space->prepared[prepared->handle % PREPARED_BUCKETS];
		prepared->next = *bucket;
		*bucket = prepared;
		space->n_prepared++;
	}
	pthread_mutex_unlock(&space->lock);
	return error;
}

/* Under the lock. */
static struct prepared **find(struct space *space, uint64_t handle)
{
	struct prepared **at = &space->prepared[handle % PREPARED_BUCKETS];

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

struct prepared *prepared_find(struct space *space, uint64_t handle)
{
	struct prepared *prepared;

	pthread_mutex_lock(&space->lock);
	prepared = *find(space, handle);
	if (prepared)
		atomic_fetch_add(&prepared->refs, 1);
	pthread_mutex_unlock(&space->lock);
	return prepared;
}

int prepared_release(struct space *space, uint64_t handle, struct error *err)
{
	struct prepared **at, *prepared;

	pthread_mutex_lock(&space->lock);
	at = find(space, handle);
	prepared = *at;
	if (prepared) {
		*at = prepared->next;
		space->n_prepared--;
	}
	pthread_mutex_unlock(&space->lock);
	if (!prepared)
		return error_set(err, ERROR_BAD_TILE,
				 "release: prepared: there is no prepared call %" PRIu64
				 ", allowed is the handle of one that is not released",
				 handle);
	prepared_drop(prepared);
	return 0;
}

void prepared_release_all(struct space *space)
{
	for (size_t i = 0; i < PREPARED_BUCKETS; i++)
		while (space->prepared[i])
			prepared_release(space, space->prepared[i]->handle, NULL);
}
