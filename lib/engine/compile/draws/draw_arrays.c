/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a draw's parameters that are arrays: inputs of the step, of any length of at least one element, or of none
 * where there are no samples. Sample k takes element k modulo the length. */
#include "engine/compile/draws/draw_arrays.h"

#include <inttypes.h>
#include <string.h>

#include "distributions/draw/draw_arrays.h"

/* Returns the tile of {tile: ...}, or takes the map itself as an array. */
static struct buffer *find_buffer(struct compiler *c, unsigned param)
{
	const struct value *map = c->args.at[param].value, *tile = value_get(map, "tile");
	const bool is_name = tile && tile->kind == VALUE_STRING && c->args.in_program;
	struct buffer *buffer;
	uint64_t handle;

	if (!tile)
		return compile_input(c, param);
	if ((!is_name && !value_to_natural(tile, &handle)) || map->map.count != 1)
		compile_param_error(c, param, ERROR_WRONG_TYPE,
				    "got a map with tile, allowed is {tile: a tile's handle%s} alone",
				    c->args.in_program ? " or the name of an earlier step" : "");
	c->args.at[param].value = tile;
	buffer = compile_input(c, param);
	c->args.at[param].value = map;
	return buffer;
}

/* Returns a parameter's array, of which it checks the dtype. */
static struct buffer *find_array(struct compiler *c, const struct draw *draw, unsigned param)
{
	struct buffer *buffer = find_buffer(c, param);

	if (!draw_array_has_dtype(draw, buffer->shape.dtype))
		compile_param_error(c, param, ERROR_BAD_SHAPE, "the array's dtype is %s, allowed for %s %s are %s",
				    dtype_name(buffer->shape.dtype), c->args.operation->name, dtype_name(draw->dtype),
				    draw_array_dtypes(draw));
	return buffer;
}

void compile_parameter_arrays(struct compiler *c, const struct draw *draw, struct parameter_arrays *found)
{
	struct step_arrays *arrays = &found->arrays;

	arrays->operation = c->args.operation;
	for (unsigned i = 0; i + DRAW_COMMON < c->args.operation->n_params && !c->error; i++) {
		if (!c->args.at[DRAW_COMMON + i].is_array)
			continue;
		found->buffers[arrays->n] = find_array(c, draw, DRAW_COMMON + i);
		arrays->parameters[arrays->n++] = (unsigned char)i;
	}
}

void compile_check_arrays(struct compiler *c, const struct parameter_arrays *found, uint64_t samples)
{
	char has[SHAPE_TEXT];

	for (unsigned k = 0; k < found->arrays.n && samples > 0; k++)
		if (found->buffers[k]->shape.n == 0)
			compile_param_error(c, DRAW_COMMON + found->arrays.parameters[k], ERROR_BAD_SHAPE,
					    "the array is %s, allowed for %" PRIu64 " samples is one element or more",
					    shape_text(&found->buffers[k]->shape, has), samples);
}

/* Refuses an array that is the draw's own output. A step reads an array as a whole, at any element, while other threads
 * write the output. */
static void check_output(struct compiler *c, const struct parameter_arrays *found, const struct buffer *out)
{
	for (unsigned k = 0; k < found->arrays.n; k++)
		if (found->buffers[k] == out)
			compile_param_error(c, DRAW_COMMON + found->arrays.parameters[k], ERROR_BAD_TILE,
					    "the array is the output, allowed is another tile");
}

/* Copies which parameters are arrays to the plan's bump. */
static const struct step_arrays *keep_arrays(struct compiler *c, const struct step_arrays *found)
{
	struct step_arrays *arrays = bump_alloc(c->plan->bump, sizeof *arrays);
	const char *context = bump_copy(c->plan->bump, c->args.context, strlen(c->args.context));

	if (!arrays || !context) {
		compile_no_memory(c);
		return NULL;
	}
	*arrays = *found;
	arrays->context = context;
	return arrays;
}

struct step *compile_draw_step(struct compiler *c, const struct parameter_arrays *found, struct buffer *out)
{
	const bool any = found->arrays.n > 0;
	struct step *step;

	check_output(c, found, out);
	step = compile_add_step(c, any ? STEP_DRAW_PER_SAMPLE : STEP_DRAW, NULL, out);
	for (unsigned k = 0; k < found->arrays.n; k++)
		step->in[k] = found->buffers[k];
	step->draw = (struct draw_step){.arrays = any ? keep_arrays(c, &found->arrays) : NULL};
	return step;
}
