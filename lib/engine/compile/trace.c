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
static void check_matrix(struct compiler *c, const struct shape *shape)
{
	char has[SHAPE_TEXT];

	if (shape->dtype != DTYPE_F32 && shape->dtype != DTYPE_F64)
		compile_param_error(c, TRACE_IN, ERROR_BAD_SHAPE, "its dtype is %s, allowed are f32 and f64",
				    dtype_name(shape->dtype));
	if (shape->ndim != 2 || shape->dims[0] != shape->dims[1])
		compile_param_error(c, TRACE_IN, ERROR_BAD_SHAPE,
				    "it is %s, allowed are as many rows as columns, and two dimensions",
				    shape_text(shape, has));
}

/* Hutch++ multiplies a third of its products by the sketch's probes, and needs all of them for it. */
static void check_probes(struct compiler *c)
{
	const struct arg *at = c->args.at;
	const bool hutchpp = at[TRACE_METHOD].choice == TRACE_HUTCHPP;
	const uint64_t probes = at[TRACE_PROBES].u64, rank = at[TRACE_RANK].u64, size = at[TRACE_SIZE].u64;

	if (hutchpp && probes < 3)
		compile_param_error(c, TRACE_PROBES, ERROR_OUT_OF_RANGE, "got %" PRIu64 ", allowed for hutchpp is 3 and up",
				    probes);
	if (size > 1 && hutchpp)
		compile_param_error(c, TRACE_SIZE, ERROR_OUT_OF_RANGE,
				    "got %" PRIu64 ", allowed for hutchpp is 1: each part would need the whole sketch",
				    size);
	if (size > probes)
		compile_param_error(c, TRACE_SIZE, ERROR_OUT_OF_RANGE,
				    "got %" PRIu64 ", allowed is at most a part a probe, %" PRIu64, size, probes);
	if (rank >= size)
		compile_param_error(c, TRACE_RANK, ERROR_OUT_OF_RANGE, "got %" PRIu64 ", allowed is 0 to size - 1 = %" PRIu64,
				    rank, size - 1);
}

/* Returns the draw of the probes as the request could have made it itself: what it says of the stream, n and the dtype
 * of the matrix. So a client can draw them again, and they are checked by the same code. */
static struct value draw_map(struct compiler *c, uint64_t n, enum dtype dtype)
{
	static const unsigned kept[] = {TRACE_GENERATOR, TRACE_SEED, TRACE_STREAM, TRACE_LAYOUT, TRACE_OFFSET};
	struct bump *bump = c->plan->bump;
	struct value map = value_map();
	int failed = 0;

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (c->args.at[kept[i]].given)
			failed |= value_add(bump, &map, c->args.operation->params[kept[i]].name, *c->args.at[kept[i]].value);
	failed |= value_add(bump, &map, "n", value_uint(n));
	failed |= value_add(bump, &map, "dtype", value_string(dtype_name(dtype)));
	if (failed)
		compile_no_memory(c);
	return map;
}

/* Places the draw of all probes in the stream, and returns the index of its placement. Hutch++ uses a third of its
 * products for A Q, which takes no new probes (SOSA 2021, algorithm 1). */
static int place_probes(struct compiler *c, const struct shape *matrix, struct draw *ret_draw)
{
	const struct value name =
		bind_choice_text(&c->args.operation->params[TRACE_DISTRIBUTION], c->args.at[TRACE_DISTRIBUTION].choice);
	const uint64_t probes = c->args.at[TRACE_PROBES].u64, k = probes / 3;
	const uint64_t drawn = c->args.at[TRACE_METHOD].choice == TRACE_HUTCHPP ? probes - k : probes;
	struct outer_operation outer;
	struct value map;
	uint64_t n;
	int placement;

	if (__builtin_mul_overflow(matrix->dims[0], drawn, &n))
		compile_param_error(c, TRACE_PROBES, ERROR_END_OF_STREAM, "more samples than a stream has, allowed are fewer");
	map = draw_map(c, n, matrix->dtype);
	compile_enter_draw(c, operation_find(name.bytes.at, name.bytes.size), &map, TRACE_U64, c->reply, &outer);
	placement = compile_samples(c, ret_draw);
	compile_leave_draw(c, &outer);
	return placement;
}

/* The reply's estimate and standard error are written when they are known; no member may come after. */
static void put_reply(struct compiler *c, const struct step *step, struct buffer *out)
{
	const uint64_t probes = step->trace.basis + step->trace.probes;

	compile_put(c, "method",
		    bind_choice_text(&c->args.operation->params[TRACE_METHOD], c->args.at[TRACE_METHOD].choice));
	compile_put(c, "probes", value_uint(probes));
	compile_put(c, "products", value_uint(probes + step->trace.basis));
	compile_add_field(c, FIELD_RESULTS, step->placement);
	compile_put(c, "estimate", value_nil());
	compile_put(c, "standard_error", value_nil());
	compile_reply(c, TRACE_OUT, out);
}

void compile_trace(struct compiler *c)
{
	const struct arg *at = c->args.at;
	const uint64_t probes = at[TRACE_PROBES].u64, basis = at[TRACE_METHOD].choice == TRACE_HUTCHPP ? probes / 3 : 0;
	struct buffer *in = compile_input(c, TRACE_IN), *out;
	struct shape shape = {.dtype = DTYPE_F64, .ndim = 1, .dims = {2}};
	struct placement *placement;
	struct step *step;
	struct draw draw;
	uint64_t first, last;
	int index;

	shape_finish(&shape);
	out = compile_output(c, TRACE_OUT, &shape);
	check_matrix(c, &in->shape);
	check_probes(c);
	index = place_probes(c, &in->shape, &draw);
	if (c->error)
		return;
	stream_rank_part(probes, at[TRACE_RANK].u64, at[TRACE_SIZE].u64, &first, &last);
	placement = &c->plan->placements.at[index];
	placement->begin = first * in->shape.dims[0];
	placement->is_part = at[TRACE_SIZE].u64 > 1;
	step = compile_add_step(c, STEP_TRACE, in, out);
	step->placement = index;
	step->trace.draw = draw;
	step->trace.basis = basis;
	step->trace.probes = last - first - 2 * basis;
	put_reply(c, step, out);
}
