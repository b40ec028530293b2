/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/compile/draws/field_steps.h"

#include "engine/compile/draws/draw.h"
#include "engine/compile/signal.h"
#include "engine/compile/transform_request.h"

/* Returns the draw of n numbers as the request could have made it itself. first: the first of the parameters that state its stream, which
 * have the order of these. */
static struct value draw_map(struct compiler *c, unsigned first, uint64_t n, enum dtype dtype)
{
	struct bump *bump = c->plan->bump;
	struct value map = value_map();
	int failed = 0;

	for (unsigned i = first; i <= first + (FIELD_POSITION - FIELD_GENERATOR); i++)
		if (c->args.at[i].given)
			failed |= value_add(bump, &map, c->args.operation->params[i].name, *c->args.at[i].value);
	failed |= value_add(bump, &map, "n", value_uint(n));
	failed |= value_add(bump, &map, "dtype", value_string(dtype_name(dtype)));
	if (failed)
		compile_no_memory(c);
	return map;
}

int field_add_draw(struct compiler *c, const char *distribution, unsigned first, unsigned u64, struct buffer *out)
{
	struct value map = draw_map(c, first, out->shape.n, out->shape.dtype);
	struct outer_operation outer;
	struct draw draw = {0};
	struct step *step;
	int placement;

	compile_enter_draw(c, operation_find(distribution, strlen(distribution)), &map, u64, c->reply, &outer);
	placement = compile_samples(c, &draw);
	compile_leave_draw(c, &outer);
	step = compile_add_step(c, STEP_DRAW, NULL, out);
	step->placement = placement;
	step->draw.draw = draw;
	return placement;
}

int field_add_normals(struct compiler *c, struct buffer *out)
{
	return field_add_draw(c, "normal", FIELD_GENERATOR, FIELD_U64, out);
}

void field_add_transform(struct compiler *c, bool inverse, struct buffer *in, struct buffer *out)
{
	const struct shape *shape = inverse ? &out->shape : &in->shape;
	struct request_fft f = {.n_axes = shape->ndim,
				.inverse = inverse,
				.kind = PLAN_REAL,
				.norm = NORM_BACKWARD,
				.precision = dtype_is_wide(shape->dtype) ? PRECISION_DOUBLE : PRECISION_FAST};

	for (unsigned a = 0; a < shape->ndim; a++) {
		/* The last of the list comes first, but for a real one. Over ranks the axis that was transformed last comes first, too. */
		const unsigned axis = inverse && a + 1 < shape->ndim ? shape->ndim - 2 - a : a;

		f.axes[a] = axis;
		f.lengths[a] = shape->dims[axis];
	}
	transform_axes(c, &f, 0, f.n_axes, in, out)->overwrites_in = inverse && shape->ndim > 1;
}

struct buffer *field_add_temp(struct compiler *c, const struct shape *sizes, enum dtype dtype)
{
	struct shape shape = *sizes;

	shape.dtype = dtype;
	if (!shape_finish(&shape))
		compile_error(c, ERROR_LIMIT, "a temporary of more than 2^62 bytes, allowed are fewer");
	return compile_add_temp(c, &shape);
}

const char *field_keep_text(struct compiler *c, const char *text)
{
	const char *kept = c->error ? NULL : bump_copy(c->plan->bump, text, strlen(text));

	if (!kept)
		compile_no_memory(c);
	return kept;
}

void field_add_task(struct compiler *c, enum fractional_task task, uint64_t n, bool wide, struct buffer *in, struct buffer *second,
		    struct buffer *out)
{
	const double std = c->args.at[FIELD_STD].given ? c->args.at[FIELD_STD].f64 : 1;
	const struct fractional fractional = {.task = task, .n = n, .hurst = c->args.at[FRACTIONAL_HURST].f64, .std = std, .wide = wide};
	const struct fractional *kept = signal_keep(c, &fractional, sizeof fractional);
	struct step *step = compile_add_step(c, STEP_FIELD, in, out);

	step->in[1] = second;
	step->field.fractional = kept;
}

void field_add_mean(struct compiler *c, struct buffer *out)
{
	const double mean = c->args.at[FIELD_MEAN].f64;
	struct step *step;

	if (mean == 0)
		return;
	step = compile_add_step(c, STEP_ALGEBRA, out, out);
	step->algebra = (struct algebra_step){.operation = ALGEBRA_scale, .numbers = {.by = 1, .plus = mean}};
}
