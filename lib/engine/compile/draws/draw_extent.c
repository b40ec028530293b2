/* SPDX-License-Identifier: Apache-2.0 */
/* The number of samples of a draw, their shape, and the part of them that a rank draws. */
#include "engine/compile/draws/draw_extent.h"

#include <inttypes.h>
#include <string.h>

/* Checks rank and size, and that a part of a draw is not asked for in several dimensions. */
static int check_rank(const struct compiler *c)
{
	const struct arg *at = c->args.at;

	if (at[DRAW_RANK].u64 >= at[DRAW_SIZE].u64)
		return bind_error(&c->args, DRAW_RANK, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed is 0 to size - 1 = %" PRIu64, at[DRAW_RANK].u64,
				  at[DRAW_SIZE].u64 - 1);
	if (at[DRAW_SHAPE].given && at[DRAW_SIZE].u64 > 1)
		return bind_error(&c->args, DRAW_SHAPE, c->err, ERROR_BAD_SHAPE,
				  "given beside size, allowed is n: a part of a draw is flat");
	return 0;
}

/* Finds the shape of the whole draw from shape, n or the tile; with size > 1, where the parts are flat, from n alone.
 * The components of vectors are one more dimension, the last. */
static int whole_shape(const struct compiler *c, enum dtype dtype, uint64_t components, const struct shape *tile,
		       struct shape *ret)
{
	const struct arg *at = c->args.at;
	struct shape shape = {.dtype = dtype, .ndim = 1};

	if (at[DRAW_SHAPE].given) {
		shape.ndim = at[DRAW_SHAPE].shape.count;
		memcpy(shape.dims, at[DRAW_SHAPE].shape.at, sizeof shape.dims);
		if (components > 1 && shape.ndim == SHAPE_MAX_DIMS)
			return bind_error(&c->args, DRAW_SHAPE, c->err, ERROR_BAD_SHAPE,
					  "got %d dimensions, allowed is one less: the last is that of the components",
					  SHAPE_MAX_DIMS);
	} else if (at[DRAW_N].given) {
		shape.dims[0] = at[DRAW_N].u64;
	} else if (tile && at[DRAW_SIZE].u64 == 1) {
		if (tile->n % components != 0)
			return bind_error(&c->args, at[DRAW_OUT].given ? DRAW_OUT : DRAW_N, c->err, ERROR_BAD_SHAPE,
					  "there are %" PRIu64 " elements, allowed are multiples of %" PRIu64
					  ", the components of a sample",
					  tile->n, components);
		shape = *tile;
		shape.dtype = dtype;
		*ret = shape;
		return 0;
	} else {
		return bind_error(&c->args, DRAW_N, c->err, ERROR_MISSING_PARAMETER, "missing: give n%s",
				  tile ? " or shape" : ", shape or out");
	}
	if (components > 1)
		shape.dims[shape.ndim++] = components;
	if (!shape_finish(&shape))
		return bind_error(&c->args, at[DRAW_SHAPE].given ? DRAW_SHAPE : DRAW_N, c->err, ERROR_OUT_OF_RANGE,
				  "more than 2^62 bytes, allowed are fewer");
	if (at[DRAW_SHAPE].given && at[DRAW_N].given && at[DRAW_N].u64 != shape.n / components)
		return bind_error(&c->args, DRAW_N, c->err, ERROR_BAD_SHAPE,
				  "got %" PRIu64 ", shape holds %" PRIu64 " samples", at[DRAW_N].u64,
				  shape.n / components);
	*ret = shape;
	return 0;
}

/* Checks the tile against the draw and takes over its shape. Unless `shape` is given only the number of elements
 * counts. */
static int fit_tile(const struct compiler *c, const struct shape *tile, struct shape *shape)
{
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];

	if (!tile)
		return 0;
	if (tile->dtype != shape->dtype || tile->n != shape->n ||
	    (c->args.at[DRAW_SHAPE].given && !shape_equal(tile, shape)))
		return bind_error(&c->args, DRAW_OUT, c->err, ERROR_BAD_SHAPE, "the tile is %s, the draw %s",
				  shape_text(tile, has), shape_text(shape, needs));
	*shape = *tile;
	return 0;
}

/* A part of a draw is flat: its first dimension is its number of samples. */
int compile_extent(struct compiler *c, enum dtype dtype, uint64_t components, const struct shape *tile,
		   struct draw_extent *ret)
{
	const struct arg *at = c->args.at;
	struct draw_extent extent;
	uint64_t end;
	int error = check_rank(c);

	if (!error)
		error = whole_shape(c, dtype, components, tile, &extent.shape);
	if (error)
		return error;
	extent.n = extent.shape.n / components;
	stream_partition(extent.n, at[DRAW_RANK].u64, at[DRAW_SIZE].u64, &extent.begin, &end);
	if (at[DRAW_SIZE].u64 > 1) {
		extent.shape.dims[0] = end - extent.begin;
		shape_finish(&extent.shape);
	}
	error = fit_tile(c, tile, &extent.shape);
	if (!error)
		*ret = extent;
	return error;
}
