/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a draw's parameters that are arrays: inputs of the step, of any length of at least one element, or of none
 * where there are no samples. Sample k takes element k modulo the length. */
#include "engine/compile/draws/draw_arrays.h"

#include <inttypes.h>
#include <string.h>

#include "distributions/draw/draw_arrays.h"

/* Finds the tile of {tile: ...}, or takes the map itself as an array. */
static int find_buffer(struct compiler *c, unsigned param, struct buffer **ret_buffer)
{
	const struct value *map = c->args.at[param].value, *tile = value_get(map, "tile");
	const bool is_name = tile && tile->kind == VALUE_STRING && c->args.in_program;
	uint64_t handle;
	int error;

	if (!tile)
		return compile_input(c, param, ret_buffer);
	if ((!is_name && !value_to_natural(tile, &handle)) || map->map.count != 1)
		return bind_error(&c->args, param, c->err, ERROR_WRONG_TYPE,
				  "got a map with tile, allowed is {tile: a tile's handle%s} alone",
				  c->args.in_program ? " or the name of an earlier step" : "");
	c->args.at[param].value = tile;
	error = compile_input(c, param, ret_buffer);
	c->args.at[param].value = map;
	return error;
}

/* Finds a parameter's array and checks its dtype. */
static int find_array(struct compiler *c, const struct draw *draw, unsigned parameter, struct buffer **ret_buffer)
{
	const unsigned param = DRAW_COMMON + parameter;
	struct buffer *buffer;
	int error = find_buffer(c, param, &buffer);

	if (error)
		return error;
	if (!draw_array_has_dtype(draw, buffer->shape.dtype))
		return bind_error(&c->args, param, c->err, ERROR_BAD_SHAPE,
				  "the array's dtype is %s, allowed for %s %s are %s", dtype_name(buffer->shape.dtype),
				  c->args.operation->name, dtype_name(draw->dtype), draw_array_dtypes(draw));
	*ret_buffer = buffer;
	return 0;
}

int compile_parameter_arrays(struct compiler *c, const struct draw *draw, struct parameter_arrays *ret)
{
	struct parameter_arrays found = {.arrays = {.operation = c->args.operation}};
	int error = 0;

	for (unsigned i = 0; i + DRAW_COMMON < c->args.operation->n_params && !error; i++) {
		if (!c->args.at[DRAW_COMMON + i].is_array)
			continue;
		error = find_array(c, draw, i, &found.buffers[found.arrays.n]);
		found.arrays.parameters[found.arrays.n++] = (unsigned char)i;
	}
	if (!error)
		*ret = found;
	return error;
}

int compile_check_arrays(const struct compiler *c, const struct parameter_arrays *found, uint64_t samples)
{
	char has[SHAPE_TEXT];

	for (unsigned k = 0; k < found->arrays.n && samples > 0; k++)
		if (found->buffers[k]->shape.n == 0)
			return bind_error(&c->args, DRAW_COMMON + found->arrays.parameters[k], c->err, ERROR_BAD_SHAPE,
					  "the array is %s, allowed for %" PRIu64 " samples is one element or more",
					  shape_text(&found->buffers[k]->shape, has), samples);
	return 0;
}

/* Refuses an array that is the draw's own output. A step reads an array as a whole, at any element, while other threads
 * write the output. */
static int check_output(struct compiler *c, const struct parameter_arrays *found, const struct buffer *out)
{
	for (unsigned k = 0; k < found->arrays.n; k++)
		if (found->buffers[k] == out)
			return bind_error(&c->args, DRAW_COMMON + found->arrays.parameters[k], c->err, ERROR_BAD_TILE,
					  "the array is the output, allowed is another tile");
	return 0;
}

int compile_draw_step(struct compiler *c, const struct parameter_arrays *found, struct buffer *out,
		      struct step **ret_step)
{
	const bool any = found->arrays.n > 0;
	struct step_arrays *arrays = any ? bump_alloc(c->plan->bump, sizeof *arrays) : NULL;
	char *context = any ? bump_copy(c->plan->bump, c->args.context, strlen(c->args.context)) : NULL;
	const int error = check_output(c, found, out);
	struct step *step;

	if (error)
		return error;
	step = plan_step(c->plan, any ? STEP_DRAW_EACH : STEP_DRAW, NULL, out);
	if (!step || (any && (!arrays || !context)))
		return compile_no_memory(c);
	for (unsigned k = 0; k < found->arrays.n; k++)
		step->in[k] = found->buffers[k];
	if (any) {
		*arrays = found->arrays;
		arrays->context = context;
	}
	*ret_step = step;
	/* Set by the caller, but for the arrays. */
	step->draw = (struct draw_step){.arrays = arrays};
	return 0;
}
