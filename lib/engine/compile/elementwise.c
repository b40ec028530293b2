/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling box_muller, scale and add. Other arithmetic on elements is compiled in algebra.c. */
#include <inttypes.h>

#include "engine/compile/compile.h"

/* Checks that an input is real, or, where `complex`, real or complex. */
static int check_dtype(const struct compiler *c, unsigned param, const struct buffer *in, bool complex)
{
	const enum dtype dtype = in->shape.dtype;

	if (dtype == DTYPE_F32 || dtype == DTYPE_F64 || (complex && dtype_is_complex(dtype)))
		return 0;
	return bind_error(&c->args, param, c->err, ERROR_BAD_SHAPE, "its dtype is %s, allowed are f32%s f64%s",
			  dtype_name(dtype), complex ? "," : " and", complex ? ", c64 and c128" : "");
}

/* Adds the step from `a` to an output of its shape. The step is valid until another is added. */
static int finish_elementwise(struct compiler *c, enum step_kind kind, struct buffer *a, unsigned out_param,
			      struct step **ret_step)
{
	struct buffer *out;
	int error = compile_output(c, out_param, &a->shape, &out);

	if (error)
		return error;
	*ret_step = program_step(c->program, kind, a, out);
	return *ret_step ? 0 : compile_no_memory(c);
}

/* Samples are made in pairs, each from two uniforms. */
int compile_box_muller(struct compiler *c)
{
	struct buffer *in;
	struct step *step;
	int error = compile_input(c, BOX_MULLER_IN, &in);

	if (!error)
		error = check_dtype(c, BOX_MULLER_IN, in, false);
	if (!error && in->shape.n % 2)
		error = bind_error(&c->args, BOX_MULLER_IN, c->err, ERROR_BAD_SHAPE,
				   "it has %" PRIu64 " elements, allowed is an even number", in->shape.n);
	if (!error)
		error = finish_elementwise(c, STEP_BOX_MULLER, in, BOX_MULLER_OUT, &step);
	return error ? error : compile_reply(c, BOX_MULLER_OUT, step->out);
}

int compile_scale(struct compiler *c)
{
	struct buffer *in;
	struct step *step;
	int error = compile_input(c, SCALE_IN, &in);

	if (!error)
		error = check_dtype(c, SCALE_IN, in, true);
	if (!error)
		error = finish_elementwise(c, STEP_SCALE, in, SCALE_OUT, &step);
	if (error)
		return error;
	step->scale.by = c->args.at[SCALE_BY].f64;
	step->scale.plus = c->args.at[SCALE_PLUS].f64;
	return compile_reply(c, SCALE_OUT, step->out);
}

int compile_add(struct compiler *c)
{
	char first[SHAPE_TEXT], second[SHAPE_TEXT];
	struct buffer *a, *b;
	struct step *step;
	int error = compile_input(c, ADD_A, &a);

	if (!error)
		error = compile_input(c, ADD_B, &b);
	if (!error)
		error = check_dtype(c, ADD_A, a, true);
	if (!error && !shape_equal(&a->shape, &b->shape))
		error = bind_error(&c->args, ADD_B, c->err, ERROR_BAD_SHAPE, "it is %s, allowed is that of a, %s",
				   shape_text(&b->shape, second), shape_text(&a->shape, first));
	if (!error)
		error = finish_elementwise(c, STEP_ADD, a, ADD_OUT, &step);
	if (error)
		return error;
	step->in[1] = b;
	return compile_reply(c, ADD_OUT, step->out);
}
