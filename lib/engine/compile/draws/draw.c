/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles draws: a distribution, an extent and a placement become a step. Positions are found before each run. */
#include <string.h>

#include "engine/compile/compiler.h"
#include "engine/compile/draws/draw_arrays.h"
#include "engine/compile/draws/draw_distribution.h"
#include "engine/compile/draws/draw_extent.h"
#include "engine/call/placement.h"

enum { LAYOUT_PLAIN, LAYOUT_TRN24 };

/* The dtype is that of `dtype`, or else of the tile, or else the distribution's default. */
static int find_dtype(struct compiler *c, enum distribution distribution, struct buffer **ret_out, enum dtype *ret_dtype)
{
	struct buffer *out = NULL;
	int error = compile_given_output(c, DRAW_OUT, &out);

	if (error)
		return error;
	*ret_out = out;
	*ret_dtype = bind_dtype(&c->args, DRAW_DTYPE);
	if (!out || c->args.at[DRAW_DTYPE].given || out->shape.dtype == *ret_dtype)
		return 0;
	if (!dist_has_dtype(distribution, out->shape.dtype) && c->args.at[DRAW_OUT].value->kind == VALUE_MAP)
		return bind_error(&c->args, DRAW_DTYPE, c->err, ERROR_OUT_OF_RANGE, "got \"%s\", allowed is %s",
				  dtype_name(out->shape.dtype), c->args.operation->params[DRAW_DTYPE].choices);
	if (!dist_has_dtype(distribution, out->shape.dtype))
		return bind_error(&c->args, DRAW_OUT, c->err, ERROR_BAD_SHAPE, "the tile is of dtype %s, allowed is %s",
				  dtype_name(out->shape.dtype), c->args.operation->params[DRAW_DTYPE].choices);
	*ret_dtype = out->shape.dtype;
	return 0;
}

/* A draw that has been checked: which samples of which distribution. On its caller's stack. */
struct checked_draw {
	struct draw draw;          /* the distribution with its parameters and tables */
	struct draw_extent extent; /* how many samples, and which */
	int placement;             /* its index in the plan, by which each run finds its position */
	struct buffer *out;        /* that `out` names; NULL */
	struct parameter_arrays arrays;
};

/* Returns what the draw states itself. A draw on its own states everything, by its defaults; a step leaves what it does
 * not give to the run, and a draw of a named stream leaves the position to the stream. */
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

/* Notes where the draw lies, for placement_seek, which finds its position before each run: behind the draw before it
 * in the same stream, at the run's offset, or in a range of a named stream. */
static int add_placement(struct compiler *c, struct checked_draw *p)
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

	return placement_add(c->plan, &placement, c->stream_name, &p->placement) ? compile_no_memory(c) : 0;
}

/* Checks the bound draw and notes its placement. like: the shape to fill where the request gives no n, shape or out;
 * NULL: one of these is required. The order matters: the dtype decides about tables, and these about components. */
static int check_draw(struct compiler *c, const struct shape *like, struct checked_draw *ret)
{
	const char *const name = c->args.operation->name;
	struct checked_draw p = {.draw = {.distribution = dist_find(name, strlen(name))}};
	int error = find_dtype(c, p.draw.distribution, &p.out, &p.draw.dtype);

	if (!error)
		error = compile_distribution(c, &p.draw);
	if (!error)
		error = compile_parameter_arrays(c, &p.draw, &p.arrays);
	if (!error)
		error = compile_extent(c, p.draw.dtype, draw_components(&p.draw), p.out ? &p.out->shape : like, &p.extent);
	if (!error)
		error = compile_check_arrays(c, &p.arrays, p.extent.n);
	if (!error)
		error = add_placement(c, &p);
	if (!error)
		*ret = p;
	return error;
}

/* Puts the members of the reply that say where the samples lie. They are filled in before each run. */
static int put_placement(struct compiler *c, int placement)
{
	return placement_put(c->plan, placement, c->reply) ? compile_no_memory(c) : 0;
}

/* Adds the draw's step. A permutation of 0 items (the default) is one of as many as there are samples, which are known
 * only now; it needs no table. */
static int add_step(struct compiler *c, struct checked_draw *p, struct buffer *buffer)
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
	struct checked_draw p;
	struct buffer *buffer;
	int error = check_draw(c, NULL, &p);

	if (!error)
		error = compile_output_to(c, DRAW_OUT, p.out, &p.extent.shape, &buffer);
	if (!error)
		error = add_step(c, &p, buffer);
	if (!error)
		error = compile_reply(c, DRAW_OUT, buffer);
	return error ? error : put_placement(c, p.placement);
}

int compile_draw_like(struct compiler *c, const struct shape *shape, struct buffer **ret_buffer, int *ret_placement)
{
	struct shape like = {.ndim = 1, .dims = {dtype_is_complex(shape->dtype) ? 2 * shape->n : shape->n}};
	struct buffer *buffer = plan_buffer(c->plan, BUFFER_TEMP, shape);
	struct checked_draw p;
	int error;

	if (!buffer)
		return compile_no_memory(c);
	like.dtype = bind_dtype(&c->args, DRAW_DTYPE);
	if (!shape_finish(&like))
		return bind_error(&c->args, DRAW_N, c->err, ERROR_OUT_OF_RANGE,
				  "more than 2^62 bytes, allowed are fewer");
	error = check_draw(c, &like, &p);
	if (!error)
		error = add_step(c, &p, buffer);
	if (!error && (value_add(c->plan->bump, c->reply, "n", value_uint(p.extent.shape.n)) ||
		       shape_put(&p.extent.shape, c->plan->bump, c->reply)))
		error = compile_no_memory(c);
	if (!error)
		error = put_placement(c, p.placement);
	if (error)
		return error;
	*ret_buffer = buffer;
	*ret_placement = p.placement;
	return 0;
}

/* A draw inside a step may name a stream of its own, as a step may. */
static int name_stream(struct compiler *inner, const struct value *map)
{
	const struct value *name = inner->run ? value_get(map, "stream_name") : NULL;

	inner->args.names_stream = inner->run;
	if (!name)
		return 0;
	if (name->kind != VALUE_STRING && name->kind != VALUE_BYTES)
		return error_set(inner->err, ERROR_WRONG_TYPE, "%s: stream_name: got %s, allowed is the name of a stream",
				 inner->args.context, bind_kind_text(name->kind));
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

/* What take_samples passes back to compile_samples. */
struct samples {
	struct draw draw;
	int placement;
};

/* Of samples that the operation draws itself, only draw and place are wanted. */
static int take_samples(struct compiler *c, void *arg)
{
	struct samples *samples = arg;
	struct checked_draw p;
	const int error = check_draw(c, NULL, &p);

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
