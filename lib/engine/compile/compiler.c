/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's error, which stays the first, and the pieces of a plan, which nothing adds to once an error stands. */
#include "engine/compile/compiler.h"

#include <stdarg.h>
#include <stdio.h>

#include "engine/call/placement.h"

void compile_fail(struct compiler *c, int error)
{
	if (c->error || !error)
		return;
	c->error = error;
	c->no_buffer = (struct buffer){.shape = {.dtype = DTYPE_F32, .ndim = 1, .dims = {1}}, .slot = -1};
	shape_finish(&c->no_buffer.shape);
	c->no_step = (struct step){.placement = -1, .transform = STEP_NO_TRANSFORM};
}

/* param: the parameter that the text is about; -1: none. */
static void set_error(struct compiler *c, int param, enum error_code code, const char *format, va_list list)
{
	char text[sizeof c->err->text];

	if (c->error)
		return;
	vsnprintf(text, sizeof text, format, list);
	compile_fail(c, param < 0 ? error_set(c->err, code, "%s: %s", c->args.context, text)
				  : bind_error(&c->args, (unsigned)param, c->err, code, "%s", text));
}

void compile_error(struct compiler *c, enum error_code code, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	set_error(c, -1, code, format, list);
	va_end(list);
}

void compile_param_error(struct compiler *c, unsigned param, enum error_code code, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	set_error(c, (int)param, code, format, list);
	va_end(list);
}

void compile_no_memory(struct compiler *c)
{
	compile_error(c, ERROR_NO_MEMORY, "no memory for the request");
}

void compile_bind(struct compiler *c, const struct value *map)
{
	if (!c->error)
		compile_fail(c, bind_args(&c->args, map, c->err));
}

void compile_read_stream_name(struct compiler *c, const struct value *map)
{
	const struct value *name = value_get(map, "stream_name");

	if (!name || c->error)
		return;
	if (name->kind != VALUE_STRING && name->kind != VALUE_BYTES)
		compile_error(c, ERROR_WRONG_TYPE, "stream_name: got %s, allowed is the name of a stream",
			      bind_kind_text(name->kind));
	c->stream_name = name;
}

struct buffer *compile_add_buffer(struct compiler *c, enum buffer_kind kind, const struct shape *shape)
{
	struct buffer *buffer = c->error ? NULL : plan_buffer(c->plan, kind, shape);

	if (buffer)
		return buffer;
	compile_no_memory(c);
	return &c->no_buffer;
}

struct step *compile_add_step(struct compiler *c, enum step_kind kind, struct buffer *in, struct buffer *out)
{
	struct step *step = c->error ? NULL : plan_step(c->plan, kind, in, out);

	if (step)
		return step;
	compile_no_memory(c);
	return &c->no_step;
}

struct buffer *compile_prepare(struct compiler *c, enum dtype dtype, const struct buffer *out, struct buffer *buffer)
{
	struct shape shape = buffer->shape;
	struct buffer *copy;

	if (shape.dtype == dtype && buffer != out)
		return buffer;
	shape.dtype = dtype;
	if (!shape_finish(&shape))
		compile_no_memory(c);
	copy = compile_add_temp(c, &shape);
	compile_add_step(c, STEP_CAST, buffer, copy);
	return copy;
}

int compile_add_transform(struct compiler *c, struct plan_key key)
{
	int transform = STEP_NO_TRANSFORM;

	if (!c->error && (plan_add_transform(c->plan, key, &transform) || run_take_transform(c->first_run)))
		compile_no_memory(c);
	return transform;
}

int compile_add_placement(struct compiler *c, const struct placement *placement)
{
	int index = 0;

	if (!c->error && placement_add(c->plan, placement, c->stream_name, &index))
		compile_no_memory(c);
	return index;
}

void compile_add_field(struct compiler *c, enum reply_field_kind kind, int which)
{
	const struct reply_field field = {.kind = kind,
					  .which = which,
					  .map = c->run ? (int)c->step : FIELD_OF_REPLY,
					  .member = c->reply->map.count};

	if (!c->error && plan_field(c->plan, field))
		compile_no_memory(c);
}

void compile_put_placement(struct compiler *c, int placement)
{
	if (!c->error && placement_put(c->plan, placement, c->reply))
		compile_no_memory(c);
}

void compile_put_sized(struct compiler *c, const char *name, size_t name_size, struct value value)
{
	if (!c->error && value_add_sized(c->plan->bump, c->reply, name, name_size, value))
		compile_no_memory(c);
}
