/* SPDX-License-Identifier: Apache-2.0 */
/* Draws in the layout of another framework. What a run may change is checked when it seeks (call/placement_seek.c). */
#include "engine/compile/draws/draw_layout.h"

#include <inttypes.h>

#include "distributions/layouts/layout_kernel.h"

/* Returns the layout that the draw states, or its run. */
static enum layout find_layout(const struct compiler *c)
{
	const struct arg *stated = &c->args.at[DRAW_LAYOUT];

	return (enum layout)(stated->given || !c->run ? stated->choice : c->plan->placements.run.layout);
}

/* Finds how the numbers are made. Refuses arrays, choices of a method, and what the framework does not have. */
static const struct layout_way *find_way(struct compiler *c, const struct draw *draw, enum layout layout)
{
	const struct layout_way *way = layout_find_way(&layout_kernel_scalar, layout, draw->distribution, draw->dtype);
	const struct operation *operation = c->args.operation;
	const char *name = layout_rows[layout].name;
	char text[LAYOUT_TEXT_BYTES];

	if (!way)
		compile_param_error(c, DRAW_LAYOUT, ERROR_OUT_OF_RANGE, "%s has no %s of %s, allowed are %s", name,
				    operation->name, dtype_name(draw->dtype), layout_describe(layout, text));
	for (unsigned i = DRAW_COMMON; i < operation->n_params; i++) {
		if (c->args.at[i].is_array)
			compile_param_error(c, i, ERROR_OUT_OF_RANGE, "got an array, allowed with layout %s is a number", name);
		else if (c->args.at[i].given &&
			 (operation->params[i].type == PARAM_CHOICE || (layout_rows[layout].flags & LAYOUT_STANDARD)))
			compile_param_error(c, i, ERROR_OUT_OF_RANGE, "given with layout %s, allowed without it", name);
	}
	return way;
}

/* Refuses calls that the framework cuts into several: PyTorch from 2 GiB on, JAX's older mode from 2^32 - 1 words on. */
static void check_size(struct compiler *c, const struct draw *draw, const struct layout_call *call)
{
	const uint64_t size = dtype_size(draw->dtype);
	uint64_t most = UINT64_MAX;

	if (call->layout == LAYOUT_TORCH_CUDA)
		most = (UINT64_C(1) << 31) / size;
	else if (call->layout == LAYOUT_JAX_ORIGINAL)
		most = size == 8 ? INT32_MAX : UINT32_MAX - 1;
	if (call->n > most)
		compile_param_error(c, c->args.at[DRAW_CALL_N].given ? DRAW_CALL_N : DRAW_N, ERROR_OUT_OF_RANGE,
				    "got %" PRIu64 ", allowed with layout %s is up to %" PRIu64 ": larger calls are several",
				    call->n, layout_rows[call->layout].name, most);
}

/* Finds the blocks of the card. Small calls are the same on all cards. */
static uint32_t find_blocks(struct compiler *c, uint64_t n)
{
	const struct arg *device = &c->args.at[DRAW_DEVICE], *blocks = &c->args.at[DRAW_BLOCKS];
	const uint64_t least = layout_least_blocks();

	if (device->given && blocks->given)
		compile_param_error(c, DRAW_BLOCKS, ERROR_OUT_OF_RANGE, "given beside device, allowed is one of them");
	if (device->given)
		return layout_device_blocks(device->choice);
	if (!blocks->given && (n + 255) / 256 > least)
		compile_param_error(c, DRAW_DEVICE, ERROR_MISSING_PARAMETER,
				    "missing: give device or blocks for more than %" PRIu64
				    " samples, whose place depends on the card",
				    256 * least);
	return blocks->given ? (uint32_t)blocks->u64 : (uint32_t)least;
}

/* Finds the axis that XLA splits: the first of an even length, or else the longest. A part of a draw is flat. */
static void find_pairs(const struct shape *shape, struct layout_call *call)
{
	unsigned axis = 0;

	call->axis = call->n;
	call->inner = 1;
	if (shape->n != call->n)
		return;
	while (axis < shape->ndim && shape->dims[axis] % 2 != 0)
		axis++;
	for (unsigned i = axis = axis < shape->ndim ? axis : 0; shape->dims[axis] % 2 != 0 && i < shape->ndim; i++)
		axis = shape->dims[i] > shape->dims[axis] ? i : axis;
	call->axis = shape->dims[axis];
	for (unsigned i = axis + 1; i < shape->ndim; i++)
		call->inner *= shape->dims[i];
}

const struct layout_call *compile_layout(struct compiler *c, const struct draw *draw, const struct draw_extent *extent)
{
	const struct arg *call_n = &c->args.at[DRAW_CALL_N];
	const enum layout layout = find_layout(c);
	const struct layout_way *way;
	struct layout_call *call;

	for (unsigned i = DRAW_DEVICE; i <= DRAW_CALL_N; i++)
		if (c->args.at[i].given && (i == DRAW_CALL_N ? !layout_is_replay(layout) : layout != LAYOUT_TORCH_CUDA))
			compile_param_error(c, i, ERROR_OUT_OF_RANGE, "given with layout %s, allowed with %s",
					    layout_rows[layout].name,
					    i == DRAW_CALL_N ? "those of other frameworks" : "torch_cuda");
	if (c->error || !layout_is_replay(layout))
		return NULL;
	way = find_way(c, draw, layout);
	call = bump_alloc(c->plan->bump, sizeof *call);
	if (!way || !call) {
		compile_no_memory(c);
		return NULL;
	}
	*call = (struct layout_call){
		.layout = layout, .n = call_n->given ? call_n->u64 : extent->n, .is_ordered = way->is_ordered};
	find_pairs(&extent->shape, call);
	check_size(c, draw, call);
	if (layout == LAYOUT_TORCH_CUDA)
		call->blocks = find_blocks(c, call->n);
	return c->error ? NULL : call;
}

void compile_place_call(struct compiler *c, const struct draw *draw, struct placement *placement)
{
	const enum layout layout = find_layout(c);

	if (!layout_is_replay(layout))
		return;
	if (c->args.at[DRAW_GENERATOR].given)
		compile_param_error(c, DRAW_GENERATOR, ERROR_OUT_OF_RANGE,
				    "given with layout %s, allowed without it: the layout's is %s", layout_rows[layout].name,
				    layout_rows[layout].generator);
	if (!draw->layout)
		compile_param_error(c, DRAW_LAYOUT, ERROR_OUT_OF_RANGE, "got %s, allowed for %s are plain and trn24",
				    layout_rows[layout].name, c->args.operation->name);
	if (c->error)
		return;
	placement->call = draw->layout;
	placement->has_call_words = layout_advance(draw, draw->layout, &placement->call_words);
	placement->own.has_generator = true;
	placement->is_part_of_call = c->args.at[DRAW_CALL_N].given;
}
