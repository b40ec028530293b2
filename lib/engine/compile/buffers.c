/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of tiles and of arrays that come with a request; inputs and outputs both use them. */
#include "engine/compile/buffers.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"

int compile_no_memory(struct compiler *compiler)
{
	return error_set(compiler->err, ERROR_NO_MEMORY, "%s: no memory for the request", compiler->args.context);
}

int compile_take_transform(struct compiler *compiler, struct plan_key key, int *ret_transform)
{
	return plan_add_transform(compiler->plan, key, ret_transform) || run_take_transform(compiler->first_run)
		       ? compile_no_memory(compiler)
		       : 0;
}

int compile_field(struct compiler *compiler, enum reply_field_kind kind, int which)
{
	return plan_field(compiler->plan,
			     (struct reply_field){.kind = kind,
						  .which = which,
						  .map = compiler->run ? (int)compiler->step : FIELD_OF_REPLY,
						  .member = compiler->reply->map.count});
}

int compile_wrong_array(struct compiler *compiler, unsigned param, enum error_code code, const char *what)
{
	return bind_error(&compiler->args, param, compiler->err, code, "%s, allowed: a map {dtype, shape, data}", what);
}

/* One size may stand for an array of it, as in numpy. */
int compile_array_shape(struct compiler *compiler, unsigned param, const struct value *map, struct shape *ret)
{
	const struct value *dtype = value_get(map, "dtype"), *dims = value_get(map, "shape");
	const bool list = dims && dims->kind == VALUE_ARRAY;
	const struct value *at = list ? dims->array.at : dims;
	const size_t count = list ? dims->array.count : 1;
	struct shape shape = {.ndim = (unsigned)count};

	if (dtype && (dtype->kind == VALUE_STRING || dtype->kind == VALUE_BYTES))
		shape.dtype = dtype_parse(dtype->bytes.at, dtype->bytes.size);
	if (shape.dtype == DTYPE_NONE)
		return compile_wrong_array(compiler, param, dtype ? ERROR_OUT_OF_RANGE : ERROR_MISSING_PARAMETER,
				   dtype ? "its dtype is unknown" : "it has no dtype");
	if (!dims)
		return compile_wrong_array(compiler, param, ERROR_MISSING_PARAMETER, "it has no shape");
	if (count < 1 || count > SHAPE_MAX_DIMS)
		return compile_wrong_array(compiler, param, ERROR_OUT_OF_RANGE, "its shape does not have 1 to 8 sizes");
	for (size_t i = 0; i < count; i++)
		if (!value_to_u64(&at[i], &shape.dims[i]))
			return compile_wrong_array(compiler, param, ERROR_WRONG_TYPE,
					   "a size of its shape is not a whole number >= 0");
	if (!shape_finish(&shape))
		return compile_wrong_array(compiler, param, ERROR_OUT_OF_RANGE, "its shape has more than 2^62 bytes");
	*ret = shape;
	return 0;
}

/* A client over a socket has no such memory: its map is read as an inline array. */
bool compile_is_stated(const struct compiler *compiler, const struct value *value)
{
	const struct value *number = value->kind == VALUE_MAP ? value_get(value, "memory") : NULL;

	return number && number->kind == VALUE_UINT && number->u < PARAM_TILE_MEMORY && compiler->first_run->is_template &&
	       compiler->plan->session->limits.shares_memory;
}

int compile_stated_buffer(struct compiler *compiler, unsigned param, const struct value *map, struct buffer **ret_buffer)
{
	const uint32_t number = (uint32_t)value_get(map, "memory")->u;
	struct buffer *buffer = NULL;
	struct shape shape;
	int error = compile_array_shape(compiler, param, map, &shape);

	if (error)
		return error;
	for (size_t i = 0; i < compiler->plan->n_buffers && !buffer; i++)
		if (compiler->plan->buffers[i]->kind == BUFFER_CALLER && compiler->plan->buffers[i]->handle == number)
			buffer = compiler->plan->buffers[i];
	if (buffer && !shape_equal(&buffer->shape, &shape))
		return compile_wrong_array(compiler, param, ERROR_BAD_SHAPE, "its memory has another shape, too");
	if (!buffer && !(buffer = plan_buffer(compiler->plan, BUFFER_CALLER, &shape)))
		return compile_no_memory(compiler);
	buffer->handle = number;
	*ret_buffer = buffer;
	return 0;
}

/* A linear search: a plan names few tiles. Of a prepared call the buffer also keeps what an error about a freed tile
 * must name at a later run. */
int compile_tile_buffer(struct compiler *compiler, unsigned param, uint64_t handle, struct buffer **ret_buffer)
{
	struct plan *plan = compiler->plan;
	struct tile *tile;
	struct buffer *buffer;
	int error;

	/* A session's handles are never used again, so one that the first run holds is that tile still. */
	for (size_t i = 0; i < plan->n_buffers; i++)
		if (plan->buffers[i]->kind == BUFFER_TILE && plan->buffers[i]->handle == handle) {
			*ret_buffer = plan->buffers[i];
			return 0;
		}
	error = tile_take(plan->session, handle, compiler->args.context, compiler->args.operation->params[param].name,
			  &tile, compiler->err);
	if (error)
		return error;
	buffer = plan_buffer(plan, BUFFER_TILE, &tile->shape);
	if (buffer)
		buffer->handle = (uint32_t)handle;
	if (!buffer || run_hold(compiler->first_run, buffer, tile_base(tile), tile)) {
		tile_give(plan->session, tile);
		return compile_no_memory(compiler);
	}
	buffer->param = compiler->args.operation->params[param].name;
	if (!compiler->first_run->is_template)
		buffer->context = NULL;
	else if (!(buffer->context = bump_copy(plan->bump, compiler->args.context, strlen(compiler->args.context))))
		return compile_no_memory(compiler);
	*ret_buffer = buffer;
	return 0;
}
