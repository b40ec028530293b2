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
static struct buffer *align_input(struct compiler *c, struct buffer *buffer, const char *base)
{
	struct buffer *copy;

	if ((uintptr_t)base % dtype_size(buffer->shape.dtype) == 0)
		return buffer;
	copy = compile_add_temp(c, &buffer->shape);
	compile_add_step(c, STEP_CAST, buffer, copy);
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
static const char *copy_constant(struct compiler *c, const struct value *data)
{
	struct deferred_builds *deferred = &c->first_run->bound.deferred;
	struct bump *bump = c->plan->bump;
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
static struct buffer *input_array(struct compiler *c, unsigned param, const struct value *map)
{
	struct plan *plan = c->plan;
	const struct value *data = value_get(map, "data");
	const size_t allowed = plan->session->limits.inline_bytes;
	const bool is_limited = !plan->session->limits.shares_memory;
	const struct shape shape = compile_array_shape(c, param, map);
	struct buffer *buffer;
	const char *at;

	if (!data)
		compile_wrong_array(c, param, ERROR_MISSING_PARAMETER, "it has no data");
	else if (data->kind != VALUE_BYTES && data->kind != VALUE_STRING)
		compile_wrong_array(c, param, ERROR_WRONG_TYPE, "its data is not bytes");
	else if (data->bytes.size != shape.bytes)
		compile_param_error(c, param, ERROR_BAD_SHAPE, "%zu bytes of data, its shape and dtype need %" PRIu64,
				    data->bytes.size, shape.bytes);
	if (is_limited && shape.bytes > allowed - plan->inline_in)
		compile_param_error(c, param, ERROR_LIMIT,
				    "more inline data than allowed, which is %zu bytes a request (inline_bytes)", allowed);
	if (c->error)
		return &c->no_buffer;
	plan->inline_in += is_limited ? shape.bytes : 0;
	buffer = compile_add_buffer(c, BUFFER_INPUT, &shape);
	at = c->first_run->is_template ? copy_constant(c, data) : data->bytes.at;
	if (!at)
		compile_no_memory(c);
	compile_hold(c, buffer, at);
	return align_input(c, buffer, at);
}

struct name_entry *compile_find_name(struct compiler *c, const struct value *text)
{
	struct name_entry *entry = c->names;

	while (entry && (entry->size != text->bytes.size || memcmp(entry->at, text->bytes.at, entry->size) != 0))
		entry = entry->after;
	return entry;
}

/* Returns the output of an earlier step. Only steps that were compiled before count, so a program has no circles. */
static struct buffer *named_buffer(struct compiler *c, unsigned param, const struct value *text)
{
	const struct name_entry *entry = compile_find_name(c, text);
	char got[BIND_TEXT];

	if (entry && entry->buffer)
		return entry->buffer;
	compile_param_error(c, param, ERROR_BAD_TILE, "no earlier step is called \"%s\", allowed is the `as` of one",
			    bind_text(text->bytes.at, text->bytes.size, got));
	return &c->no_buffer;
}

/* The kind of the value decides: a number is a handle, text a name, a map holds the data itself. */
struct buffer *compile_input(struct compiler *c, unsigned param)
{
	const struct value *value = c->args.at[param].value;
	uint64_t handle;

	if (c->error)
		return &c->no_buffer;
	if (value_to_natural(value, &handle))
		return compile_tile_buffer(c, param, handle);
	if (value->kind == VALUE_STRING)
		return named_buffer(c, param, value);
	return compile_is_stated(c, value) ? compile_stated_buffer(c, param, value) : input_array(c, param, value);
}

void compile_check_floating(struct compiler *c, unsigned param, enum dtype dtype)
{
	if (dtype < DTYPE_F32 || dtype > DTYPE_C128)
		compile_param_error(c, param, ERROR_BAD_SHAPE, "its dtype is %s, allowed are f32, f64, c64 and c128",
				    dtype_name(dtype));
}

struct buffer *compile_floating_input(struct compiler *c, unsigned param)
{
	struct buffer *buffer = compile_input(c, param);

	compile_check_floating(c, param, buffer->shape.dtype);
	return buffer;
}
