/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling: the inputs, outputs and replies that all operations share. */
#include "engine/compile/compile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "engine/prepared/prepared_changes.h"

int compile_no_memory(struct compiler *compiler)
{
	return error_set(compiler->err, ERROR_NO_MEMORY, "%s: no memory for the request", compiler->args.context);
}

/* Reports what an inline array lacks. Its map has three members in any order, so the text names them all. */
static int wrong_array(struct compiler *compiler, unsigned param, enum error_code code, const char *what)
{
	return bind_error(&compiler->args, param, compiler->err, code, "%s, allowed: a map {dtype, shape, data}", what);
}

/* --- arrays that come with the request --- */

/* Reads dtype and shape of an inline array. One size may stand for an array of it, as in numpy. Sizes are multiplied
 * with a check: bytes of the result are at most 2^62, so that later sums of them cannot overflow. */
static int array_shape(struct compiler *compiler, unsigned param, const struct value *map, struct shape *ret)
{
	const struct value *dtype = value_get(map, "dtype"), *dims = value_get(map, "shape");
	const bool list = dims && dims->kind == VALUE_ARRAY;
	const struct value *at = list ? dims->array.at : dims;
	const size_t count = list ? dims->array.count : 1;
	struct shape shape = {.ndim = (unsigned)count};

	if (dtype && (dtype->kind == VALUE_STRING || dtype->kind == VALUE_BYTES))
		shape.dtype = dtype_parse(dtype->bytes.at, dtype->bytes.size);
	if (shape.dtype == DTYPE_NONE)
		return wrong_array(compiler, param, dtype ? ERROR_OUT_OF_RANGE : ERROR_MISSING_PARAMETER,
				   dtype ? "its dtype is unknown" : "it has no dtype");
	if (!dims)
		return wrong_array(compiler, param, ERROR_MISSING_PARAMETER, "it has no shape");
	if (count < 1 || count > SHAPE_MAX_DIMS)
		return wrong_array(compiler, param, ERROR_OUT_OF_RANGE, "its shape does not have 1 to 8 sizes");
	for (size_t i = 0; i < count; i++)
		if (!value_to_u64(&at[i], &shape.dims[i]))
			return wrong_array(compiler, param, ERROR_WRONG_TYPE,
					   "a size of its shape is not an integer >= 0");
	if (!shape_finish(&shape))
		return wrong_array(compiler, param, ERROR_OUT_OF_RANGE, "its shape has more than 2^62 bytes");
	*ret = shape;
	return 0;
}

/* Memory that each run of a prepared call states: {dtype, shape, memory: number}. Two maps with the same number are one
 * buffer. Only a program in this process can name it. */
static bool is_stated_by_runs(const struct compiler *compiler, const struct value *value)
{
	const struct value *number = value->kind == VALUE_MAP ? value_get(value, "memory") : NULL;

	return number && number->kind == VALUE_UINT && number->u < PREPARED_MEMORY && compiler->program->keeps &&
	       compiler->program->memory->limits.shares_memory;
}

static int stated_buffer(struct compiler *compiler, unsigned param, const struct value *map, struct buffer **ret_buffer)
{
	const uint32_t number = (uint32_t)value_get(map, "memory")->u;
	struct buffer *buffer = compiler->program->buffers;
	struct shape shape;
	int error = array_shape(compiler, param, map, &shape);

	if (error)
		return error;
	while (buffer && (buffer->kind != BUFFER_CALLER || buffer->handle != number))
		buffer = buffer->next;
	if (buffer && !shape_equal(&buffer->shape, &shape))
		return wrong_array(compiler, param, ERROR_BAD_SHAPE, "its memory has another shape, too");
	if (!buffer && !(buffer = program_buffer(compiler->program, BUFFER_CALLER, &shape)))
		return compile_no_memory(compiler);
	buffer->handle = number;
	*ret_buffer = buffer;
	return 0;
}

/* --- inputs --- */

/* Kernels want their elements aligned, and bytes of a message lie anywhere. What is not aligned is copied by the
 * program's first step, chunk by chunk on the lanes, not by the thread that compiles: inline data can have many
 * megabytes. */
static struct buffer *aligned_copy(struct compiler *compiler, struct buffer *buffer)
{
	struct buffer *copy;

	if ((uintptr_t)buffer->base % dtype_size(buffer->shape.dtype) == 0)
		return buffer;
	copy = program_buffer(compiler->program, BUFFER_TEMP, &buffer->shape);
	if (!copy || !program_step(compiler->program, STEP_CAST, buffer, copy))
		return NULL;
	return copy;
}

/* Inline data of a prepared call outlives its request, so it is copied. Large data is copied in pieces between other
 * requests (deferred_build.h), since the thread that compiles may be the daemon's loop. */
struct deferred_copy {
	struct deferred_build build;
	char *to;
	const char *from;
	size_t size;
};

/* At 10 GB/s a piece takes 26 us, the largest small copy 1.6 us. */
enum { COPY_PIECE = 256 << 10, COPY_SMALL = 16 << 10 };

static int copy_piece(struct deferred_build *build, struct error *err)
{
	struct deferred_copy *copy = (struct deferred_copy *)build;
	const size_t n = size_min(copy->size, COPY_PIECE);

	(void)err;
	memcpy(copy->to, copy->from, n);
	copy->to += n;
	copy->from += n;
	copy->size -= n;
	return copy->size > 0;
}

/* Copies inline data for a prepared call: a small one at once, a large one by a deferred build. The copy belongs to
 * the program. Returns NULL if there is no memory for it. */
static char *copy_constant(struct program *program, const struct value *data)
{
	const size_t size = data->bytes.size;
	struct deferred_copy *copy;
	char *to;

	if (size <= COPY_SMALL)
		return bump_copy(program->bump, data->bytes.at, size);
	copy = bump_alloc(program->bump, sizeof *copy);
	to = copy ? malloc(size) : NULL;
	if (!to || bump_defer(program->bump, free, to)) {
		free(to);
		return NULL;
	}
	*copy = (struct deferred_copy){.build = {.piece = copy_piece}, .to = to, .from = data->bytes.at, .size = size};
	program->deferred.held_bytes += size;
	deferred_build_add(&program->deferred, &copy->build);
	return to;
}

/* Makes the buffer of inline data, which is read where it lies: the request outlives its program, unless that is
 * prepared. An embedded caller's arrays are not limited (shares_memory): they take no memory of the engine's. */
static int input_array(struct compiler *compiler, unsigned param, const struct value *map, struct buffer **ret_buffer)
{
	struct program *program = compiler->program;
	const struct value *data = value_get(map, "data");
	const size_t allowed = program->memory->limits.inline_bytes;
	struct shape shape;
	struct buffer *buffer;
	int error = array_shape(compiler, param, map, &shape);

	if (error)
		return error;
	if (!data)
		return wrong_array(compiler, param, ERROR_MISSING_PARAMETER, "it has no data");
	if (data->kind != VALUE_BYTES && data->kind != VALUE_STRING)
		return wrong_array(compiler, param, ERROR_WRONG_TYPE, "its data is not bytes");
	if (data->bytes.size != shape.bytes)
		return bind_error(&compiler->args, param, compiler->err, ERROR_BAD_SHAPE,
				  "%zu bytes of data, its shape and dtype need %" PRIu64, data->bytes.size,
				  shape.bytes);
	if (!program->memory->limits.shares_memory) {
		if (shape.bytes > allowed - program->inline_in)
			return bind_error(&compiler->args, param, compiler->err, ERROR_LIMIT,
					  "more inline data than allowed, which is %zu bytes a request (inline_bytes)",
					  allowed);
		program->inline_in += shape.bytes;
	}
	buffer = program_buffer(program, BUFFER_INPUT, &shape);
	if (!buffer)
		return compile_no_memory(compiler);
	buffer->base = program->keeps ? copy_constant(program, data) : (char *)data->bytes.at;
	buffer = buffer->base ? aligned_copy(compiler, buffer) : NULL;
	if (!buffer)
		return compile_no_memory(compiler);
	*ret_buffer = buffer;
	return 0;
}

/* Returns the buffer of a tile; a tile that several parameters name has one, so that a step that writes it is seen to
 * overwrite the others' input. The program holds the tile until it ends, also if the client frees the handle
 * meanwhile. */
static int tile_buffer(struct compiler *compiler, unsigned param, uint64_t handle, struct buffer **ret_buffer)
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

struct name_entry *compile_find_name(struct compiler *compiler, const struct value *text)
{
	struct name_entry *entry = compiler->names;

	while (entry && (entry->size != text->bytes.size || memcmp(entry->at, text->bytes.at, entry->size) != 0))
		entry = entry->after;
	return entry;
}

/* Returns the output of an earlier step. Only steps that were compiled before count, so a program has no circles. */
static int named_buffer(struct compiler *compiler, unsigned param, const struct value *text, struct buffer **ret_buffer)
{
	const struct name_entry *entry = compile_find_name(compiler, text);
	char got[BIND_TEXT];

	if (!entry || !entry->buffer)
		return bind_error(&compiler->args, param, compiler->err, ERROR_BAD_TILE,
				  "no earlier step is called \"%s\", allowed is the `as` of one",
				  bind_text(text->bytes.at, text->bytes.size, got));
	*ret_buffer = entry->buffer;
	return 0;
}

/* What a value may be says which input it is: a handle, a name, or a map with the data itself. */
int compile_input(struct compiler *compiler, unsigned param, struct buffer **ret_buffer)
{
	const struct value *value = compiler->args.at[param].value;

	if (value->kind == VALUE_UINT)
		return tile_buffer(compiler, param, value->u, ret_buffer);
	if (value->kind == VALUE_STRING)
		return named_buffer(compiler, param, value, ret_buffer);
	return is_stated_by_runs(compiler, value) ? stated_buffer(compiler, param, value, ret_buffer)
						  : input_array(compiler, param, value, ret_buffer);
}

int compile_check_floating(const struct compiler *compiler, unsigned param, enum dtype dtype)
{
	if (dtype >= DTYPE_F32 && dtype <= DTYPE_C128)
		return 0;
	return bind_error(&compiler->args, param, compiler->err, ERROR_BAD_SHAPE,
			  "its dtype is %s, allowed are f32, f64, c64 and c128", dtype_name(dtype));
}

int compile_floating_input(struct compiler *compiler, unsigned param, struct buffer **ret_buffer)
{
	struct buffer *buffer;
	int error = compile_input(compiler, param, &buffer);

	if (!error)
		error = compile_check_floating(compiler, param, buffer->shape.dtype);
	if (error)
		return error;
	*ret_buffer = buffer;
	return 0;
}

/* --- outputs --- */

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
	struct program *program = compiler->program;
	const struct value *data = value_get(map, "data");
	struct buffer *buffer;
	struct shape shape;
	int error;

	if (is_stated_by_runs(compiler, map))
		return stated_buffer(compiler, param, map, ret_buffer);
	if (!program->memory->limits.shares_memory || !data || data->kind != VALUE_BYTES || program->keeps)
		return bind_error(&compiler->args, param, compiler->err, ERROR_WRONG_TYPE,
				  "takes a tile's handle or the map {new: true}");
	error = array_shape(compiler, param, map, &shape);
	if (error)
		return error;
	if (data->bytes.size != shape.bytes || (uintptr_t)data->bytes.at % dtype_size(shape.dtype))
		return bind_error(&compiler->args, param, compiler->err, ERROR_BAD_SHAPE,
				  "memory of %zu bytes, its shape and dtype ask for %" PRIu64 " that are aligned",
				  data->bytes.size, shape.bytes);
	for (buffer = program->buffers; buffer; buffer = buffer->next)
		if (buffer->base == data->bytes.at && shape_equal(&buffer->shape, &shape) && shape.bytes > 0)
			break;
	if (!buffer) {
		buffer = program_buffer(program, BUFFER_CALLER, &shape);
		if (!buffer)
			return compile_no_memory(compiler);
		buffer->base = (char *)data->bytes.at;
	}
	*ret_buffer = buffer;
	return 0;
}

static int given_buffer(struct compiler *compiler, unsigned param, struct buffer **ret_buffer)
{
	const struct value *value = compiler->args.at[param].value;

	return value->kind == VALUE_MAP ? caller_buffer(compiler, param, value, ret_buffer)
					: tile_buffer(compiler, param, value->u, ret_buffer);
}

int compile_out_shape(struct compiler *compiler, unsigned param, bool *ret_given, struct shape *ret_shape)
{
	const struct arg *arg = &compiler->args.at[param];
	struct buffer *buffer;
	int error;

	if (!arg->given || is_new_tile(arg)) {
		*ret_given = false;
		return 0;
	}
	error = given_buffer(compiler, param, &buffer);
	if (error)
		return error;
	*ret_given = true;
	*ret_shape = buffer->shape;
	return 0;
}

/* Makes the buffer of bytes that go with the reply; they live as long as its bump allocator. The results of all steps
 * together may have inline_bytes. */
static int result_buffer(struct compiler *compiler, unsigned param, const struct shape *shape,
			 struct buffer **ret_buffer)
{
	struct program *program = compiler->program;
	const size_t allowed = program->memory->limits.inline_bytes;
	struct buffer *buffer;

	if (shape->bytes > allowed - program->inline_out)
		return bind_error(&compiler->args, param, compiler->err, ERROR_LIMIT,
				  "a result of %" PRIu64
				  " bytes in the reply, allowed are %zu in all (inline_bytes); name a tile instead",
				  shape->bytes, allowed);
	buffer = program_buffer(program, BUFFER_RESULT, shape);
	if (!buffer || (!program->keeps && program_result(program, buffer)))
		return compile_no_memory(compiler);
	program->inline_out += shape->bytes;
	*ret_buffer = buffer;
	return 0;
}

/* Makes a tile of the session's for this output. It is freed again if the request fails (is_new). A prepared call
 * cannot ask for one: nobody would learn the handles of its runs. */
static int new_tile(struct compiler *compiler, unsigned param, const struct shape *shape, struct buffer **ret_buffer)
{
	struct program *program = compiler->program;
	struct tile_place place;
	int error;

	if (program->keeps)
		return bind_error(&compiler->args, param, compiler->err, ERROR_NOT_SUPPORTED,
				  "a new tile for each run, takes a tile's handle");
	error = tile_create(program->memory, shape, 0, &place, compiler->err);
	if (error)
		return error;
	error = tile_buffer(compiler, param, place.handle, ret_buffer);
	if (error)
		tile_free(program->memory, place.handle, NULL);
	else
		(*ret_buffer)->is_new = true;
	return error;
}

/* Inside a program an output that nobody asked for stays in temporary memory. */
int compile_output(struct compiler *compiler, unsigned param, const struct shape *shape, struct buffer **ret_buffer)
{
	const struct arg *arg = &compiler->args.at[param];
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];
	struct buffer *buffer;
	int error;

	if (is_new_tile(arg))
		return new_tile(compiler, param, shape, ret_buffer);
	if (arg->given) {
		error = given_buffer(compiler, param, &buffer);
		if (error)
			return error;
		if (!shape_equal(&buffer->shape, shape))
			return bind_error(&compiler->args, param, compiler->err, ERROR_BAD_SHAPE,
					  "the %s is %s, allowed is %s",
					  arg->value->kind == VALUE_MAP ? "array" : "tile",
					  shape_text(&buffer->shape, has), shape_text(shape, needs));
		*ret_buffer = buffer;
		return 0;
	}
	if (!compiler->run || (compiler->name && compiler->name->wanted))
		return result_buffer(compiler, param, shape, ret_buffer);
	*ret_buffer = program_buffer(compiler->program, BUFFER_TEMP, shape);
	return *ret_buffer ? 0 : compile_no_memory(compiler);
}

/* --- replies --- */

/* Adds an output to the map `results`. Its bytes have their address by now but are written later, when the steps run. */
static int put_result(struct compiler *compiler, struct buffer *out)
{
	struct bump *bump = compiler->program->bump;
	struct value map = value_map();
	char *name = bump_copy(bump, compiler->name->at, compiler->name->size);

	out->result = (int)compiler->results->map.count;
	if (!name || shape_put(&out->shape, bump, &map) ||
	    value_add(bump, &map, "data", value_bytes(out->base, (size_t)out->shape.bytes)))
		return -ERROR_NO_MEMORY;
	return value_put(bump, compiler->results, name, map);
}

/* A step that writes a tile and whose output is wanted in the reply too: a copy of what it wrote. */
static int copy_result(struct compiler *compiler, unsigned param, struct buffer *out, struct buffer **ret_buffer)
{
	struct buffer *copy;
	int error = result_buffer(compiler, param, &out->shape, &copy);

	if (error)
		return error;
	if (!program_step(compiler->program, STEP_CAST, out, copy))
		return compile_no_memory(compiler);
	*ret_buffer = copy;
	return 0;
}

/* Where a new tile lies. */
static int put_new_place(struct compiler *compiler, const struct buffer *out)
{
	struct bump *bump = compiler->program->bump;
	struct value place = value_map();

	return value_add(bump, &place, "arena", value_uint(out->tile->arena->handle)) ||
	       value_add(bump, &place, "offset", value_uint(out->tile->block->offset)) ||
	       value_add(bump, &place, "bytes", value_uint(out->shape.bytes)) ||
	       value_add(bump, compiler->reply, "place", place);
}

/* Says where a single operation's output is: its tile, or the bytes themselves. Bytes of a program's steps stand in
 * `results`. */
static int put_place(struct compiler *compiler, const struct buffer *out)
{
	struct bump *bump = compiler->program->bump;

	if (out->kind == BUFFER_TILE)
		return value_add(bump, compiler->reply, "tile", value_uint(out->tile->handle)) ||
		       (out->is_new && put_new_place(compiler, out));
	if (compiler->run || out->kind != BUFFER_RESULT)
		return 0;
	return value_add(bump, compiler->reply, "data", value_bytes(out->base, (size_t)out->shape.bytes));
}

/* A result that a step wrote to a tile is wanted in the reply as well only if `results` names it. */
int compile_reply(struct compiler *compiler, unsigned out_param, struct buffer *out)
{
	struct bump *bump = compiler->program->bump;
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
