/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling draws: which samples of which stream, and where the next draw may begin. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/compile.h"

/* Samples of the whole draw, and what is produced of them. */
struct extent {
	struct shape shape; /* of what is produced */
	uint64_t n, begin;  /* the whole; the first that is produced */
};

static const struct {
	const char *name;
	enum law law;
} laws[] = {{"bits", LAW_BITS}, {"uniform", LAW_UNIFORM}, {"normal", LAW_NORMAL}};

static enum law find_law(const char *name)
{
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
		if (strcmp(laws[i].name, name) == 0)
			return laws[i].law;
	return LAW_BITS;
}

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

/* The whole's shape from shape, n or the tile; n alone where it is cut into parts. */
static int whole_shape(const struct compiler *c, enum dtype dtype, const struct shape *tile, struct shape *ret)
{
	const struct arg *at = c->args.at;
	struct shape shape = {.dtype = dtype, .ndim = 1};

	if (at[DRAW_SHAPE].given) {
		shape.ndim = at[DRAW_SHAPE].shape.count;
		memcpy(shape.dims, at[DRAW_SHAPE].shape.at, sizeof shape.dims);
	} else if (at[DRAW_N].given) {
		shape.dims[0] = at[DRAW_N].u64;
	} else if (tile && at[DRAW_SIZE].u64 == 1) {
		shape = *tile;
		shape.dtype = dtype;
	} else {
		return bind_error(&c->args, DRAW_N, c->err, ERROR_MISSING_PARAMETER,
				  "left out, takes the samples of the whole draw (or shape%s)",
				  tile ? "" : ", or the tile out");
	}
	if (!shape_finish(&shape))
		return bind_error(&c->args, at[DRAW_SHAPE].given ? DRAW_SHAPE : DRAW_N, c->err, ERROR_OUT_OF_RANGE,
				  "more than 2^62 bytes, allowed are fewer");
	if (at[DRAW_SHAPE].given && at[DRAW_N].given && at[DRAW_N].u64 != shape.n)
		return bind_error(&c->args, DRAW_N, c->err, ERROR_BAD_SHAPE,
				  "got %" PRIu64 ", shape holds %" PRIu64 " samples", at[DRAW_N].u64, shape.n);
	*ret = shape;
	return 0;
}

/* A tile of any shape takes as many samples as it has elements, unless a shape is asked for. */
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

static int find_extent(struct compiler *c, enum dtype dtype, const struct shape *tile, struct extent *ret)
{
	const struct arg *at = c->args.at;
	struct extent extent;
	uint64_t end;
	int error = check_rank(c);

	if (!error)
		error = whole_shape(c, dtype, tile, &extent.shape);
	if (error)
		return error;
	extent.n = extent.shape.n;
	stream_partition(extent.n, at[DRAW_RANK].u64, at[DRAW_SIZE].u64, &extent.begin, &end);
	if (at[DRAW_SIZE].u64 > 1)
		shape_flat(dtype, end - extent.begin, &extent.shape);
	error = fit_tile(c, tile, &extent.shape);
	if (!error)
		*ret = extent;
	return error;
}

/* Where the next draw of a stream stands in this program: at the program's offset, if it is the first. */
static struct cursor_entry *find_cursor(struct compiler *c, const struct stream *stream)
{
	struct cursor_entry *at = c->cursors;

	while (at && (at->stream.generator != stream->generator || at->stream.seed != stream->seed ||
		      at->stream.stream != stream->stream))
		at = at->after;
	if (at)
		return at;
	at = zone_alloc(c->program->zone, sizeof *at);
	if (!at)
		return NULL;
	*at = (struct cursor_entry){.stream = *stream, .after = c->cursors};
	if (c->run)
		at->ended = !stream_next_position(c->run->at[RUN_OFFSET].u64, 0, &at->next);
	return c->cursors = at;
}

/* The sample at which the draw begins, its first word and its words. */
static int place_draw(struct compiler *c, struct cursor_entry *cursor, const struct extent *extent,
		      uint64_t *ret_offset, uint64_t *ret_first)
{
	const unsigned words = draw_words_per_sample(extent->shape.dtype);
	const bool follows = c->run && !c->args.at[DRAW_OFFSET].given;
	const uint64_t offset = follows ? cursor->next / words : c->args.at[DRAW_OFFSET].u64;
	uint64_t count;

	if ((follows && cursor->ended) || !stream_span(offset, extent->n, words, ret_first, &count))
		return bind_error(&c->args, DRAW_OFFSET, c->err, ERROR_END_OF_STREAM,
				  "%" PRIu64 " samples from sample %" PRIu64
				  ", allowed is to end by sample %s, the end of the stream",
				  extent->n, offset, words == 1 ? "2^64" : "2^63");
	cursor->ended = !stream_next_position(*ret_first, count, &cursor->next);
	*ret_offset = offset;
	return 0;
}

static bool fits_f32(double x)
{
	return fabs(x) <= FLT_MAX;
}

static int check_uniform(const struct compiler *c, enum dtype dtype, struct draw *draw)
{
	const double low = c->args.at[UNIFORM_LOW].f64, high = c->args.at[UNIFORM_HIGH].f64;

	if (dtype == DTYPE_F32 && (!fits_f32(low) || !fits_f32(high)))
		return bind_error(&c->args, fits_f32(low) ? UNIFORM_HIGH : UNIFORM_LOW, c->err, ERROR_OUT_OF_RANGE,
				  "got %.17g, allowed for f32 is -%.9g to %.9g", fits_f32(low) ? high : low,
				  (double)FLT_MAX, (double)FLT_MAX);
	if (!(low < high) || (dtype == DTYPE_F32 && !((float)low < (float)high)))
		return bind_error(&c->args, UNIFORM_LOW, c->err, ERROR_OUT_OF_RANGE,
				  "got %.17g, allowed is below high = %.17g in %s", low, high, dtype_name(dtype));
	if (!isfinite(high - low))
		return bind_error(&c->args, UNIFORM_HIGH, c->err, ERROR_OUT_OF_RANGE,
				  "got %.17g, allowed is less than %.17g above low = %.17g", high, DBL_MAX, low);
	draw->a = low;
	draw->b = high;
	return 0;
}

static int check_normal(const struct compiler *c, enum dtype dtype, struct draw *draw)
{
	draw->a = c->args.at[NORMAL_MEAN].f64;
	draw->b = c->args.at[NORMAL_STD].f64;
	for (unsigned p = NORMAL_MEAN; p <= NORMAL_STD; p++)
		if (dtype == DTYPE_F32 && !fits_f32(c->args.at[p].f64))
			return bind_error(&c->args, p, c->err, ERROR_OUT_OF_RANGE,
					  "got %.17g, allowed for f32 is up to %.9g", c->args.at[p].f64,
					  (double)FLT_MAX);
	return 0;
}

static int check_law(const struct compiler *c, struct draw *draw)
{
	draw->a = draw->b = 0;
	if (draw->law == LAW_UNIFORM)
		return check_uniform(c, draw->dtype, draw);
	return draw->law == LAW_NORMAL ? check_normal(c, draw->dtype, draw) : 0;
}

static int put_stream(struct compiler *c, const struct draw *draw, uint64_t offset, uint64_t first,
		      const struct cursor_entry *cursor)
{
	struct zone *zone = c->program->zone;
	struct value *map = c->reply;
	int error = compile_put_stream(c, map, &draw->stream);

	if (error)
		return error;
	c->last_next = value_nil();
	if (compile_put_u64(c, DRAW_U64, map, "offset", offset) ||
	    compile_put_u64(c, DRAW_U64, map, "position", first) ||
	    (cursor->ended ? value_put(zone, map, "next", value_nil())
			   : compile_put_u64(c, DRAW_U64, map, "next", cursor->next)) ||
	    value_put(zone, map, "stream_format", value_uint(STREAM_FORMAT)))
		return compile_no_memory(c);
	c->last_next = *value_get(map, "next");
	return 0;
}

static int find_dtype(struct compiler *c, bool *ret_out, struct shape *ret_tile, enum dtype *ret_dtype)
{
	const struct param *param = &c->args.operation->params[DRAW_DTYPE];
	int error = compile_out_shape(c, DRAW_OUT, ret_out, ret_tile);

	if (error)
		return error;
	*ret_dtype = bind_dtype(&c->args, DRAW_DTYPE);
	if (!*ret_out || c->args.at[DRAW_DTYPE].given || ret_tile->dtype == *ret_dtype)
		return 0;
	if (!strstr(param->choices, dtype_name(ret_tile->dtype)))
		return bind_error(&c->args, DRAW_OUT, c->err, ERROR_BAD_SHAPE, "the tile is of dtype %s, allowed is %s",
				  dtype_name(ret_tile->dtype), param->choices);
	*ret_dtype = ret_tile->dtype;
	return 0;
}

int compile_draw(struct compiler *c)
{
	struct draw draw = {.law = find_law(c->args.operation->name)};
	struct cursor_entry *cursor;
	struct shape tile;
	struct extent extent;
	struct buffer *buffer;
	struct step *step;
	uint64_t offset = 0, first = 0;
	bool out;
	int error = compile_stream(c, &draw.stream);

	if (error)
		return error;
	cursor = find_cursor(c, &draw.stream);
	if (!cursor)
		return compile_no_memory(c);
	error = find_dtype(c, &out, &tile, &draw.dtype);
	if (!error)
		error = check_law(c, &draw);
	if (!error)
		error = find_extent(c, draw.dtype, out ? &tile : NULL, &extent);
	if (!error)
		error = place_draw(c, cursor, &extent, &offset, &first);
	if (!error)
		error = compile_output(c, DRAW_OUT, &extent.shape, &buffer);
	if (error)
		return error;
	step = program_step(c->program, STEP_DRAW, NULL, buffer);
	if (!step)
		return compile_no_memory(c);
	step->draw.law = draw;
	step->draw.begin = offset + extent.begin;
	error = compile_reply(c, DRAW_OUT, buffer);
	return error ? error : put_stream(c, &draw, offset, first, cursor);
}
