/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling draws: how many samples of what, and which part of them; where they lie is found when that is known. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compile/compile.h"
#include "engine/compile/draw_arrays.h"
#include "engine/program/placement.h"
#include "dist/draw/draw_prepare.h"

/* Samples of the whole draw, and what is produced of them. */
struct extent {
	struct shape shape; /* of what is produced: elements, the components of a sample being its last dimension */
	uint64_t n, begin;  /* samples: the whole; the first that is produced */
};

/* Numbers in a list parameter. */
enum { LIST_MOST = 1 << 24 };

enum { LAYOUT_PLAIN, LAYOUT_TRN24 };

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

/* The numbers of a list parameter. */
struct list {
	const void *at; /* float64; of any alignment where they lie in the request */
	double *own;    /* to be freed; NULL: they lie in the request */
	size_t n;
};

/* Elements of an array, which the frame bounds; bytes may be many more, and are read where they are. */
static int read_elements(const struct compiler *c, unsigned param, const struct value *value, struct list *ret)
{
	double *own = malloc((value->array.count + 1) * sizeof *own);

	if (!own)
		return error_set(c->err, ERROR_NO_MEMORY, "%s: no memory for %zu numbers", c->args.context,
				 value->array.count);
	for (size_t i = 0; i < value->array.count; i++)
		if (!value_to_f64(&value->array.at[i], &own[i])) {
			free(own);
			return bind_error(&c->args, param, c->err, ERROR_WRONG_TYPE, "element %zu is not a number", i);
		}
	*ret = (struct list){own, own, value->array.count};
	return 0;
}

/* An array of numbers, or float64 as bytes. */
static int read_list(const struct compiler *c, unsigned param, struct list *ret)
{
	const struct value *value = c->args.at[param].value;
	const bool array = value && value->kind == VALUE_ARRAY, bytes = value && value->kind == VALUE_BYTES;
	const size_t n = array ? value->array.count : bytes ? value->bytes.size / sizeof(double) : 0;

	if ((!array && !bytes) || (bytes && value->bytes.size % sizeof(double) != 0) || n > LIST_MOST)
		return bind_error(&c->args, param, c->err, ERROR_WRONG_TYPE,
				  "allowed: an array of at most %d numbers, or their bytes as float64", LIST_MOST);
	if (array)
		return read_elements(c, param, value, ret);
	*ret = (struct list){value->bytes.at, NULL, n};
	return 0;
}

/* The bounds of a range, the second exclusive: within the dtype's values, modulo 2^64 as the distributions take them.
 */
static int read_bound(const struct compiler *c, enum dtype dtype, unsigned param, bool end, union dist_value *ret)
{
	const bool is_signed = dtype == DTYPE_I32 || dtype == DTYPE_I64;
	const int128 values = (int128)1 << 8 * dtype_size(dtype);
	const int128 least = (is_signed ? -values / 2 : 0) + end, most = least + values - 1;
	const int128 x = c->args.at[param].whole;
	char got[INT128_TEXT_BYTES], from[INT128_TEXT_BYTES], to[INT128_TEXT_BYTES];

	if (x < least || x > most)
		return bind_error(&c->args, param, c->err, ERROR_OUT_OF_RANGE, "got %s, allowed for %s is %s to %s",
				  int128_text(x, got), dtype_name(dtype), int128_text(least, from), int128_text(most, to));
	ret->natural = (uint64_t)x;
	return 0;
}

/* The distribution's parameters from the row's, which stand in the same order behind those of every draw. */
static int read_parameters(const struct compiler *c, struct draw *draw, struct list *ret_list)
{
	const struct operation *operation = c->args.operation;
	const struct arg *at = c->args.at + DRAW_COMMON;
	int error = 0;

	for (unsigned i = 0; i + DRAW_COMMON < operation->n_params && !error; i++)
		switch (at[i].is_array ? PARAM_TILE : operation->params[DRAW_COMMON + i].type) {
		case PARAM_TILE:
			break;
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
			return read_list(c, DRAW_COMMON + i, ret_list);
		}
	return error;
}

/* A distribution's table that is made later. */
struct deferred_table {
	struct deferred_build build;
	struct draw_builder builder;
	double *list; /* its own; NULL */
	const struct operation *operation;
	char *context;
};

static int report_fault(const char *context, const struct operation *operation, const struct dist_fault *fault,
			struct error *err)
{
	return error_set(err, fault->code, "%s: %s: %s", context, operation->params[DRAW_COMMON + fault->parameter].name,
			 fault->text);
}

static void end_table(void *arg)
{
	struct deferred_table *table = arg;

	draw_builder_free(&table->builder);
	free(table->list);
	table->list = NULL;
}

static int make_table(struct deferred_build *build, struct error *err)
{
	struct deferred_table *table = (struct deferred_table *)build;
	struct dist_fault fault;
	const int more = draw_builder_step(&table->builder, &fault);

	if (more < 0)
		return report_fault(table->context, table->operation, &fault, err);
	if (more == 0)
		end_table(table);
	return more;
}

static int check_table(struct deferred_build *build, struct error *err)
{
	struct deferred_table *table = (struct deferred_table *)build;
	struct dist_fault fault;

	return draw_builder_check(&table->builder, &fault) ? report_fault(table->context, table->operation, &fault, err)
							   : 0;
}

/* Takes the list, whatever happens. */
static int note_table(const struct compiler *c, const struct draw_builder *builder, double *list)
{
	struct program *program = c->program;
	struct deferred_table *table = bump_alloc(program->bump, sizeof *table);
	char *context = bump_copy(program->bump, c->args.context, strlen(c->args.context));

	if (!table || !context) {
		free(list);
		return error_set(c->err, ERROR_NO_MEMORY, "%s: no memory", c->args.context);
	}
	*table = (struct deferred_table){.build = {.piece = make_table, .check = check_table},
					 .builder = *builder,
					 .list = list,
					 .operation = c->args.operation,
					 .context = context};
	table->build.checks = builder->is_checked ? 0 : builder->n_list;
	if (bump_defer(program->bump, end_table, table)) {
		free(list);
		return error_set(c->err, ERROR_NO_MEMORY, "%s: no memory", c->args.context);
	}
	program->deferred.work_bytes =
		builder->work_bytes > program->deferred.work_bytes ? builder->work_bytes : program->deferred.work_bytes;
	deferred_build_add(&program->deferred, &table->build);
	return 0;
}

static int make_table_here(const struct compiler *c, struct draw_builder *builder, double *list)
{
	struct dist_fault fault;
	int more;

	do
		more = draw_builder_step(builder, &fault);
	while (more > 0);
	draw_builder_free(builder);
	free(list);
	return more ? report_fault(c->args.context, c->args.operation, &fault, c->err) : 0;
}

/* Takes the list, whatever happens. */
static int begin_table(const struct compiler *c, struct draw *draw, const struct list *list)
{
	struct dist_fault fault;
	struct draw_builder builder;

	if (draw_builder_begin(draw, list->at, list->n, &builder, &fault)) {
		free(list->own);
		return report_fault(c->args.context, c->args.operation, &fault, c->err);
	}
	if (!builder.table) {
		free(list->own);
		return 0;
	}
	if (bump_defer(c->program->bump, free, builder.table)) {
		free(builder.table);
		free(list->own);
		return error_set(c->err, ERROR_NO_MEMORY, "%s: no memory", c->args.context);
	}
	c->program->deferred.held_bytes += draw_table_bytes(draw);
	if (deferred_build_is_small(&c->program->deferred, builder.cost_ns))
		return make_table_here(c, &builder, list->own);
	return note_table(c, &builder, list->own);
}

/* Numbers that are bytes of the request may lie anywhere, and go with it. Too many are refused by deferred_build_check.
 */
static int own_list(const struct compiler *c, const struct draw *draw, struct list *list)
{
	const bool small = list->n <= DIST_MAX_COMPONENTS;

	if (list->own ||
	    !(draw->distribution == DIST_DIRICHLET || draw->distribution == DIST_MULTINOMIAL ? small : c->program->outlives && list->n <= DEFERRED_CHECKS_MAX))
		return 0;
	list->own = malloc((list->n + 1) * sizeof *list->own);
	if (!list->own)
		return error_set(c->err, ERROR_NO_MEMORY, "%s: no memory for %zu numbers", c->args.context, list->n);
	if (list->n)
		memcpy(list->own, list->at, list->n * sizeof *list->own);
	list->at = list->own;
	return 0;
}

static bool has_arrays(const struct compiler *c)
{
	for (size_t i = DRAW_COMMON; i < c->args.operation->n_params; i++)
		if (c->args.at[i].is_array)
			return true;
	return false;
}

/* A permutation has as many items as samples (default); checked once their number is known. */
static int prepare_distribution(const struct compiler *c, struct draw *draw)
{
	struct list list = {.n = 0};
	int error = read_parameters(c, draw, &list);

	if (has_arrays(c))
		return error; /* each sample's parameters are checked when it is drawn */

	if (!error)
		error = own_list(c, draw, &list);
	if (error)
		return error;
	if (draw->distribution == DIST_PERMUTATION && draw->parameters[0].natural == 0)
		draw->parameters[0].natural = 1;
	return begin_table(c, draw, &list);
}

static int find_dtype(struct compiler *c, enum distribution distribution, bool *ret_out, struct shape *ret_tile,
		      enum dtype *ret_dtype)
{
	int error = compile_out_shape(c, DRAW_OUT, ret_out, ret_tile);

	if (error)
		return error;
	*ret_dtype = bind_dtype(&c->args, DRAW_DTYPE);
	if (!*ret_out || c->args.at[DRAW_DTYPE].given || ret_tile->dtype == *ret_dtype)
		return 0;
	if (!dist_has_dtype(distribution, ret_tile->dtype) && c->args.at[DRAW_OUT].value->kind == VALUE_MAP)
		return bind_error(&c->args, DRAW_DTYPE, c->err, ERROR_OUT_OF_RANGE, "got \"%s\", allowed is %s",
				  dtype_name(ret_tile->dtype), c->args.operation->params[DRAW_DTYPE].choices);
	if (!dist_has_dtype(distribution, ret_tile->dtype))
		return bind_error(&c->args, DRAW_OUT, c->err, ERROR_BAD_SHAPE, "the tile is of dtype %s, allowed is %s",
				  dtype_name(ret_tile->dtype), c->args.operation->params[DRAW_DTYPE].choices);
	*ret_dtype = ret_tile->dtype;
	return 0;
}

/* Which samples of what. */
struct placed {
	struct draw draw;
	struct extent extent;
	int placement;
	struct parameter_arrays arrays;
};

/* What the draw states itself; all of it, when it is no step, and its place nobody else's to say. */
static struct stream_choice own_choice(const struct compiler *c)
{
	const struct arg *at = c->args.at;
	const bool all = !c->run && !c->stream_name;

	return (struct stream_choice){
		.has_generator = all || at[DRAW_GENERATOR].given,
		.has_seed = all || at[DRAW_SEED].given,
		.has_stream = all || at[DRAW_STREAM].given,
		.has_layout = all || at[DRAW_KEY_LAYOUT].given,
		.has_offset = all || at[DRAW_OFFSET].given || at[DRAW_POSITION].given,
		.has_text = all || at[DRAW_U64].given,
		.generator = at[DRAW_GENERATOR].choice,
		.seed = at[DRAW_SEED].u64,
		.stream = at[DRAW_STREAM].u64,
		.trn24 = at[DRAW_KEY_LAYOUT].choice == LAYOUT_TRN24,
		.offset = at[DRAW_OFFSET].u64,
		.position = at[DRAW_POSITION].u64,
		.text = at[DRAW_U64].choice != 0,
	};
}

static int add_placement(struct compiler *c, struct placed *p)
{
	const struct placement placement = {
		.operation = c->args.operation,
		.context = c->run ? c->run->context : c->args.context,
		.step_name = c->step_name,
		.step = c->run ? (int)c->step : -1,
		.is_part = c->run && c->args.at[DRAW_SIZE].u64 > 1,
		.own = own_choice(c),
		.n = p->extent.n,
		.begin = p->extent.begin,
		.words = draw_words_per_sample(p->draw.dtype) * (unsigned)draw_components(&p->draw),
		.components = (unsigned)draw_components(&p->draw),
	};

	return placement_add(c->program, &placement, c->stream_name, &p->placement) ? compile_no_memory(c) : 0;
}

/* like: what is filled when the request does not say; may be NULL. */
static int place(struct compiler *c, const struct shape *like, struct placed *ret)
{
	const char *const name = c->args.operation->name;
	struct placed p = {.draw = {.distribution = dist_find(name, strlen(name))}};
	struct shape tile;
	bool out;
	int error = find_dtype(c, p.draw.distribution, &out, &tile, &p.draw.dtype);

	if (!error)
		error = prepare_distribution(c, &p.draw);
	if (!error)
		error = compile_parameter_arrays(c, &p.draw, &p.arrays);
	if (!error)
		error = find_extent(c, p.draw.dtype, draw_components(&p.draw), out ? &tile : like, &p.extent);
	if (!error)
		error = add_placement(c, &p);
	if (!error)
		*ret = p;
	return error;
}

static int put_placement(struct compiler *c, int placement)
{
	return placement_put(c->program, placement, c->reply) ? compile_no_memory(c) : 0;
}

static int add_step(struct compiler *c, struct placed *p, struct buffer *buffer)
{
	struct step *step;
	const int error = compile_draw_step(c, &p->arrays, buffer, &step);

	if (error)
		return error;
	if (p->draw.distribution == DIST_PERMUTATION && c->args.at[DRAW_COMMON].u64 == 0)
		p->draw.parameters[0].natural = p->extent.n > 0 ? p->extent.n : 1;
	step->placement = p->placement;
	step->draw.draw = p->draw;
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
	return error ? error : put_placement(c, p.placement);
}

int compile_draw_like(struct compiler *c, const struct shape *shape, struct buffer **ret_buffer, int *ret_placement)
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
	if (!error && (value_add(c->program->bump, c->reply, "n", value_uint(p.extent.shape.n)) ||
		       shape_put(&p.extent.shape, c->program->bump, c->reply)))
		error = compile_no_memory(c);
	if (!error)
		error = put_placement(c, p.placement);
	if (error)
		return error;
	*ret_buffer = buffer;
	*ret_placement = p.placement;
	return 0;
}

/* Inside a step it says what it leaves out as that step's program does. */
static int name_stream(struct compiler *inner, const struct value *map)
{
	const struct value *name = inner->run ? value_get(map, "stream_name") : NULL;

	inner->args.names_stream = inner->run;
	if (!name)
		return 0;
	if (name->kind != VALUE_STRING && name->kind != VALUE_BYTES)
		return error_set(inner->err, ERROR_WRONG_TYPE, "%s: stream_name: takes the name of a stream",
				 inner->args.context);
	inner->stream_name = name;
	return 0;
}

int compile_inside(struct compiler *c, const struct operation *distribution, const struct value *map,
		   unsigned u64_param, struct value *ret_reply, int (*then)(struct compiler *inner, void *arg),
		   void *arg)
{
	struct compiler inner = *c;
	int error;

	inner.args = (struct args){.operation = distribution, .context = c->args.context, .in_program = true};
	inner.reply = ret_reply;
	inner.name = NULL;
	error = name_stream(&inner, map);
	if (!error)
		error = bind_args(&inner.args, map, c->err);
	if (!error && !c->run && !inner.args.at[DRAW_U64].given)
		inner.args.at[DRAW_U64] = c->args.at[u64_param];
	return error ? error : then(&inner, arg);
}

struct samples {
	struct draw draw;
	int placement;
};

static int take_samples(struct compiler *c, void *arg)
{
	struct samples *samples = arg;
	struct placed p;
	const int error = place(c, NULL, &p);

	if (error)
		return error;
	samples->draw = p.draw;
	samples->placement = p.placement;
	return put_placement(c, p.placement);
}

int compile_samples(struct compiler *c, const struct operation *distribution, const struct value *map,
		    unsigned u64_param, struct draw *ret_draw, int *ret_placement)
{
	struct samples samples;
	const int error = compile_inside(c, distribution, map, u64_param, c->reply, take_samples, &samples);

	if (error)
		return error;
	*ret_draw = samples.draw;
	*ret_placement = samples.placement;
	return 0;
}
