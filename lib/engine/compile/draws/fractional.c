/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling fractional noise, whose covariance is known on a ring, and surrogates, the phases of a signal drawn anew. */
#include <float.h>

#include "distributions/fields/field.h"
#include "engine/compile/draws/field_params.h"
#include "engine/compile/draws/field_steps.h"
#include "engine/compile/signal.h"

/* The covariance and its transform are the same in every run, so a prepared call computes them once. */
static void add_fractional_steps(struct compiler *c, bool sums, struct buffer *out)
{
	const bool wide = dtype_is_wide(out->shape.dtype);
	const uint64_t n = 2 * field_next_smooth(out->shape.n);
	const struct shape all = {.ndim = 1, .dims = {n}}, bins = {.ndim = 1, .dims = {n / 2 + 1}};
	struct buffer *covariance = field_add_temp(c, &all, DTYPE_F64), *spectrum = field_add_temp(c, &bins, DTYPE_C128);
	struct buffer *ring = field_add_temp(c, &all, out->shape.dtype), *half = field_add_temp(c, &bins, signal_dtype(wide, true));

	field_add_task(c, FRACTIONAL_COVARIANCE, n, wide, NULL, NULL, covariance);
	field_add_transform(c, false, covariance, spectrum);
	field_add_normals(c, ring);
	field_add_transform(c, false, ring, half);
	field_add_task(c, FRACTIONAL_WEIGH, n / 2 + 1, wide, half, spectrum, half);
	field_add_transform(c, true, half, ring);
	compile_add_step(c, STEP_RESIZE, ring, out);
	if (sums)
		field_add_task(c, FRACTIONAL_SUM, out->shape.n, wide, out, NULL, out);
	field_add_mean(c, out);
}

/* Sums grow with the root of n at least, and by n at most; the transforms by n. */
static void compile_fractional(struct compiler *c, bool sums)
{
	struct buffer *given = compile_given_output(c, FIELD_OUT), *out;
	const struct shape shape = field_read_shape(c, given);
	const double std = c->args.at[FIELD_STD].given ? c->args.at[FIELD_STD].f64 : 1;
	char has[SHAPE_TEXT];

	if (shape.ndim != 1 || shape.dims[0] > FFT_MAX_LENGTH / 2)
		compile_param_error(c, FIELD_SHAPE, ERROR_BAD_SHAPE, "it is %s, allowed is one axis of 2 to 2^29 points", shape_text(&shape, has));
	if (!(std * 60 * (double)shape.n < (dtype_is_wide(shape.dtype) ? DBL_MAX : FLT_MAX)))
		compile_param_error(c, FIELD_STD, ERROR_OUT_OF_RANGE, "got %.15g, which overflows %s, allowed is less", std,
				    dtype_name(shape.dtype));
	if (c->error)
		return;
	out = compile_output_to(c, FIELD_OUT, given, &shape);
	add_fractional_steps(c, sums, out);
	compile_reply(c, FIELD_OUT, out);
}

void compile_fgn(struct compiler *c)
{
	compile_fractional(c, false);
}

void compile_fbm(struct compiler *c)
{
	compile_fractional(c, true);
}

/* ---- surrogates ---- */

static void add_phases(struct compiler *c, const struct shape *signals, struct buffer *turns, struct buffer *half)
{
	const uint64_t n = signals->dims[signals->ndim - 1];
	const struct fractional phases = {.task = FRACTIONAL_PHASES,
					  .n = half->shape.n,
					  .wide = dtype_is_wide(signals->dtype),
					  .columns = n / 2 + 1,
					  .has_last = n % 2 == 0};
	const struct fractional *kept = signal_keep(c, &phases, sizeof phases);
	struct step *step = compile_add_step(c, STEP_FIELD, half, half);

	step->in[1] = turns;
	step->field.fractional = kept;
}

void compile_surrogate(struct compiler *c)
{
	struct buffer *in = compile_floating_input(c, SURROGATE_IN), *out, *half, *turns;
	const bool wide = dtype_is_wide(in->shape.dtype);
	struct shape shape = in->shape;
	uint64_t n;
	int plan;

	if (dtype_is_complex(shape.dtype))
		compile_param_error(c, SURROGATE_IN, ERROR_BAD_SHAPE, "its dtype is %s, allowed are f32 and f64", dtype_name(shape.dtype));
	if (shape.ndim == 0 || shape.dims[shape.ndim - 1] < 2 || shape.dims[shape.ndim - 1] > FFT_MAX_LENGTH)
		compile_param_error(c, SURROGATE_IN, ERROR_BAD_SHAPE, "allowed are signals of 2 to 2^30 samples");
	if (c->error)
		return;
	n = shape.dims[shape.ndim - 1];
	out = compile_output(c, SURROGATE_OUT, &in->shape);
	plan = signal_plan(c, n, wide, true);
	shape.dims[shape.ndim - 1] = n / 2 + 1;
	half = field_add_temp(c, &shape, signal_dtype(wide, true));
	turns = field_add_temp(c, &shape, DTYPE_F64);
	signal_transform(c, plan, n, false, 1, in, half);
	field_add_draw(c, "uniform", SURROGATE_GENERATOR, SURROGATE_U64, turns);
	add_phases(c, &in->shape, turns, half);
	signal_transform(c, signal_plan(c, n, wide, true), n, true, 1 / (double)n, half, out);
	compile_reply(c, SURROGATE_OUT, out);
}
