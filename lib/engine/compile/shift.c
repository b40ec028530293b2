/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling fftshift: one step that copies the array with each axis rotated. */
#include <inttypes.h>

#include "engine/compile/compiler.h"

/* Returns the axes to be moved, as bits; all without a list. */
static unsigned find_axes(struct compiler *c, const struct shape *shape)
{
	const struct arg *axes = &c->args.at[SHIFT_AXES];
	const int64_t ndim = shape->ndim;
	unsigned seen = 0;

	if (!axes->given)
		return (1u << shape->ndim) - 1;
	for (unsigned i = 0; i < axes->axes.count && !c->error; i++) {
		const int64_t asked = axes->axes.at[i], axis = asked < 0 ? asked + ndim : asked;

		if (axis < 0 || axis >= ndim)
			compile_param_error(c, SHIFT_AXES, ERROR_OUT_OF_RANGE,
					    "got %" PRId64 ", allowed for %u dimensions is %" PRId64 " to %" PRId64, asked,
					    shape->ndim, -ndim, ndim - 1);
		else if (seen & 1u << axis)
			compile_param_error(c, SHIFT_AXES, ERROR_OUT_OF_RANGE,
					    "axis %" PRId64 " is given twice, allowed is once", asked);
		else
			seen |= 1u << axis;
	}
	return seen;
}

/* Adds the step: element i of an axis of n goes to (i + n/2) mod n, or back. A rotation cannot be done in place chunk
 * by chunk, so an input that is also the output goes by a temporary. */
static void move_round(struct compiler *c, struct buffer *in, unsigned axes, struct buffer *out)
{
	const bool back = c->args.at[SHIFT_INVERSE].boolean;
	struct buffer *to = in == out ? compile_add_temp(c, &out->shape) : out;
	struct step *step = compile_add_step(c, STEP_RESIZE, in, to);

	for (unsigned i = 0; i < in->shape.ndim; i++) {
		const uint64_t n = in->shape.dims[i];

		if (axes & 1u << i)
			step->resize.shift[i] = back ? n - n / 2 : n / 2;
		if (step->resize.shift[i] == n)
			step->resize.shift[i] = 0;
	}
	if (to != out)
		compile_add_step(c, STEP_CAST, to, out);
}

void compile_shift(struct compiler *c)
{
	struct buffer *in = compile_floating_input(c, SHIFT_IN);
	const unsigned axes = find_axes(c, &in->shape);
	struct buffer *out = compile_output(c, SHIFT_OUT, &in->shape);

	move_round(c, in, axes, out);
	compile_reply(c, SHIFT_OUT, out);
}
