/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles draws: a distribution, an extent and a placement become a step. Positions are found before each run. */
#include <string.h>

#include "distributions/rows/dist_row.h"
#include "engine/compile/compiler.h"
#include "engine/compile/draws/draw.h"
#include "engine/compile/draws/draw_arrays.h"
#include "engine/compile/draws/draw_distribution.h"
#include "engine/compile/draws/draw_extent.h"
#include "engine/compile/draws/draw_layout.h"

/* A draw that has been checked: which samples of which distribution. On its caller's stack. */
struct checked_draw {
	struct draw draw;          /* the distribution with its parameters and tables */
	struct draw_extent extent; /* how many samples, and which */
	int placement;             /* its index in the plan, by which each run finds its position */
	struct buffer *out;        /* that `out` names; NULL */
	struct parameter_arrays arrays;
};

enum dtype compile_draw_dtype(struct compiler *c, enum distribution distribution, const struct buffer *out)
{
	const enum dtype dtype = bind_dtype(&c->args, DRAW_DTYPE);
	const char *allowed = c->args.operation->params[DRAW_DTYPE].choices;

	if (!out || c->args.at[DRAW_DTYPE].given || out->shape.dtype == dtype)
		return dtype;
	if (dist_has_dtype(distribution, out->shape.dtype))
		return out->shape.dtype;
	if (c->args.at[DRAW_OUT].value->kind == VALUE_MAP)
		compile_param_error(c, DRAW_DTYPE, ERROR_OUT_OF_RANGE, "got \"%s\", allowed is %s",
				    dtype_name(out->shape.dtype), allowed);
	else
		compile_param_error(c, DRAW_OUT, ERROR_BAD_SHAPE, "the tile is of dtype %s, allowed is %s",
				    dtype_name(out->shape.dtype), allowed);
	return dtype;
}

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
		.has_layout = all || at[DRAW_LAYOUT].given,
		.has_offset = all || at[DRAW_OFFSET].given || at[DRAW_POSITION].given,
		.has_text = all || at[DRAW_U64].given,
		.generator = at[DRAW_GENERATOR].choice,
		.seed = at[DRAW_SEED].u64,
		.stream = at[DRAW_STREAM].u64,
		.layout = at[DRAW_LAYOUT].choice,
		.offset = at[DRAW_OFFSET].u64,
		.position = at[DRAW_POSITION].u64,
		.text = at[DRAW_U64].choice != 0,
	};
}

int compile_place_draw(struct compiler *c, const struct draw *draw, const struct draw_extent *extent, uint64_t more,
		       const struct stream *same)
{
	struct placement placement = {
		.operation = c->args.operation,
		.context = c->run ? c->run->context : c->args.context,
		.step_name = c->step_name,
		.step = c->run ? (int)c->step : -1,
		.is_part = c->run && c->args.at[DRAW_SIZE].u64 > 1,
		.own = own_choice(c),
		.n = extent->n,
		.more = more,
		.same = same,
		.begin = extent->begin,
		.words = draw_words_per_sample(draw->dtype) * (unsigned)draw_components(draw),
		.components = (unsigned)draw_components(draw),
	};

	compile_place_call(c, draw, &placement);
	return compile_add_placement(c, &placement);
}

/* Checks the bound draw and notes its placement. like: the shape to fill where the request gives no n, shape or out;
 * NULL: one of these is required. The order matters: the dtype decides about tables, and these about components. */
static void check_draw(struct compiler *c, const struct shape *like, struct checked_draw *p)
{
	const char *const name = c->args.operation->name;

	*p = (struct checked_draw){.draw = {.distribution = dist_find(name, strlen(name))}};
	if (c->error) /* perhaps nothing is bound */
		return;
	p->out = compile_given_output(c, DRAW_OUT);
	p->draw.dtype = compile_draw_dtype(c, p->draw.distribution, p->out);
	compile_distribution(c, &p->draw);
	compile_parameter_arrays(c, &p->draw, &p->arrays);
	if (c->error)
		return;
	p->extent = compile_extent(c, p->draw.dtype, draw_components(&p->draw), p->out ? &p->out->shape : like);
	compile_check_arrays(c, &p->arrays, p->extent.n);
	p->draw.layout = compile_layout(c, &p->draw, &p->extent);
	p->placement = compile_place_draw(c, &p->draw, &p->extent, 0, NULL);
}

/* Adds the draw's step. A permutation of 0 items (the default) is one of as many as there are samples, which are known
 * only now; it needs no table. */
static void add_step(struct compiler *c, struct checked_draw *p, struct buffer *buffer)
{
	struct step *step = compile_draw_step(c, &p->arrays, buffer);

	if (dist_row(p->draw.distribution)->zero_is_all && c->args.at[DRAW_COMMON].u64 == 0)
		p->draw.parameters[0].natural = p->extent.n > 0 ? p->extent.n : 1;
	step->placement = p->placement;
	step->draw.draw = p->draw;
}

void compile_draw(struct compiler *c)
{
	struct checked_draw p;
	struct buffer *buffer;

	check_draw(c, NULL, &p);
	buffer = compile_output_to(c, DRAW_OUT, p.out, &p.extent.shape);
	add_step(c, &p, buffer);
	compile_reply(c, DRAW_OUT, buffer);
	compile_put_placement(c, p.placement);
}

struct buffer *compile_draw_like(struct compiler *c, const struct shape *shape)
{
	struct shape like = {.ndim = 1, .dims = {dtype_is_complex(shape->dtype) ? 2 * shape->n : shape->n}};
	struct buffer *buffer = compile_add_temp(c, shape);
	struct checked_draw p;

	if (c->error)
		return buffer;
	like.dtype = bind_dtype(&c->args, DRAW_DTYPE);
	if (!shape_finish(&like))
		compile_param_error(c, DRAW_N, ERROR_OUT_OF_RANGE, "more than 2^62 bytes, allowed are fewer");
	check_draw(c, &like, &p);
	add_step(c, &p, buffer);
	compile_put_shape(c, &p.extent.shape);
	compile_put_placement(c, p.placement);
	return buffer;
}

int compile_samples(struct compiler *c, struct draw *ret_draw)
{
	struct checked_draw p;

	check_draw(c, NULL, &p);
	if (p.draw.layout)
		compile_param_error(c, DRAW_LAYOUT, ERROR_OUT_OF_RANGE, "got %s, allowed here are plain and trn24",
				    layout_rows[p.draw.layout->layout].name);
	compile_put_placement(c, p.placement);
	*ret_draw = p.draw;
	return p.placement;
}

/* A draw inside a step may name a stream of its own, as a step may. */
void compile_enter_draw(struct compiler *c, const struct operation *distribution, const struct value *map,
			unsigned u64_param, struct value *reply, struct outer_operation *ret_outer)
{
	*ret_outer = (struct outer_operation){c->args, c->reply, c->name, c->stream_name};
	if (c->error)
		return;
	c->args.operation = distribution;
	c->args.in_program = true;
	c->args.names_stream = c->run;
	c->reply = reply;
	c->name = NULL;
	if (c->run)
		compile_read_stream_name(c, map);
	compile_bind(c, map);
	if (!c->error && !c->run && !c->args.at[DRAW_U64].given)
		c->args.at[DRAW_U64] = ret_outer->args.at[u64_param];
}

void compile_leave_draw(struct compiler *c, const struct outer_operation *outer)
{
	c->args = outer->args;
	c->reply = outer->reply;
	c->name = outer->name;
	c->stream_name = outer->stream_name;
}
