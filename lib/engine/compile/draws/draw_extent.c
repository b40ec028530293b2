/* SPDX-License-Identifier: Apache-2.0 */
/* The number of samples of a draw, their shape, and the part of them that a rank draws. */
#include "engine/compile/draws/draw_extent.h"

#include <inttypes.h>
#include <string.h>

/* Checks rank and size, and that a part of a draw is not asked for in several dimensions. */
static void check_rank(struct compiler *c)
{
	const struct arg *at = c->args.at;

	if (at[DRAW_RANK].u64 >= at[DRAW_SIZE].u64)
		compile_param_error(c, DRAW_RANK, ERROR_OUT_OF_RANGE, "got %" PRIu64 ", allowed is 0 to size - 1 = %" PRIu64,
				    at[DRAW_RANK].u64, at[DRAW_SIZE].u64 - 1);
	if (at[DRAW_SHAPE].given && at[DRAW_SIZE].u64 > 1)
		compile_param_error(c, DRAW_SHAPE, ERROR_BAD_SHAPE, "given beside size, allowed is n: a part of a draw is flat");
}

/* Returns the tile's shape, which decides where n and shape are missing. */
static struct shape shape_of_tile(struct compiler *c, enum dtype dtype, uint64_t components, const struct shape *tile)
{
	struct shape shape = *tile;

	if (tile->n % components != 0)
		compile_param_error(c, c->args.at[DRAW_OUT].given ? DRAW_OUT : DRAW_N, ERROR_BAD_SHAPE,
				    "there are %" PRIu64 " elements, allowed are multiples of %" PRIu64
				    ", the components of a sample",
				    tile->n, components);
	shape.dtype = dtype;
	return shape;
}

/* Returns the shape of the whole draw, from shape, n or the tile; with size > 1, where the parts are flat, from n alone.
 * The components of vectors are one more dimension, the last. */
static struct shape whole_shape(struct compiler *c, enum dtype dtype, uint64_t components, const struct shape *tile)
{
	const struct arg *at = c->args.at, *n = &at[DRAW_N], *dims = &at[DRAW_SHAPE];
	struct shape shape = {.dtype = dtype, .ndim = 1};

	if (dims->given) {
		shape.ndim = dims->shape.count;
		memcpy(shape.dims, dims->shape.at, sizeof shape.dims);
	} else if (n->given) {
		shape.dims[0] = n->u64;
	} else if (tile && at[DRAW_SIZE].u64 == 1) {
		return shape_of_tile(c, dtype, components, tile);
	} else {
		compile_param_error(c, DRAW_N, ERROR_MISSING_PARAMETER, "missing: give n%s",
				    tile ? " or shape" : ", shape or out");
	}
	if (components > 1 && shape.ndim == SHAPE_MAX_DIMS)
		compile_param_error(c, DRAW_SHAPE, ERROR_BAD_SHAPE,
				    "got %d dimensions, allowed is one less: the last is that of the components",
				    SHAPE_MAX_DIMS);
	else if (components > 1)
		shape.dims[shape.ndim++] = components;
	if (!shape_finish(&shape))
		compile_param_error(c, dims->given ? DRAW_SHAPE : DRAW_N, ERROR_OUT_OF_RANGE,
				    "more than 2^62 bytes, allowed are fewer");
	if (dims->given && n->given && n->u64 != shape.n / components)
		compile_param_error(c, DRAW_N, ERROR_BAD_SHAPE, "got %" PRIu64 ", shape holds %" PRIu64 " samples", n->u64,
				    shape.n / components);
	return shape;
}

/* Checks the tile against the draw and takes over its shape. Unless `shape` is given only the number of elements
 * counts. */
static void fit_tile(struct compiler *c, const struct shape *tile, struct shape *shape)
{
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];

	if (tile->dtype != shape->dtype || tile->n != shape->n ||
	    (c->args.at[DRAW_SHAPE].given && !shape_equal(tile, shape)))
		compile_param_error(c, DRAW_OUT, ERROR_BAD_SHAPE, "the tile is %s, the draw %s", shape_text(tile, has),
				    shape_text(shape, needs));
	*shape = *tile;
}

/* A part of a draw is flat: its first dimension is its number of samples. */
struct draw_extent compile_extent(struct compiler *c, enum dtype dtype, uint64_t components, const struct shape *tile)
{
	const struct arg *at = c->args.at;
	struct draw_extent extent = {0};
	uint64_t end;

	check_rank(c);
	extent.shape = whole_shape(c, dtype, components, tile);
	if (c->error)
		return extent;
	extent.n = extent.shape.n / components;
	stream_rank_part(extent.n, at[DRAW_RANK].u64, at[DRAW_SIZE].u64, &extent.begin, &end);
	if (at[DRAW_SIZE].u64 > 1) {
		extent.shape.dims[0] = end - extent.begin;
		shape_finish(&extent.shape);
	}
	if (tile)
		fit_tile(c, tile, &extent.shape);
	return extent;
}
