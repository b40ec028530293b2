/* SPDX-License-Identifier: Apache-2.0 */
/* Replies of the methods that need no computing: one function for each row that starts here. */
#include "engine/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/memory/engine_session_core.h"
#include "engine/operations/operation_rows.h"
#include "engine/prepare.h"
#include "engine/call/prepared_core.h"
#include "engine/service_derive.h"
#include "rng/stream.h"

enum { PROTOCOL_NUMBER = 1 }; /* of proto/PROTOCOL.md: raised by a change that a client can fail on */

/* The functions below have the reply's bump and map in variables of these names. 0, or not 0 without memory. */
#define PUT(name, value) value_put(bump, map, name, value)

/* A bound request, and where its reply goes. *ret_prepared is set when prepare has begun a call whose tables are
 * still to be built. */
struct service_call {
	struct engine_session *session;
	const struct args *args;
	struct bump *bump; /* the reply's */
	struct value *map; /* the reply */
	struct prepared **ret_prepared;
	struct error *err;
};

/* As text: clients that have no integers of 64 bits compare it, too. */
static int put_instance(struct bump *bump, uint64_t instance, struct value *map)
{
	char text[17], *copy;

	if (instance == 0)
		return 0;
	snprintf(text, sizeof text, "%016" PRIx64, instance);
	copy = bump_copy(bump, text, 16);
	return !copy || PUT("instance", value_string(copy));
}

static int answer_version(const struct service_call *call)
{
	struct bump *bump = call->bump;
	struct value *map = call->map;

	return PUT("name", value_string("trnsciD")) || PUT("version", value_string(TRNSCI_VERSION)) ||
			       PUT("stream_format", value_uint(STREAM_FORMAT)) ||
			       PUT("protocol", value_uint(PROTOCOL_NUMBER)) ||
			       put_instance(bump, call->session->engine->instance, map)
		       ? -ERROR_NO_MEMORY
		       : 0;
}

static int answer_ping(const struct service_call *call)
{
	const struct arg *payload = &call->args->at[PING_PAYLOAD];

	return payload->given && value_put(call->bump, call->map, "payload", *payload->value) ? -ERROR_NO_MEMORY : 0;
}

/* Choices stand in the table as one text, "f32|f64"; the reply has an array. */
static int put_choices(struct bump *bump, const char *choices, struct value *map)
{
	struct value list = value_array();

	for (const char *at = choices; at && *at;) {
		const size_t size = strcspn(at, "|");
		char *copy = bump_copy(bump, at, size);

		if (!copy || value_push(bump, &list, value_string(copy)))
			return -1;
		at += size + (at[size] == '|');
	}
	return PUT("choices", list);
}

/* required: no default; a default of nil: may be left out. Bounds stand where the row has them. */
static int put_param(struct bump *bump, const struct param *param, bool takes_array, struct value *map)
{
	const bool bounded = param->min != 0 || param->max != 0;

	return PUT("name", value_string(param->name)) || PUT("type", value_string(param_type_name(param->type))) ||
	       PUT("unit", value_string(param->unit)) || PUT("required", value_bool(!param->fallback)) ||
	       PUT("default", param->fallback && *param->fallback ? value_string(param->fallback) : value_nil()) ||
	       PUT("min", bounded ? value_real(param->min) : value_nil()) ||
	       PUT("max", bounded && param->max != 0 ? value_real(param->max) : value_nil()) ||
	       PUT("above_min", value_bool(param->above_min)) || PUT("array", value_bool(takes_array)) ||
	       (param->choices && put_choices(bump, param->choices, map)) || PUT("help", value_string(param->help));
}

static int put_method(struct bump *bump, const struct operation *operation, struct value *map)
{
	struct value params = value_array();

	for (size_t i = 0; i < operation->n_params; i++) {
		struct value one = value_map();

		if (put_param(bump, &operation->params[i], operation_takes_array(operation, i), &one) || value_push(bump, &params, one))
			return -1;
	}
	return PUT("name", value_string(operation->name)) || PUT("class", value_string(method_class_name(operation->class))) ||
	       PUT("help", value_string(operation->help)) || PUT("details", value_string(operation->details)) ||
	       PUT("params", params);
}

static int put_methods(struct bump *bump, struct value *map)
{
	struct value list = value_array();
	size_t count;
	const struct operation *all = operations(&count);

	for (size_t i = 0; i < count; i++) {
		struct value one = value_map();

		if (put_method(bump, &all[i], &one) || value_push(bump, &list, one))
			return -1;
	}
	return PUT("methods", list);
}

/* The number is what the queue and rings carry in place of the text. */
static int push_error(struct bump *bump, struct value *list, const char *name, unsigned number, const char *meaning)
{
	struct value one = value_map(), *map = &one;

	return PUT("name", value_string(name)) || PUT("number", value_uint(number)) ||
	       PUT("kind", value_uint(error_kind((int)number))) || PUT("meaning", value_string(meaning)) ||
	       value_push(bump, list, one);
}

static int put_errors(struct bump *bump, struct value *map)
{
	struct value list = value_array();
	int failed = 0;

#define X(id, number, kind, name, meaning) failed |= push_error(bump, &list, name, number, meaning);
	ERROR_TABLE(X)
#undef X
	return failed || PUT("errors", list);
}

static int put_dtypes(struct bump *bump, struct value *map)
{
	struct value list = value_array();
	int failed = 0;

#define X(id, number, name, long_name, size, descr) failed |= value_push(bump, &list, value_string(name));
	DTYPE_TABLE(X)
#undef X
	return failed || PUT("dtypes", list);
}

static int answer_describe(const struct service_call *call)
{
	struct bump *bump = call->bump;
	struct value *map = call->map;

	return put_methods(bump, map) || put_errors(bump, map) || put_dtypes(bump, map) ||
			       PUT("stream_format", value_uint(STREAM_FORMAT))
		       ? -ERROR_NO_MEMORY
		       : 0;
}

static int answer_derive(const struct service_call *call)
{
	return derive_answer(call->args, call->bump, call->map, call->err);
}

/* A tile whose reply cannot be made is freed again: the client would never learn its handle. */
static int answer_tile(const struct service_call *call)
{
	struct engine_session *session = call->session;
	const struct arg *at = call->args->at;
	struct bump *bump = call->bump;
	struct value *map = call->map;
	struct shape shape = {.dtype = bind_dtype(call->args, TILE_DTYPE), .ndim = at[TILE_SHAPE].shape.count};
	struct tile_place place;
	int error;

	memcpy(shape.dims, at[TILE_SHAPE].shape.at, sizeof shape.dims);
	if (!shape_finish(&shape))
		return bind_error(call->args, TILE_SHAPE, call->err, ERROR_OUT_OF_RANGE,
				  "more than 2^62 bytes, allowed are fewer");
	error = at[TILE_OFFSET].given ? tile_create_at(session, &shape, at[TILE_ARENA].u64, at[TILE_OFFSET].u64,
						       &place, call->err)
				      : tile_create(session, &shape, &place, call->err);
	if (error)
		return error;
	if (PUT("tile", value_uint(place.handle)) || PUT("arena", value_uint(place.arena)) ||
	    PUT("offset", value_uint(place.offset)) || PUT("bytes", value_uint(place.bytes)) || shape_put(&shape, bump, map)) {
		tile_free(session, place.handle, NULL);
		return -ERROR_NO_MEMORY;
	}
	return 0;
}

static int answer_free(const struct service_call *call)
{
	const int error = tile_free(call->session, call->args->at[FREE_TILE].u64, call->err);

	return error ? error : value_put(call->bump, call->map, "freed", value_uint(1));
}

/* Gives a prepared call its handle, once all its tables are built. Takes ownership of the call, also when it fails. */
int service_keep(struct engine_session *session, struct prepared *prepared, struct bump *bump, struct value *map,
		 struct error *err)
{
	const uint64_t tiles = prepared->n_tiles;
	uint32_t handle = 0;
	int error = prepared_keep(session, prepared, &handle, err);

	if (error) {
		prepared_drop(prepared);
		return error;
	}
	if (PUT("prepared", value_uint(handle)) || PUT("tiles", value_uint(tiles))) {
		prepared_release(session, handle, NULL);
		return error_set(err, ERROR_NO_MEMORY, "prepare: no memory for the reply");
	}
	return 0;
}

/* Small calls are ready at once; for others the caller builds the tables piece by piece, then calls service_keep. */
static int answer_prepare(const struct service_call *call)
{
	struct prepared *prepared;
	int error = prepared_begin(call->session, call->args, &prepared, call->err);

	if (error)
		return error;
	if (!prepared->first.bound.deferred.first)
		return service_keep(call->session, prepared, call->bump, call->map, call->err);
	*call->ret_prepared = prepared;
	return 0;
}

static int answer_release(const struct service_call *call)
{
	int error = prepared_release(call->session, call->args->at[RELEASE_PREPARED].u64, call->err);

	return error ? error : value_put(call->bump, call->map, "released", value_uint(1));
}

/* In the order of the operations; NULL where another answers. */
static int (*const answers[])(const struct service_call *call) = {
#define START_ANSWER_SERVICE(name)                               answer_##name
#define START_ANSWER_SESSION(name)                               NULL
#define START_ANSWER_OWNER(name)                                 NULL
#define START_ANSWER_STREAM_DRAW(name)                           NULL
#define START_ANSWER_COMPILED(name)                              NULL
#define START_ANSWER_PREPARED(name)                              NULL
#define METHOD_ROW(name, class, start, effect, parameters, help) START_ANSWER_##start(name),
#define ROW(name, class, parameters, compile, help)              NULL,
#define DRAW(id, name, shape, dtypes, fallback, help)            NULL,
	OPERATION_ROWS(METHOD_ROW, ROW, DRAW)
#undef DRAW
#undef ROW
#undef METHOD_ROW
};

int service_answer(struct engine_session *session, const struct args *args, struct bump *bump, struct value *reply,
		   struct prepared **ret_prepared, struct error *err)
{
	const struct service_call call = {session, args, bump, reply, ret_prepared, err};
	size_t count;
	int error = answers[args->operation - operations(&count)](&call);

	if (error == -ERROR_NO_MEMORY)
		error_set(err, ERROR_NO_MEMORY, "%s: no memory for the reply", args->operation->name);
	return error;
}
