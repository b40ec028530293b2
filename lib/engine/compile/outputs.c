/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of operations, and what the reply says of them.
 *
 * An output goes to a tile (`out` names it, or asks for a new one), to an embedded caller's own memory, to the reply,
 * or, within a program, to a temporary that only later steps read. */
#include <inttypes.h>
#include <string.h>

#include "engine/compile/buffers.h"

/* Whether `out` is {new: true}, nothing else beside it. */
static bool is_new_tile(const struct arg *arg)
{
	const struct value *new = arg->given && arg->value->kind == VALUE_MAP ? value_get(arg->value, "new") : NULL;

	return new && new->kind == VALUE_BOOL && new->boolean && arg->value->map.count == 1;
}

/* Returns the buffer of memory that an embedded caller owns. Memory that is an input, too, has one buffer, so that
 * steps see that they work in place. Memory that overlaps another in part is the caller's mistake, as with memcpy. A
 * prepared call has no such memory: it would have to live as long as the handle. */
static struct buffer *caller_buffer(struct compiler *c, unsigned param, const struct value *map)
{
	struct plan *plan = c->plan;
	const struct value *data = value_get(map, "data");
	const struct run *run = c->first_run;
	struct buffer *buffer;
	struct shape shape;

	if (compile_is_stated(c, map))
		return compile_stated_buffer(c, param, map);
	if (!plan->session->limits.shares_memory || !data || data->kind != VALUE_BYTES || run->is_template)
		compile_param_error(c, param, ERROR_WRONG_TYPE,
				    "got another map, allowed is a tile's handle or the map {new: true}");
	shape = compile_array_shape(c, param, map);
	if (c->error)
		return &c->no_buffer;
	if (data->bytes.size != shape.bytes || (uintptr_t)data->bytes.at % dtype_size(shape.dtype))
		compile_param_error(c, param, ERROR_BAD_SHAPE,
				    "memory of %zu bytes, its shape and dtype ask for %" PRIu64 " that are aligned",
				    data->bytes.size, shape.bytes);
	for (size_t i = plan->n_buffers; i-- > 0 && shape.bytes > 0;)
		if (i < run->buffers_room && run->bound.base[i] == data->bytes.at &&
		    shape_equal(&plan->buffers[i]->shape, &shape))
			return plan->buffers[i];
	buffer = compile_add_buffer(c, BUFFER_CALLER, &shape);
	compile_hold(c, buffer, data->bytes.at);
	return buffer;
}

struct buffer *compile_given_output(struct compiler *c, unsigned param)
{
	const struct arg *arg = &c->args.at[param];
	uint64_t handle;

	if (c->error || !arg->given || is_new_tile(arg))
		return NULL;
	return value_to_natural(arg->value, &handle) ? compile_tile_buffer(c, param, handle)
						     : caller_buffer(c, param, arg->value);
}

/* Makes the buffer of bytes that go with the reply; they live as long as its bump allocator. The results of all steps
 * together may have inline_bytes. */
static struct buffer *result_buffer(struct compiler *c, unsigned param, const struct shape *shape)
{
	struct plan *plan = c->plan;
	const size_t allowed = plan->session->limits.inline_bytes;

	if (shape->bytes > allowed - plan->inline_out)
		compile_param_error(c, param, ERROR_LIMIT,
				    "a result of %" PRIu64
				    " bytes in the reply, allowed are %zu in all (inline_bytes); name a tile instead",
				    shape->bytes, allowed);
	plan->inline_out += shape->bytes;
	return compile_add_buffer(c, BUFFER_RESULT, shape);
}

/* Makes a tile of the session's for this output. It is freed again if the request fails (is_new). A prepared call
 * cannot ask for one: nobody would learn the handles of its runs. */
static struct buffer *new_tile(struct compiler *c, unsigned param, const struct shape *shape)
{
	struct engine_session *session = c->plan->session;
	struct tile_place place = {0};
	struct buffer *buffer;

	if (c->first_run->is_template)
		compile_param_error(c, param, ERROR_NOT_SUPPORTED,
				    "got {new: true}, allowed in a prepared call is a tile's handle");
	if (!c->error)
		compile_fail(c, tile_create(session, shape, &place, c->err));
	if (c->error)
		return &c->no_buffer;
	buffer = compile_tile_buffer(c, param, place.handle);
	buffer->is_new = !c->error;
	if (c->error)
		tile_free(session, place.handle, NULL);
	return buffer;
}

/* Inside a program an output that nobody asked for stays in temporary memory. */
struct buffer *compile_output_to(struct compiler *c, unsigned param, struct buffer *given, const struct shape *shape)
{
	const struct arg *arg = &c->args.at[param];
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];

	if (c->error)
		return &c->no_buffer;
	if (given && !shape_equal(&given->shape, shape))
		compile_param_error(c, param, ERROR_BAD_SHAPE, "the %s is %s, allowed is %s",
				    arg->value->kind == VALUE_MAP ? "array" : "tile", shape_text(&given->shape, has),
				    shape_text(shape, needs));
	if (given)
		return given;
	if (is_new_tile(arg))
		return new_tile(c, param, shape);
	if (!c->run || (c->name && c->name->wanted))
		return result_buffer(c, param, shape);
	return compile_add_temp(c, shape);
}

struct buffer *compile_output(struct compiler *c, unsigned param, const struct shape *shape)
{
	return compile_output_to(c, param, compile_given_output(c, param), shape);
}

/* --- replies --- */

/* Adds an output to the map `results`. Each run says where its bytes lie. */
static void put_result(struct compiler *c, const struct buffer *out)
{
	struct bump *bump = c->plan->bump;
	struct value map = value_map();
	char *name = bump_copy(bump, c->name->at, c->name->size);

	if (c->error)
		return;
	if (!name || shape_put(&out->shape, bump, &map) ||
	    plan_field(c->plan, (struct reply_field){FIELD_DATA, (int)out->index, FIELD_OF_RESULTS,
						     c->results->map.count + 1, map.map.count}) ||
	    value_add(bump, &map, "data", value_nil()) || value_put(bump, c->results, name, map))
		compile_no_memory(c);
}

/* A step that writes a tile and whose output is wanted in the reply too: a copy of what it wrote. */
static struct buffer *copy_result(struct compiler *c, unsigned param, struct buffer *out)
{
	struct buffer *copy = result_buffer(c, param, &out->shape);

	compile_add_step(c, STEP_CAST, out, copy);
	return copy;
}

/* States where a new tile lies, as the method tile does. */
static void put_new_place(struct compiler *c, const struct buffer *out)
{
	const struct tile *tile = c->first_run->tiles[out->index];
	struct bump *bump = c->plan->bump;
	struct value place = value_map();

	if (value_add(bump, &place, "arena", value_uint(tile->arena->handle)) ||
	    value_add(bump, &place, "offset", value_uint(tile->block->offset)) ||
	    value_add(bump, &place, "bytes", value_uint(out->shape.bytes)))
		compile_no_memory(c);
	compile_put(c, "place", place);
}

/* Says where a single operation's output is: its tile, or the bytes themselves. Bytes of a program's steps stand in
 * `results`. */
static void put_place(struct compiler *c, const struct buffer *out)
{
	if (out->kind == BUFFER_TILE) {
		compile_add_field(c, FIELD_TILE, (int)out->index);
		compile_put(c, "tile", value_uint(out->handle));
		if (out->is_new)
			put_new_place(c, out);
	} else if (out->kind == BUFFER_RESULT && !c->run) {
		compile_add_field(c, FIELD_DATA, (int)out->index);
		compile_put(c, "data", value_nil());
	}
}

void compile_put_shape(struct compiler *c, const struct shape *shape)
{
	compile_put(c, "n", value_uint(shape->n));
	if (!c->error && shape_put(shape, c->plan->bump, c->reply))
		compile_no_memory(c);
}

/* A result that a step wrote to a tile is wanted in the reply as well only if `results` names it. */
void compile_reply(struct compiler *c, unsigned out_param, struct buffer *out)
{
	compile_put_shape(c, &out->shape);
	put_place(c, out);
	if (!c->name)
		return;
	c->name->buffer = out;
	if (c->name->wanted)
		put_result(c, out->kind == BUFFER_RESULT ? out : copy_result(c, out_param, out));
}
