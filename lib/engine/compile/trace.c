/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling estimates of a trace: a draw of n samples a probe, as a program's step would draw them, and one step.
 *
 * Sources: M. F. Hutchinson, Commun. Statist. Simula. 18 (1989) 1059; R. A. Meyer, C. Musco, C. Musco, D. P. Woodruff,
 * Hutch++, SOSA 2021. */
#include <inttypes.h>
#include <string.h>

#include "engine/compile/compiler.h"

enum { TRACE_HUTCHINSON, TRACE_HUTCHPP };

/* Checks that the input is one square matrix of reals. */
static int check_matrix(const struct compiler *c, const struct shape *shape)
{
	char has[SHAPE_TEXT];

	if (shape->dtype != DTYPE_F32 && shape->dtype != DTYPE_F64)
		return bind_error(&c->args, TRACE_IN, c->err, ERROR_BAD_SHAPE,
				  "its dtype is %s, allowed are f32 and f64", dtype_name(shape->dtype));
	if (shape->ndim != 2 || shape->dims[0] != shape->dims[1])
		return bind_error(&c->args, TRACE_IN, c->err, ERROR_BAD_SHAPE,
				  "it is %s, allowed are as many rows as columns, and two dimensions",
				  shape_text(shape, has));
	return 0;
}

/* Hutch++ multiplies a third of its products by the sketch's probes, and needs all of them for it. */
static int check_probes(const struct compiler *c)
{
	const struct arg *at = c->args.at;
	const bool hutchpp = at[TRACE_METHOD].choice == TRACE_HUTCHPP;
	const uint64_t probes = at[TRACE_PROBES].u64, rank = at[TRACE_RANK].u64, size = at[TRACE_SIZE].u64;

	if (hutchpp && probes < 3)
		return bind_error(&c->args, TRACE_PROBES, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed for hutchpp is 3 and up", probes);
	if (size > 1 && hutchpp)
		return bind_error(&c->args, TRACE_SIZE, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed for hutchpp is 1: each part would need the whole sketch",
				  size);
	if (size > probes)
		return bind_error(&c->args, TRACE_SIZE, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed is at most a part a probe, %" PRIu64, size, probes);
	if (rank >= size)
		return bind_error(&c->args, TRACE_RANK, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed is 0 to size - 1 = %" PRIu64, rank, size - 1);
	return 0;
}

/* The probes are a draw as the request could have made it itself: what it says of the stream, n and the dtype of the
 * matrix. So a client can draw them again, and they are checked by the same code. */
static int draw_map(struct compiler *c, uint64_t n, enum dtype dtype, struct value *ret)
{
	static const unsigned kept[] = {TRACE_GENERATOR, TRACE_SEED, TRACE_STREAM, TRACE_KEY_LAYOUT, TRACE_OFFSET};
	struct bump *bump = c->plan->bump;
	struct value map = value_map();
	int error = 0;

	for (size_t i = 0; i < sizeof kept / sizeof *kept && !error; i++)
		if (c->args.at[kept[i]].given)
			error = value_put(bump, &map, c->args.operation->params[kept[i]].name,
					  *c->args.at[kept[i]].value);
	if (error || value_put(bump, &map, "n", value_uint(n)) ||
	    value_put(bump, &map, "dtype", value_string(dtype_name(dtype))))
		return compile_no_memory(c);
	*ret = map;
	return 0;
}

/* Places the draw of all probes in the stream. Hutch++ uses a third of its products for A Q, which takes no new
 * probes (SOSA 2021, algorithm 1). */
static int place_probes(struct compiler *c, const struct shape *matrix, struct draw *ret_draw, int *ret_placement)
{
	const struct value distribution =
		bind_choice_text(&c->args.operation->params[TRACE_DISTRIBUTION], c->args.at[TRACE_DISTRIBUTION].choice);
	const uint64_t probes = c->args.at[TRACE_PROBES].u64, k = probes / 3;
	const uint64_t drawn = c->args.at[TRACE_METHOD].choice == TRACE_HUTCHPP ? probes - k : probes;
	struct value map;
	uint64_t n;

	if (__builtin_mul_overflow(matrix->dims[0], drawn, &n))
		return bind_error(&c->args, TRACE_PROBES, c->err, ERROR_END_OF_STREAM,
				  "more samples than a stream has, allowed are fewer");
	int error = draw_map(c, n, matrix->dtype, &map);

	return error ? error
		     : compile_samples(c, operation_find(distribution.bytes.at, distribution.bytes.size), &map,
				       TRACE_U64, ret_draw, ret_placement);
}

/* The reply's estimate and standard error are written when they are known; no member may come after. */
static int put_reply(struct compiler *c, const struct step *step, struct buffer *out)
{
	const struct value method =
		bind_choice_text(&c->args.operation->params[TRACE_METHOD], c->args.at[TRACE_METHOD].choice);
	struct bump *bump = c->plan->bump;
	const uint64_t probes = step->trace.basis + step->trace.probes;

	if (value_put(bump, c->reply, "method", method) ||
	    value_put(bump, c->reply, "probes", value_uint(probes)) ||
	    value_put(bump, c->reply, "products", value_uint(probes + step->trace.basis)))
		return compile_no_memory(c);
	if (compile_field(c, FIELD_ESTIMATE, step->placement) ||
	    value_put(bump, c->reply, "estimate", value_nil()) ||
	    value_put(bump, c->reply, "standard_error", value_nil()))
		return compile_no_memory(c);
	return compile_reply(c, TRACE_OUT, out);
}

int compile_trace(struct compiler *c)
{
	const struct arg *at = c->args.at;
	struct shape shape = {.dtype = DTYPE_F64, .ndim = 1, .dims = {2}};
	struct buffer *in, *out;
	struct step *step;
	struct draw draw;
	uint64_t first, last;
	struct placement *placement;
	int at_site = -1;
	int error = compile_input(c, TRACE_IN, &in);

	shape_finish(&shape);
	if (!error)
		error = compile_output(c, TRACE_OUT, &shape, &out);
	if (!error)
		error = check_matrix(c, &in->shape);
	if (!error)
		error = check_probes(c);
	if (!error)
		error = place_probes(c, &in->shape, &draw, &at_site);
	if (error)
		return error;
	stream_partition(at[TRACE_PROBES].u64, at[TRACE_RANK].u64, at[TRACE_SIZE].u64, &first, &last);
	step = plan_step(c->plan, STEP_TRACE, in, out);
	if (!step)
		return compile_no_memory(c);
	step->trace.draw = draw;
	step->placement = at_site;
	step->trace.basis = at[TRACE_METHOD].choice == TRACE_HUTCHPP ? at[TRACE_PROBES].u64 / 3 : 0;
	step->trace.probes = last - first - 2 * step->trace.basis;
	placement = &c->plan->placements.at[at_site];
	placement->begin = first * in->shape.dims[0];
	placement->is_part = at[TRACE_SIZE].u64 > 1;
	return put_reply(c, step, out);
}
