/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling arithmetic on elements, and reductions along axes.
 *
 * The first operand decides the result's shape; later ones are repeated to it, as numpy broadcasts along leading axes.
 * A result that is also an operand is allowed only where elements meet themselves. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/compile/compiler.h"
#include "engine/steps/reduce.h"
#include "math/algebra.h"

/* By the kernels' number of the operation. */
static const char *const names[ALGEBRA_COUNT] = {
#define X(operation) #operation,
	ALGEBRA_OPERATIONS(X)
#undef X
};

/* Returns the kernels' number of the operation whose row is compiled. Their names are the operations' own, so the
 * search always ends. */
static unsigned operation_of(const struct compiler *c)
{
	unsigned operation = 0;

	while (strcmp(names[operation], c->args.operation->name) != 0)
		operation++;
	return operation;
}

/* Not every operation has complex kernels (an order) or real ones (imag); the error lists those that there are. */
static void check_dtype(struct compiler *c, unsigned param, unsigned operation, enum dtype dtype)
{
	const bool real = step_algebra_has(operation, DTYPE_F32), complex = step_algebra_has(operation, DTYPE_C64);

	if (!step_algebra_has(operation, dtype))
		compile_param_error(c, param, ERROR_BAD_SHAPE, "its dtype is %s, allowed are %s", dtype_name(dtype),
				    !complex ? "f32 and f64" : real ? "f32, f64, c64 and c128" : "c64 and c128");
}

/* Returns whether an operand can be repeated over the result: it has one element, or the result's last dimensions. */
static bool can_broadcast(const struct shape *operand, const struct shape *result)
{
	const unsigned skip = result->ndim - operand->ndim;

	if (operand->n == 1)
		return true;
	return operand->ndim <= result->ndim &&
	       memcmp(operand->dims, result->dims + skip, operand->ndim * sizeof *operand->dims) == 0;
}

/* Only the later operands repeat: the result has the shape of the first one. */
static void check_shape(struct compiler *c, unsigned param, const struct shape *operand, const struct shape *first)
{
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];

	if (!can_broadcast(operand, first))
		compile_param_error(c, param, ERROR_BAD_SHAPE,
				    "it is %s, allowed is one element, or the shape or last dimensions of %s",
				    shape_text(operand, has), shape_text(first, needs));
}

/* Returns the dtype of a complex dtype's parts, or a real dtype itself. */
static enum dtype real_of(enum dtype dtype)
{
	return dtype == DTYPE_C64 ? DTYPE_F32 : dtype == DTYPE_C128 ? DTYPE_F64 : dtype;
}

/* Adds the step, whose result has in[0]'s shape and that dtype, and its reply. */
static void add_step(struct compiler *c, struct algebra_step algebra, struct buffer *const in[3], enum dtype dtype,
		     unsigned out_param)
{
	struct shape shape = in[0]->shape;
	struct buffer *out;
	struct step *step;
	bool resized = false;

	shape.dtype = dtype;
	shape_finish(&shape);
	out = compile_output(c, out_param, &shape);
	for (unsigned k = 0; k < 3; k++) {
		if (in[k] == out && in[k]->shape.n != out->shape.n)
			compile_param_error(c, out_param, ERROR_BAD_TILE,
					    "the output is an operand that repeats, allowed is another tile");
		resized = resized || (in[k] && dtype_size(in[k]->shape.dtype) != dtype_size(dtype));
	}
	step = compile_add_step(c, resized ? STEP_ALGEBRA_RESIZED : STEP_ALGEBRA, in[0], out);
	step->in[1] = in[1];
	step->in[2] = in[2];
	step->algebra = algebra;
	compile_reply(c, out_param, out);
}

/* abs, real and imag of complex elements are real. */
void compile_unary(struct compiler *c)
{
	const unsigned operation = operation_of(c);
	const bool narrows = operation == ALGEBRA_abs || operation == ALGEBRA_real || operation == ALGEBRA_imag;
	struct buffer *in[3] = {compile_input(c, UNARY_IN)};
	const enum dtype dtype = in[0]->shape.dtype;

	check_dtype(c, UNARY_IN, operation, dtype);
	add_step(c, (struct algebra_step){.operation = operation}, in, narrows ? real_of(dtype) : dtype, UNARY_OUT);
}

/* The second operand is of the first one's dtype; a factor or a divisor of a complex one may be real. */
void compile_binary(struct compiler *c)
{
	unsigned operation = operation_of(c);
	const bool scales = operation == ALGEBRA_multiply || operation == ALGEBRA_divide;
	struct buffer *in[3] = {compile_input(c, ADD_A)};
	const enum dtype first = in[0]->shape.dtype;
	enum dtype second;

	in[1] = compile_input(c, ADD_B);
	second = in[1]->shape.dtype;
	check_dtype(c, ADD_A, operation, first);
	if (second == real_of(first) && second != first && operation == ALGEBRA_multiply)
		operation = ALGEBRA_multiply_real;
	else if (second == real_of(first) && second != first && operation == ALGEBRA_divide)
		operation = ALGEBRA_divide_real;
	else if (second != first)
		compile_param_error(c, ADD_B, ERROR_BAD_SHAPE, "its dtype is %s, allowed beside %s is %s%s%s",
				    dtype_name(second), dtype_name(first), dtype_name(first),
				    dtype_is_complex(first) && scales ? " or " : "",
				    dtype_is_complex(first) && scales ? dtype_name(real_of(first)) : "");
	check_shape(c, ADD_B, &in[1]->shape, &in[0]->shape);
	add_step(c, (struct algebra_step){.operation = operation}, in, first, ADD_OUT);
}

/* Samples are made in pairs, each from two uniforms. */
void compile_box_muller(struct compiler *c)
{
	struct buffer *in[3] = {compile_input(c, BOX_MULLER_IN)};
	const struct shape *shape = &in[0]->shape;

	check_dtype(c, BOX_MULLER_IN, ALGEBRA_box_muller, shape->dtype);
	if (shape->n % 2)
		compile_param_error(c, BOX_MULLER_IN, ERROR_BAD_SHAPE,
				    "it has %" PRIu64 " elements, allowed is an even number", shape->n);
	add_step(c, (struct algebra_step){.operation = ALGEBRA_box_muller}, in, shape->dtype, BOX_MULLER_OUT);
}

void compile_scale(struct compiler *c)
{
	struct buffer *in[3] = {compile_input(c, SCALE_IN)};
	const enum dtype dtype = in[0]->shape.dtype;
	struct algebra_step scale = {.operation = ALGEBRA_scale};

	check_dtype(c, SCALE_IN, ALGEBRA_scale, dtype);
	scale.numbers.by = c->args.at[SCALE_BY].f64;
	scale.numbers.plus = c->args.at[SCALE_PLUS].f64;
	add_step(c, scale, in, dtype, SCALE_OUT);
}

/* low <= high is written so that it would also refuse NaN; binding has refused that before. */
void compile_clip(struct compiler *c)
{
	const double low = c->args.at[CLIP_LOW].f64, high = c->args.at[CLIP_HIGH].f64;
	struct buffer *in[3] = {compile_input(c, CLIP_IN)};
	const enum dtype dtype = in[0]->shape.dtype;
	struct algebra_step clip = {.operation = ALGEBRA_clip};

	check_dtype(c, CLIP_IN, ALGEBRA_clip, dtype);
	if (!(low <= high))
		compile_param_error(c, CLIP_LOW, ERROR_OUT_OF_RANGE, "got %.17g, allowed is up to high = %.17g", low, high);
	clip.numbers.low = low;
	clip.numbers.high = high;
	add_step(c, clip, in, dtype, CLIP_OUT);
}

/* The condition is the third operand of the kernel, as it may be of another dtype than the result. */
void compile_where(struct compiler *c)
{
	struct buffer *in[3] = {compile_input(c, WHERE_A)};
	const enum dtype dtype = in[0]->shape.dtype;
	const struct algebra_step where = {.operation = ALGEBRA_where,
					   .tests = c->args.at[WHERE_ABOVE].given,
					   .above = c->args.at[WHERE_ABOVE].f64};
	enum dtype second, tested;

	in[1] = compile_input(c, WHERE_B);
	in[2] = compile_input(c, WHERE_CONDITION);
	second = in[1]->shape.dtype;
	tested = in[2]->shape.dtype;
	check_dtype(c, WHERE_A, ALGEBRA_where, dtype);
	if (second != dtype)
		compile_param_error(c, WHERE_B, ERROR_BAD_SHAPE, "its dtype is %s, allowed is that of a, %s",
				    dtype_name(second), dtype_name(dtype));
	if (tested != DTYPE_F32 && tested != DTYPE_F64 && tested != DTYPE_I8)
		compile_param_error(c, WHERE_CONDITION, ERROR_BAD_SHAPE, "its dtype is %s, allowed are i8, f32 and f64",
				    dtype_name(tested));
	check_shape(c, WHERE_B, &in[1]->shape, &in[0]->shape);
	check_shape(c, WHERE_CONDITION, &in[2]->shape, &in[0]->shape);
	add_step(c, where, in, dtype, WHERE_OUT);
}

/* ---- reductions ---- */

/* Returns the axes to reduce as a mask; all without a list. */
static unsigned find_axes(struct compiler *c, const struct shape *shape)
{
	const struct arg *arg = &c->args.at[REDUCE_AXES];
	const int64_t ndim = shape->ndim;
	unsigned axes = 0;

	if (!arg->given)
		return (1u << shape->ndim) - 1;
	for (unsigned i = 0; i < arg->axes.count && !c->error; i++) {
		const int64_t asked = arg->axes.at[i], axis = asked < 0 ? asked + ndim : asked;

		if (axis < 0 || axis >= ndim || axes & 1u << axis)
			compile_param_error(c, REDUCE_AXES, ERROR_OUT_OF_RANGE,
					    "got %" PRId64 ", allowed for %u dimensions is %" PRId64 " to %" PRId64
					    ", each once",
					    asked, shape->ndim, -ndim, ndim - 1);
		else
			axes |= 1u << axis;
	}
	return axes;
}

/* Joins the axes before, in and behind the reduced ones, which have to follow one another, and returns the result's
 * shape. */
static struct shape find_lengths(struct compiler *c, const struct shape *shape, unsigned axes, struct reduce_step *ret)
{
	struct shape out = {.dtype = ret->kind == REDUCE_NORM ? real_of(shape->dtype) : shape->dtype};
	bool ended = false;

	ret->outer = ret->length = ret->inner = 1;
	for (unsigned i = 0; i < shape->ndim; i++) {
		const bool reduced = axes >> i & 1;

		if (reduced && ended)
			compile_param_error(c, REDUCE_AXES, ERROR_NOT_SUPPORTED,
					    "there are axes between them, allowed are axes that follow one another");
		ended = ended || (axes & ((1u << i) - 1) && !reduced);
		*(reduced ? &ret->length : axes & ((1u << i) - 1) ? &ret->inner : &ret->outer) *= shape->dims[i];
		if (!reduced)
			out.dims[out.ndim++] = shape->dims[i];
	}
	if (out.ndim == 0)
		out.dims[out.ndim++] = 1;
	shape_finish(&out); /* no more bytes than shape has, whose sizes of 0 count as 1 */
	return out;
}

/* The sum of no elements is 0 and their norm 0, as in numpy; a maximum or a mean of none does not exist, where the result
 * has elements. */
void compile_reduce(struct compiler *c)
{
	static const char *const kinds[] = {
		[REDUCE_SUM] = "sum", [REDUCE_MEAN] = "mean", [REDUCE_MAX] = "max", [REDUCE_NORM] = "norm"};
	struct reduce_step reduce = {.kind = REDUCE_SUM};
	struct buffer *in = compile_floating_input(c, REDUCE_IN), *out;
	struct shape shape;
	char has[SHAPE_TEXT];

	while (strcmp(kinds[reduce.kind], c->args.operation->name) != 0)
		reduce.kind++;
	if (reduce.kind == REDUCE_MAX && dtype_is_complex(in->shape.dtype))
		compile_param_error(c, REDUCE_IN, ERROR_BAD_SHAPE, "its dtype is %s, allowed are f32 and f64",
				    dtype_name(in->shape.dtype));
	shape = find_lengths(c, &in->shape, find_axes(c, &in->shape), &reduce);
	if (reduce.length == 0 && shape.n > 0 && (reduce.kind == REDUCE_MAX || reduce.kind == REDUCE_MEAN))
		compile_param_error(c, REDUCE_IN, ERROR_BAD_SHAPE,
				    "it is %s, without elements along the axes, allowed is one or more",
				    shape_text(&in->shape, has));
	out = compile_output(c, REDUCE_OUT, &shape);
	if (in == out)
		compile_param_error(c, REDUCE_OUT, ERROR_BAD_TILE, "it is the input, allowed is another tile");
	compile_add_step(c, STEP_REDUCE, in, out)->reduce = reduce;
	compile_reply(c, REDUCE_OUT, out);
}
