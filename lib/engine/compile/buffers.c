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

	return number && number->kind == VALUE_UINT && number->u < PARAM_TILE_MEMORY && compiler->program->keeps &&
	       compiler->program->memory->limits.shares_memory;
}

int compile_stated_buffer(struct compiler *compiler, unsigned param, const struct value *map, struct buffer **ret_buffer)
{
	const uint32_t number = (uint32_t)value_get(map, "memory")->u;
	struct buffer *buffer = compiler->program->buffers;
	struct shape shape;
	int error = compile_array_shape(compiler, param, map, &shape);

	if (error)
		return error;
	while (buffer && (buffer->kind != BUFFER_CALLER || buffer->handle != number))
		buffer = buffer->next;
	if (buffer && !shape_equal(&buffer->shape, &shape))
		return compile_wrong_array(compiler, param, ERROR_BAD_SHAPE, "its memory has another shape, too");
	if (!buffer && !(buffer = program_buffer(compiler->program, BUFFER_CALLER, &shape)))
		return compile_no_memory(compiler);
	buffer->handle = number;
	*ret_buffer = buffer;
	return 0;
}

/* A linear search: a program names few tiles. Of a prepared call the buffer also keeps what an error about a freed tile
 * must name at a later run. */
int compile_tile_buffer(struct compiler *compiler, unsigned param, uint64_t handle, struct buffer **ret_buffer)
{
	struct program *program = compiler->program;
	struct tile *tile;
	struct buffer *buffer;
	int error;

	/* A session's handles are never used again, so one that the program holds is that tile still. */
	for (buffer = program->buffers; buffer; buffer = buffer->next)
		if (buffer->tile && buffer->tile->handle == handle) {
			*ret_buffer = buffer;
			return 0;
		}
	error = tile_take(program->memory, handle, compiler->args.context, compiler->args.operation->params[param].name,
			  &tile, compiler->err);
	if (error)
		return error;
	buffer = program_buffer(program, BUFFER_TILE, &tile->shape);
	if (!buffer) {
		tile_give(program->memory, tile);
		return compile_no_memory(compiler);
	}
	buffer->tile = tile;
	buffer->base = tile_base(tile);
	buffer->handle = (uint32_t)handle;
	buffer->param = compiler->args.operation->params[param].name;
	if (!program->keeps)
		buffer->context = NULL;
	else if (!(buffer->context = bump_copy(program->bump, compiler->args.context, strlen(compiler->args.context))))
		return compile_no_memory(compiler);
	*ret_buffer = buffer;
	return 0;
}
