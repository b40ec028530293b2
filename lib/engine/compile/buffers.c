/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of tiles and of arrays that come with a request; inputs and outputs both use them. */
#include "engine/compile/buffers.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"

void compile_wrong_array(struct compiler *c, unsigned param, enum error_code code, const char *what)
{
	compile_param_error(c, param, code, "%s, allowed: a map {dtype, shape, data}", what);
}

/* One size may stand for an array of it, as in numpy. */
struct shape compile_array_shape(struct compiler *c, unsigned param, const struct value *map)
{
	const struct value *dtype = value_get(map, "dtype"), *dims = value_get(map, "shape");
	const bool list = dims && dims->kind == VALUE_ARRAY;
	const struct value *at = list ? dims->array.at : dims;
	const size_t count = list ? dims->array.count : 1;
	struct shape shape = {.ndim = (unsigned)count};

	if (dtype && (dtype->kind == VALUE_STRING || dtype->kind == VALUE_BYTES))
		shape.dtype = dtype_parse(dtype->bytes.at, dtype->bytes.size);
	if (shape.dtype == DTYPE_NONE)
		compile_wrong_array(c, param, dtype ? ERROR_OUT_OF_RANGE : ERROR_MISSING_PARAMETER,
				    dtype ? "its dtype is unknown" : "it has no dtype");
	if (!dims)
		compile_wrong_array(c, param, ERROR_MISSING_PARAMETER, "it has no shape");
	if (count < 1 || count > SHAPE_MAX_DIMS)
		compile_wrong_array(c, param, ERROR_OUT_OF_RANGE, "its shape does not have 1 to 8 sizes");
	for (size_t i = 0; i < count && !c->error; i++)
		if (!value_to_u64(&at[i], &shape.dims[i]))
			compile_wrong_array(c, param, ERROR_WRONG_TYPE, "a size of its shape is not a whole number >= 0");
	if (c->error)
		return c->no_buffer.shape;
	if (!shape_finish(&shape))
		compile_wrong_array(c, param, ERROR_OUT_OF_RANGE, "its shape has more than 2^62 bytes");
	return shape;
}

void compile_hold(struct compiler *c, const struct buffer *buffer, const char *base)
{
	if (!c->error && run_hold(c->first_run, buffer, base, NULL))
		compile_no_memory(c);
}

/* A client over a socket has no such memory: its map is read as an inline array. */
bool compile_is_stated(const struct compiler *c, const struct value *value)
{
	const struct value *number = value->kind == VALUE_MAP ? value_get(value, "memory") : NULL;

	return number && number->kind == VALUE_UINT && number->u < PARAM_TILE_MEMORY && c->first_run->is_template &&
	       c->plan->session->limits.shares_memory;
}

struct buffer *compile_stated_buffer(struct compiler *c, unsigned param, const struct value *map)
{
	const uint32_t number = (uint32_t)value_get(map, "memory")->u;
	const struct shape shape = compile_array_shape(c, param, map);
	struct buffer *buffer = NULL;

	for (size_t i = 0; i < c->plan->n_buffers && !buffer; i++)
		if (c->plan->buffers[i]->kind == BUFFER_CALLER && c->plan->buffers[i]->handle == number)
			buffer = c->plan->buffers[i];
	if (buffer && !shape_equal(&buffer->shape, &shape))
		compile_wrong_array(c, param, ERROR_BAD_SHAPE, "its memory has another shape, too");
	if (!buffer)
		buffer = compile_add_buffer(c, BUFFER_CALLER, &shape);
	buffer->handle = number;
	return buffer;
}

/* A linear search: a plan names few tiles. Of a prepared call the buffer also keeps what an error about a freed tile
 * must name at a later run. */
struct buffer *compile_tile_buffer(struct compiler *c, unsigned param, uint64_t handle)
{
	const char *context = c->args.context, *name = c->args.operation->params[param].name;
	struct plan *plan = c->plan;
	struct tile *tile = NULL;
	struct buffer *buffer;

	/* A session's handles are never used again, so one that the first run holds is that tile still. */
	for (size_t i = 0; i < plan->n_buffers; i++)
		if (plan->buffers[i]->kind == BUFFER_TILE && plan->buffers[i]->handle == handle)
			return plan->buffers[i];
	if (!c->error)
		compile_fail(c, tile_take(plan->session, handle, context, name, &tile, c->err));
	if (c->error)
		return &c->no_buffer;
	buffer = compile_add_buffer(c, BUFFER_TILE, &tile->shape);
	buffer->handle = (uint32_t)handle;
	buffer->param = name;
	if (c->first_run->is_template && !(buffer->context = bump_copy(plan->bump, context, strlen(context))))
		compile_no_memory(c);
	if (c->error || run_hold(c->first_run, buffer, tile_base(tile), tile)) {
		tile_give(plan->session, tile);
		compile_no_memory(c);
	}
	return buffer;
}
