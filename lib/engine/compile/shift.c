/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling fftshift: one step that copies the array with each axis rotated. */
#include <inttypes.h>

#include "engine/compile/compiler.h"

/* Finds the axes to be moved, as bits; all without a list. */
static int find_axes(const struct compiler *c, const struct shape *shape, unsigned *ret_axes)
{
	const struct arg *axes = &c->args.at[SHIFT_AXES];
	const int64_t ndim = shape->ndim;
	unsigned seen = 0;

	if (!axes->given) {
		*ret_axes = (1u << shape->ndim) - 1;
		return 0;
	}
	for (unsigned i = 0; i < axes->axes.count; i++) {
		const int64_t asked = axes->axes.at[i], axis = asked < 0 ? asked + ndim : asked;

		if (axis < 0 || axis >= ndim)
			return bind_error(&c->args, SHIFT_AXES, c->err, ERROR_OUT_OF_RANGE,
					  "got %" PRId64 ", allowed for %u dimensions is %" PRId64 " to %" PRId64, asked,
					  shape->ndim, -ndim, ndim - 1);
		if (seen & 1u << axis)
			return bind_error(&c->args, SHIFT_AXES, c->err, ERROR_OUT_OF_RANGE,
					  "axis %" PRId64 " is given twice, allowed is once", asked);
		seen |= 1u << axis;
	}
	*ret_axes = seen;
	return 0;
}

/* Adds the step: element i of an axis of n goes to (i + n/2) mod n, or back. A rotation cannot be done in place chunk
 * by chunk, so an input that is also the output goes by a temporary. */
static int move_round(struct compiler *c, struct buffer *in, unsigned axes, struct buffer *out)
{
	const bool back = c->args.at[SHIFT_INVERSE].boolean;
	struct buffer *to = in == out ? plan_buffer(c->plan, BUFFER_TEMP, &out->shape) : out;
	struct step *step = to ? plan_step(c->plan, STEP_RESIZE, in, to) : NULL;

	if (!step)
		return compile_no_memory(c);
	for (unsigned i = 0; i < in->shape.ndim; i++) {
		const uint64_t n = in->shape.dims[i];

		if (axes & 1u << i)
			step->resize.shift[i] = back ? n - n / 2 : n / 2;
		if (step->resize.shift[i] == n)
			step->resize.shift[i] = 0;
	}
	return to == out || plan_step(c->plan, STEP_CAST, to, out) ? 0 : compile_no_memory(c);
}

int compile_shift(struct compiler *c)
{
	struct buffer *in, *out;
	unsigned axes = 0;
	int error = compile_floating_input(c, SHIFT_IN, &in);

	if (!error)
		error = find_axes(c, &in->shape, &axes);
	if (!error)
		error = compile_output(c, SHIFT_OUT, &in->shape, &out);
	if (!error)
		error = move_round(c, in, axes, out);
	return error ? error : compile_reply(c, SHIFT_OUT, out);
}
