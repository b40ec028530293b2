/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling draws: which samples of which stream, and where the next draw may begin. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compile.h"

/* Samples of the whole draw, and what is produced of them. */
struct extent {
	struct shape shape; /* of what is produced: elements, the components of a sample being its last dimension */
	uint64_t n, begin;  /* samples: the whole; the first that is produced */
};

/* Numbers in a list parameter. */
enum { LIST_MOST = 1 << 24 };

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

/* The whole's shape from shape, n or the tile; n alone where it is cut into parts. Vectors add a dimension. */
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
		return bind_error(&c->args, DRAW_N, c->err, ERROR_MISSING_PARAMETER,
				  "left out, takes the samples of the whole draw (or shape%s)",
				  tile ? "" : ", or the tile out");
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

static int find_extent(struct compiler *c, enum dtype dtype, uint64_t components, const struct shape *tile,
		       struct extent *ret)
{
	const struct arg *at = c->args.at;
	struct extent extent;
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
static int place_draw(struct compiler *c, struct cursor_entry *cursor, const struct extent *extent, unsigned components,
		      uint64_t *ret_offset, uint64_t *ret_first)
{
	const unsigned words = draw_words_per_sample(extent->shape.dtype) * components;
	const bool follows = c->run && !c->args.at[DRAW_OFFSET].given;
	uint64_t offset = follows ? cursor->next / words : c->args.at[DRAW_OFFSET].u64, count;

	/* The next whole group that begins a sample: vectors need not fill groups. */
	while (follows && (offset * words < cursor->next || offset * words % STREAM_GROUP_WORDS != 0))
		offset++;
	if ((follows && cursor->ended) || !stream_span(offset, extent->n, words, ret_first, &count))
		return bind_error(&c->args, DRAW_OFFSET, c->err, ERROR_END_OF_STREAM,
				  "%" PRIu64 " samples from sample %" PRIu64
				  " of %u words, allowed is to end by word 2^64, the end of the stream",
				  extent->n, offset, words);
	cursor->ended = !stream_next_position(*ret_first, count, &cursor->next);
	*ret_offset = offset;
	return 0;
}

/* The numbers of a list parameter: an array of numbers, or float64 as bytes. */
static int read_list(const struct compiler *c, unsigned param, double **ret_list, size_t *ret_n)
{
	const struct value *value = c->args.at[param].value;
	const bool array = value && value->kind == VALUE_ARRAY, bytes = value && value->kind == VALUE_BYTES;
	const size_t n = array ? value->array.count : bytes ? value->bytes.size / sizeof(double) : 0;
	double *list;

	if ((!array && !bytes) || (bytes && value->bytes.size % sizeof(double) != 0) || n > LIST_MOST)
		return bind_error(&c->args, param, c->err, ERROR_WRONG_TYPE,
				  "takes an array of at most %d numbers, or their bytes as float64", LIST_MOST);
	list = zone_alloc(c->program->zone, (n + 1) * sizeof *list);
	if (!list)
		return error_set(c->err, ERROR_NO_MEMORY, "%s: no memory for %zu numbers", c->args.context, n);
	if (bytes)
		memcpy(list, value->bytes.at, n * sizeof *list);
	for (size_t i = 0; array && i < n; i++)
		if (!value_to_f64(&value->array.at[i], &list[i]))
			return bind_error(&c->args, param, c->err, ERROR_WRONG_TYPE, "element %zu is no number", i);
	*ret_list = list;
	*ret_n = n;
	return 0;
}

/* The bounds of a range, the second exclusive: within the dtype's values, modulo 2^64 as the laws take them. */
static int read_bound(const struct compiler *c, enum dtype dtype, unsigned param, bool end, union law_value *ret)
{
	const bool is_signed = dtype == DTYPE_I32 || dtype == DTYPE_I64;
	const whole_int values = (whole_int)1 << 8 * dtype_size(dtype);
	const whole_int least = (is_signed ? -values / 2 : 0) + end, most = least + values - 1;
	const whole_int x = c->args.at[param].whole;
	char got[WHOLE_TEXT], from[WHOLE_TEXT], to[WHOLE_TEXT];

	if (x < least || x > most)
		return bind_error(&c->args, param, c->err, ERROR_OUT_OF_RANGE, "got %s, allowed for %s is %s to %s",
				  whole_text(x, got), dtype_name(dtype), whole_text(least, from), whole_text(most, to));
	ret->natural = (uint64_t)x;
	return 0;
}

/* The law's parameters from the row's, which stand in the same order behind those of every draw. */
static int read_parameters(const struct compiler *c, struct draw *draw, double **ret_list, size_t *ret_n)
{
	const struct operation *operation = c->args.operation;
	const struct arg *at = c->args.at + DRAW_COMMON;
	int error = 0;

	for (unsigned i = 0; i + DRAW_COMMON < operation->n_params && !error; i++)
		switch (operation->params[DRAW_COMMON + i].type) {
		case PARAM_F64:
			draw->parameters[i].real = at[i].f64;
			break;
		case PARAM_INT:
			error = read_bound(c, draw->dtype, DRAW_COMMON + i, i > 0, &draw->parameters[i]);
			break;
		case PARAM_U64:
			draw->parameters[i].natural = at[i].u64;
			break;
		case PARAM_CHOICE:
			draw->parameters[i].natural = at[i].choice;
			break;
		default:
			return read_list(c, DRAW_COMMON + i, ret_list, ret_n);
		}
	return error;
}

/* A permutation is of as many items as are drawn, unless it is told otherwise; checked when that is known. */
static int prepare_law(const struct compiler *c, struct draw *draw)
{
	struct law_fault fault;
	double *list = NULL;
	size_t n_list = 0;
	void *table;
	int error = read_parameters(c, draw, &list, &n_list);

	if (error)
		return error;
	if (draw->law == LAW_PERMUTATION && draw->parameters[0].natural == 0)
		draw->parameters[0].natural = 1;
	error = draw_prepare(draw, list, n_list, &table, &fault);
	if (error)
		return bind_error(&c->args, DRAW_COMMON + fault.parameter, c->err, fault.code, "%s", fault.text);
	if (table && zone_defer(c->program->zone, free, table)) {
		free(table);
		return error_set(c->err, ERROR_NO_MEMORY, "%s: no memory", c->args.context);
	}
	return 0;
}

static int put_stream(struct compiler *c, const struct draw *draw, uint64_t offset, uint64_t first,
		      const struct cursor_entry *cursor)
{
	struct zone *zone = c->program->zone;
	struct value *map = c->reply;
	int error = compile_put_stream(c, map, &draw->stream);

	if (error)
		return error;
	if (compile_put_u64(c, DRAW_U64, map, "offset", offset) ||
	    compile_put_u64(c, DRAW_U64, map, "position", first) ||
	    (cursor->ended ? value_add(zone, map, "next", value_nil())
			   : compile_put_u64(c, DRAW_U64, map, "next", cursor->next)))
		return compile_no_memory(c);
	c->last_next = map->map.at[map->map.count - 1].value;
	return value_add(zone, map, "stream_format", value_uint(STREAM_FORMAT)) ? compile_no_memory(c) : 0;
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

/* Which samples of what. */
struct placed {
	struct draw law;
	struct extent extent;
	struct cursor_entry *cursor;
	uint64_t offset, first; /* the whole's first sample, and its first word */
};

/* like: what is filled when the request does not say; may be NULL. */
static int place(struct compiler *c, const struct shape *like, struct placed *ret)
{
	const char *const name = c->args.operation->name;
	struct placed p = {.law = {.law = law_find(name, strlen(name))}};
	struct shape tile;
	bool out;
	int error = compile_stream(c, &p.law.stream);

	if (error)
		return error;
	p.cursor = find_cursor(c, &p.law.stream);
	if (!p.cursor)
		return compile_no_memory(c);
	error = find_dtype(c, &out, &tile, &p.law.dtype);
	if (!error)
		error = prepare_law(c, &p.law);
	if (!error)
		error = find_extent(c, p.law.dtype, draw_components(&p.law), out ? &tile : like, &p.extent);
	if (!error)
		error = place_draw(c, p.cursor, &p.extent, (unsigned)draw_components(&p.law), &p.offset, &p.first);
	if (!error)
		*ret = p;
	return error;
}

static int add_step(struct compiler *c, struct placed *p, struct buffer *buffer)
{
	struct step *step = program_step(c->program, STEP_DRAW, NULL, buffer);

	if (!step)
		return compile_no_memory(c);
	if (p->law.law == LAW_PERMUTATION && c->args.at[DRAW_COMMON].u64 == 0)
		p->law.parameters[0].natural = p->extent.n > 0 ? p->extent.n : 1;
	step->draw.law = p->law;
	step->draw.begin = (p->offset + p->extent.begin) * draw_components(&p->law);
	c->drawn = (struct drawn){p->extent.n, draw_words_per_sample(p->law.dtype) * (unsigned)draw_components(&p->law),
				  (unsigned)draw_components(&p->law), c->args.at[DRAW_U64].choice != 0};
	return 0;
}

int compile_draw(struct compiler *c)
{
	struct placed p;
	struct buffer *buffer;
	int error = place(c, NULL, &p);

	if (!error)
		error = compile_output(c, DRAW_OUT, &p.extent.shape, &buffer);
	if (!error)
		error = add_step(c, &p, buffer);
	if (!error)
		error = compile_reply(c, DRAW_OUT, buffer);
	return error ? error : put_stream(c, &p.law, p.offset, p.first, p.cursor);
}

int compile_draw_like(struct compiler *c, const struct shape *shape, struct buffer **ret_buffer)
{
	struct shape like = {.ndim = 1, .dims = {dtype_is_complex(shape->dtype) ? 2 * shape->n : shape->n}};
	struct buffer *buffer = program_buffer(c->program, BUFFER_TEMP, shape);
	struct placed p;
	int error;

	if (!buffer)
		return compile_no_memory(c);
	like.dtype = bind_dtype(&c->args, DRAW_DTYPE);
	if (!shape_finish(&like))
		return bind_error(&c->args, DRAW_N, c->err, ERROR_OUT_OF_RANGE,
				  "more than 2^62 bytes, allowed are fewer");
	error = place(c, &like, &p);
	if (!error)
		error = add_step(c, &p, buffer);
	if (!error && (value_add(c->program->zone, c->reply, "n", value_uint(p.extent.shape.n)) ||
		       shape_put(&p.extent.shape, c->program->zone, c->reply)))
		error = compile_no_memory(c);
	if (!error)
		error = put_stream(c, &p.law, p.offset, p.first, p.cursor);
	if (!error)
		*ret_buffer = buffer;
	return error;
}

int compile_inside(struct compiler *c, const struct operation *law, const struct value *map, unsigned u64_param,
		   struct value *ret_reply, int (*then)(struct compiler *inner, void *arg), void *arg)
{
	struct args run = {.operation = operation_find("run", 3), .context = c->args.context};
	struct compiler inner = *c;
	struct value none = value_map();
	int error;

	inner.args = (struct args){.operation = law, .context = c->args.context, .in_program = true};
	inner.reply = ret_reply;
	inner.name = NULL;
	error = bind_args(&inner.args, map, c->err);
	if (!error && !c->run) {
		if (value_put(c->program->zone, &none, "steps", value_array()))
			return compile_no_memory(c);
		error = bind_args(&run, &none, c->err);
		run.at[RUN_U64] = c->args.at[u64_param];
		inner.run = &run;
	}
	if (!error)
		error = then(&inner, arg);
	if (error)
		return error;
	c->cursors = inner.cursors;
	c->last_next = inner.last_next;
	return 0;
}

struct samples {
	struct draw law;
	uint64_t begin;
};

static int take_samples(struct compiler *c, void *arg)
{
	struct samples *samples = arg;
	struct placed p;
	const int error = place(c, NULL, &p);

	if (error)
		return error;
	samples->law = p.law;
	samples->begin = p.offset;
	return put_stream(c, &p.law, p.offset, p.first, p.cursor);
}

int compile_samples(struct compiler *c, const struct operation *law, const struct value *map, unsigned u64_param,
		    struct draw *ret_law, uint64_t *ret_begin)
{
	struct samples samples;
	const int error = compile_inside(c, law, map, u64_param, c->reply, take_samples, &samples);

	if (error)
		return error;
	*ret_law = samples.law;
	*ret_begin = samples.begin;
	return 0;
}
