/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of operations: tiles, outputs of earlier steps, and arrays that come with the request. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "engine/compile/buffers.h"

/* Kernels want their elements aligned, and bytes of a message lie anywhere. What is not aligned is copied by the
 * plan's first step, chunk by chunk on the lanes, not by the thread that compiles: inline data can have many
 * megabytes. */
static struct buffer *aligned_copy(struct compiler *compiler, struct buffer *buffer, const char *base)
{
	struct buffer *copy;

	if ((uintptr_t)base % dtype_size(buffer->shape.dtype) == 0)
		return buffer;
	copy = plan_buffer(compiler->plan, BUFFER_TEMP, &buffer->shape);
	if (!copy || !plan_step(compiler->plan, STEP_CAST, buffer, copy))
		return NULL;
	return copy;
}

/* Inline data of a prepared call outlives its request, so it is copied. Large data is copied in pieces between other
 * requests (deferred_build.h), since the thread that compiles may be the daemon's loop. */
struct deferred_copy {
	struct deferred_build build; /* must be the first member: copy_piece casts back to us */
	char *to; /* both advance as pieces are copied */
	const char *from;
	size_t size; /* bytes that are left */
};

/* At 10 GB/s a piece takes 26 us, the largest small copy 1.6 us. */
enum { COPY_PIECE = 256 << 10, COPY_SMALL = 16 << 10 };

/* Copies the next piece. Returns 1 while some is left, then 0. */
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
 * the plan. Returns NULL if there is no memory for it. */
static const char *copy_constant(struct compiler *compiler, const struct value *data)
{
	struct deferred_builds *deferred = &compiler->first_run->bound.deferred;
	struct bump *bump = compiler->plan->bump;
	const size_t size = data->bytes.size;
	struct deferred_copy *copy;
	char *to;

	if (size <= COPY_SMALL)
		return bump_copy(bump, data->bytes.at, size);
	copy = bump_alloc(bump, sizeof *copy);
	to = copy ? malloc(size) : NULL;
	if (!to || bump_defer(bump, free, to)) {
		free(to);
		return NULL;
	}
	*copy = (struct deferred_copy){.build = {.piece = copy_piece}, .to = to, .from = data->bytes.at, .size = size};
	deferred->held_bytes += size;
	deferred_build_add(deferred, &copy->build);
	return to;
}

/* Makes the buffer of inline data, which is read where it lies: the request outlives its plan, unless that is
 * prepared. An embedded caller's arrays are not limited (shares_memory): they take no memory of the engine's. */
static int input_array(struct compiler *compiler, unsigned param, const struct value *map, struct buffer **ret_buffer)
{
	struct plan *plan = compiler->plan;
	const struct value *data = value_get(map, "data");
	const size_t allowed = plan->session->limits.inline_bytes;
	struct shape shape;
	struct buffer *buffer;
	const char *at;
	int error = compile_array_shape(compiler, param, map, &shape);

	if (error)
		return error;
	if (!data)
		return compile_wrong_array(compiler, param, ERROR_MISSING_PARAMETER, "it has no data");
	if (data->kind != VALUE_BYTES && data->kind != VALUE_STRING)
		return compile_wrong_array(compiler, param, ERROR_WRONG_TYPE, "its data is not bytes");
	if (data->bytes.size != shape.bytes)
		return bind_error(&compiler->args, param, compiler->err, ERROR_BAD_SHAPE,
				  "%zu bytes of data, its shape and dtype need %" PRIu64, data->bytes.size,
				  shape.bytes);
	if (!plan->session->limits.shares_memory) {
		if (shape.bytes > allowed - plan->inline_in)
			return bind_error(&compiler->args, param, compiler->err, ERROR_LIMIT,
					  "more inline data than allowed, which is %zu bytes a request (inline_bytes)",
					  allowed);
		plan->inline_in += shape.bytes;
	}
	buffer = plan_buffer(plan, BUFFER_INPUT, &shape);
	if (!buffer)
		return compile_no_memory(compiler);
	at = compiler->first_run->is_template ? copy_constant(compiler, data) : data->bytes.at;
	if (!at || run_hold(compiler->first_run, buffer, at, NULL))
		return compile_no_memory(compiler);
	buffer = aligned_copy(compiler, buffer, at);
	if (!buffer)
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

/* The kind of the value decides: a number is a handle, text a name, a map holds the data itself. */
int compile_input(struct compiler *compiler, unsigned param, struct buffer **ret_buffer)
{
	const struct value *value = compiler->args.at[param].value;
	uint64_t handle;

	if (value_to_natural(value, &handle))
		return compile_tile_buffer(compiler, param, handle, ret_buffer);
	if (value->kind == VALUE_STRING)
		return named_buffer(compiler, param, value, ret_buffer);
	return compile_is_stated(compiler, value) ? compile_stated_buffer(compiler, param, value, ret_buffer)
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
