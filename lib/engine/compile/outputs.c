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
static int caller_buffer(struct compiler *compiler, unsigned param, const struct value *map, struct buffer **ret_buffer)
{
	struct plan *plan = compiler->plan;
	const struct value *data = value_get(map, "data");
	const struct run *run = compiler->first_run;
	struct buffer *buffer = NULL;
	struct shape shape;
	int error;

	if (compile_is_stated(compiler, map))
		return compile_stated_buffer(compiler, param, map, ret_buffer);
	if (!plan->session->limits.shares_memory || !data || data->kind != VALUE_BYTES || compiler->first_run->is_template)
		return bind_error(&compiler->args, param, compiler->err, ERROR_WRONG_TYPE,
				  "got another map, allowed is a tile's handle or the map {new: true}");
	error = compile_array_shape(compiler, param, map, &shape);
	if (error)
		return error;
	if (data->bytes.size != shape.bytes || (uintptr_t)data->bytes.at % dtype_size(shape.dtype))
		return bind_error(&compiler->args, param, compiler->err, ERROR_BAD_SHAPE,
				  "memory of %zu bytes, its shape and dtype ask for %" PRIu64 " that are aligned",
				  data->bytes.size, shape.bytes);
	for (size_t i = plan->n_buffers; i-- > 0 && !buffer && shape.bytes > 0;)
		if (i < run->buffers_room && run->bound.base[i] == data->bytes.at &&
		    shape_equal(&plan->buffers[i]->shape, &shape))
			buffer = plan->buffers[i];
	if (!buffer) {
		buffer = plan_buffer(plan, BUFFER_CALLER, &shape);
		if (!buffer || run_hold(compiler->first_run, buffer, data->bytes.at, NULL))
			return compile_no_memory(compiler);
	}
	*ret_buffer = buffer;
	return 0;
}

/* Finds the buffer that `out` names: memory of the caller's or a tile. */
static int given_buffer(struct compiler *compiler, unsigned param, struct buffer **ret_buffer)
{
	const struct value *value = compiler->args.at[param].value;
	uint64_t handle;

	return value_to_natural(value, &handle) ? compile_tile_buffer(compiler, param, handle, ret_buffer)
						: caller_buffer(compiler, param, value, ret_buffer);
}

int compile_given_output(struct compiler *compiler, unsigned param, struct buffer **ret_given)
{
	const struct arg *arg = &compiler->args.at[param];

	if (arg->given && !is_new_tile(arg))
		return given_buffer(compiler, param, ret_given);
	*ret_given = NULL;
	return 0;
}

/* Makes the buffer of bytes that go with the reply; they live as long as its bump allocator. The results of all steps
 * together may have inline_bytes. */
static int result_buffer(struct compiler *compiler, unsigned param, const struct shape *shape,
			 struct buffer **ret_buffer)
{
	struct plan *plan = compiler->plan;
	const size_t allowed = plan->session->limits.inline_bytes;
	struct buffer *buffer;

	if (shape->bytes > allowed - plan->inline_out)
		return bind_error(&compiler->args, param, compiler->err, ERROR_LIMIT,
				  "a result of %" PRIu64
				  " bytes in the reply, allowed are %zu in all (inline_bytes); name a tile instead",
				  shape->bytes, allowed);
	buffer = plan_buffer(plan, BUFFER_RESULT, shape);
	if (!buffer)
		return compile_no_memory(compiler);
	plan->inline_out += shape->bytes;
	*ret_buffer = buffer;
	return 0;
}

/* Makes a tile of the session's for this output. It is freed again if the request fails (is_new). A prepared call
 * cannot ask for one: nobody would learn the handles of its runs. */
static int new_tile(struct compiler *compiler, unsigned param, const struct shape *shape, struct buffer **ret_buffer)
{
	struct plan *plan = compiler->plan;
	struct tile_place place;
	int error;

	if (compiler->first_run->is_template)
		return bind_error(&compiler->args, param, compiler->err, ERROR_NOT_SUPPORTED,
				  "got {new: true}, allowed in a prepared call is a tile's handle");
	error = tile_create(plan->session, shape, &place, compiler->err);
	if (error)
		return error;
	error = compile_tile_buffer(compiler, param, place.handle, ret_buffer);
	if (error)
		tile_free(plan->session, place.handle, NULL);
	else
		(*ret_buffer)->is_new = true;
	return error;
}

/* Inside a program an output that nobody asked for stays in temporary memory. */
int compile_output_to(struct compiler *compiler, unsigned param, struct buffer *given, const struct shape *shape,
		      struct buffer **ret_buffer)
{
	const struct arg *arg = &compiler->args.at[param];
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];

	if (given && !shape_equal(&given->shape, shape))
		return bind_error(&compiler->args, param, compiler->err, ERROR_BAD_SHAPE, "the %s is %s, allowed is %s",
				  arg->value->kind == VALUE_MAP ? "array" : "tile", shape_text(&given->shape, has),
				  shape_text(shape, needs));
	if (!given && is_new_tile(arg))
		return new_tile(compiler, param, shape, ret_buffer);
	if (!given && (!compiler->run || (compiler->name && compiler->name->wanted)))
		return result_buffer(compiler, param, shape, ret_buffer);
	*ret_buffer = given ? given : plan_buffer(compiler->plan, BUFFER_TEMP, shape);
	return *ret_buffer ? 0 : compile_no_memory(compiler);
}

int compile_output(struct compiler *compiler, unsigned param, const struct shape *shape, struct buffer **ret_buffer)
{
	struct buffer *given = NULL;
	const int error = compile_given_output(compiler, param, &given);

	return error ? error : compile_output_to(compiler, param, given, shape, ret_buffer);
}

/* --- replies --- */

/* Adds an output to the map `results`. Each run says where its bytes lie. */
static int put_result(struct compiler *compiler, struct buffer *out)
{
	struct bump *bump = compiler->plan->bump;
	struct value map = value_map();
	char *name = bump_copy(bump, compiler->name->at, compiler->name->size);

	if (!name || shape_put(&out->shape, bump, &map) ||
	    plan_field(compiler->plan, (struct reply_field){FIELD_DATA, (int)out->index, FIELD_OF_RESULTS,
								  compiler->results->map.count + 1, map.map.count}) ||
	    value_add(bump, &map, "data", value_nil()))
		return -ERROR_NO_MEMORY;
	return value_put(bump, compiler->results, name, map);
}

/* A step that writes a tile and whose output is wanted in the reply too: a copy of what it wrote. */
static int copy_result(struct compiler *compiler, unsigned param, struct buffer *out, struct buffer **ret_buffer)
{
	struct buffer *copy = NULL;
	int error = result_buffer(compiler, param, &out->shape, &copy);

	if (error)
		return error;
	if (!plan_step(compiler->plan, STEP_CAST, out, copy))
		return compile_no_memory(compiler);
	*ret_buffer = copy;
	return 0;
}

/* States where a new tile lies, as the method tile does. Not 0: no memory, as the two functions below. */
static int put_new_place(struct compiler *compiler, const struct buffer *out)
{
	struct bump *bump = compiler->plan->bump;
	struct value place = value_map();

	const struct tile *tile = compiler->first_run->tiles[out->index];

	return value_add(bump, &place, "arena", value_uint(tile->arena->handle)) ||
	       value_add(bump, &place, "offset", value_uint(tile->block->offset)) ||
	       value_add(bump, &place, "bytes", value_uint(out->shape.bytes)) ||
	       value_add(bump, compiler->reply, "place", place);
}

/* Says where a single operation's output is: its tile, or the bytes themselves. Bytes of a program's steps stand in
 * `results`. */
static int put_place(struct compiler *compiler, const struct buffer *out)
{
	struct bump *bump = compiler->plan->bump;

	if (out->kind == BUFFER_TILE)
		return compile_field(compiler, FIELD_TILE, (int)out->index) ||
		       value_add(bump, compiler->reply, "tile", value_uint(out->handle)) || (out->is_new && put_new_place(compiler, out));
	if (compiler->run || out->kind != BUFFER_RESULT)
		return 0;
	return compile_field(compiler, FIELD_DATA, (int)out->index) ||
	       value_add(bump, compiler->reply, "data", value_nil());
}

/* A result that a step wrote to a tile is wanted in the reply as well only if `results` names it. */
int compile_reply(struct compiler *compiler, unsigned out_param, struct buffer *out)
{
	struct bump *bump = compiler->plan->bump;
	struct buffer *result = out;
	int error = 0;

	if (value_add(bump, compiler->reply, "n", value_uint(out->shape.n)) ||
	    shape_put(&out->shape, bump, compiler->reply) || put_place(compiler, out))
		return compile_no_memory(compiler);
	if (!compiler->name)
		return 0;
	compiler->name->buffer = out;
	if (!compiler->name->wanted)
		return 0;
	if (out->kind != BUFFER_RESULT)
		error = copy_result(compiler, out_param, out, &result);
	if (!error && put_result(compiler, result))
		error = compile_no_memory(compiler);
	return error;
}
