/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling products of matrices: casts to the arithmetic's dtype, c into the result, and one step. */
#include <inttypes.h>
#include <string.h>

#include "engine/compile/compiler.h"

/* A product, on its caller's stack. */
struct request_gemm {
	struct buffer *a, *b, *c; /* c: NULL where it is missing */
	struct shape shape_a, shape_b; /* with at least two dimensions, before any transposition */
	enum gemm_precision precision;
	enum dtype dtype; /* of arithmetic and result */
	struct gemm_call call; /* sizes and strides in elements; the addresses are set when the step runs */
	struct shape out;
};

/* Returns whether rows and columns change places. */
static bool is_turned(enum gemm_op op)
{
	return op == GEMM_TRANSPOSE || op == GEMM_CONJUGATE_TRANSPOSE;
}

/* With one dimension, a is a row and b a column. */
static struct shape matrix_shape(const struct shape *shape, bool is_row)
{
	struct shape matrix = *shape;

	if (shape->ndim > 1)
		return matrix;
	matrix.ndim = 2;
	matrix.dims[is_row] = shape->dims[0];
	matrix.dims[!is_row] = 1;
	return matrix;
}

/* Elements of all matrices that lie before the last two dimensions. */
static uint64_t count_of(const struct shape *shape)
{
	uint64_t count = 1;

	for (unsigned i = 0; i + 2 < shape->ndim; i++)
		count *= shape->dims[i];
	return count;
}

/* Both have the same leading dimensions, or one of them has none and serves for all. */
static int find_batch(const struct compiler *c, struct request_gemm *g)
{
	const struct shape *a = &g->shape_a, *b = &g->shape_b, *more = a->ndim >= b->ndim ? a : b;
	char first[SHAPE_TEXT], second[SHAPE_TEXT];
	bool fit = a->ndim == b->ndim || a->ndim == 2 || b->ndim == 2;

	for (unsigned i = 0; i + 2 < more->ndim && a->ndim == b->ndim; i++)
		fit &= a->dims[i] == b->dims[i];
	if (!fit)
		return bind_error(&c->args, PRODUCT_B, c->err, ERROR_BAD_SHAPE,
				  "it is %s beside a of %s, allowed are equal leading dimensions, or none",
				  shape_text(b, second), shape_text(a, first));
	g->out = *more;
	g->call.batch = count_of(more);
	g->call.a.distance = a->ndim == 2 ? 0 : a->dims[a->ndim - 2] * a->dims[a->ndim - 1];
	g->call.b.distance = b->ndim == 2 ? 0 : b->dims[b->ndim - 2] * b->dims[b->ndim - 1];
	return 0;
}

/* (m, k) times (k, n). Strides are in elements; matrices are contiguous, so a row's stride is its number of columns
 * before any transposition. */
static int find_sizes(const struct compiler *c, struct request_gemm *g)
{
	const uint64_t *a = g->shape_a.dims + g->shape_a.ndim - 2, *b = g->shape_b.dims + g->shape_b.ndim - 2;
	struct gemm_call *call = &g->call;
	uint64_t k_of_b;

	call->a.op = (enum gemm_op)c->args.at[PRODUCT_OP_A].choice;
	call->b.op = (enum gemm_op)c->args.at[PRODUCT_OP_B].choice;
	call->m = a[is_turned(call->a.op)];
	call->k = a[!is_turned(call->a.op)];
	call->n = b[!is_turned(call->b.op)];
	k_of_b = b[is_turned(call->b.op)];
	if (k_of_b != call->k)
		return bind_error(&c->args, PRODUCT_B, c->err, ERROR_BAD_SHAPE,
				  "op(b) has %" PRIu64 " rows, allowed is as many as op(a) has columns, %zu", k_of_b,
				  call->k);
	call->a.row = a[1];
	call->b.row = b[1];
	call->c_row = call->n;
	call->c_distance = call->m * call->n;
	g->out.dims[g->out.ndim - 2] = call->m;
	g->out.dims[g->out.ndim - 1] = call->n;
	g->out.dtype = g->dtype;
	if (!shape_finish(&g->out))
		return bind_error(&c->args, PRODUCT_A, c->err, ERROR_OUT_OF_RANGE,
				  "the result has more than 2^62 bytes, allowed are fewer");
	return 0;
}

/* beta without c would be ignored, so it is an error. c and the result have one shape: no broadcasting, which BLAS
 * does not have either. */
static int read_addend(struct compiler *c, struct request_gemm *g)
{
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];
	const struct arg *beta = &c->args.at[PRODUCT_BETA], *beta_im = &c->args.at[PRODUCT_BETA_IM];
	struct shape shape;
	int error;

	if (!c->args.at[PRODUCT_C].given) {
		if (beta->f64 != 0 || beta_im->f64 != 0)
			return bind_error(&c->args, PRODUCT_BETA, c->err, ERROR_MISSING_PARAMETER,
					  "given without c: give c, the addend that it multiplies");
		return 0;
	}
	error = compile_floating_input(c, PRODUCT_C, &g->c);
	if (error)
		return error;
	shape = g->c->shape;
	shape.dtype = g->dtype;
	if (!shape_finish(&shape) || !shape_equal(&shape, &g->out))
		return bind_error(&c->args, PRODUCT_C, c->err, ERROR_BAD_SHAPE, "it is %s, allowed is the result's, %s",
				  shape_text(&g->c->shape, has), shape_text(&g->out, needs));
	return 0;
}

static bool is_wide(const struct buffer *buffer)
{
	return dtype_is_wide(buffer->shape.dtype);
}

/* Reads the parameters. Without a precision the wider of a and b decides between float32 and float64. */
static int read_request(struct compiler *c, struct request_gemm *g)
{
	const struct arg *precision = &c->args.at[PRODUCT_PRECISION];
	int error = compile_floating_input(c, PRODUCT_A, &g->a);

	if (!error)
		error = compile_floating_input(c, PRODUCT_B, &g->b);
	if (error)
		return error;
	g->shape_a = matrix_shape(&g->a->shape, true);
	g->shape_b = matrix_shape(&g->b->shape, false);
	g->precision = is_wide(g->a) || is_wide(g->b) ? GEMM_F64 : GEMM_F32;
	if (precision->given)
		g->precision = (enum gemm_precision)precision->choice;
	g->dtype = gemm_mode(g->precision)->wide ? DTYPE_C128 : DTYPE_C64;
	g->call.alpha[0] = c->args.at[PRODUCT_ALPHA].f64;
	g->call.alpha[1] = c->args.at[PRODUCT_ALPHA_IM].f64;
	g->call.beta[0] = c->args.at[PRODUCT_BETA].f64;
	g->call.beta[1] = c->args.at[PRODUCT_BETA_IM].f64;
	error = find_batch(c, g);
	if (!error)
		error = find_sizes(c, g);
	return error ? error : read_addend(c, g);
}

/* The matrix in the arithmetic's dtype; also a copy where the result would overwrite it. */
static int prepare_product(struct compiler *c, const struct request_gemm *g, const struct buffer *out,
			   struct buffer **matrix)
{
	struct shape shape = (*matrix)->shape;
	struct buffer *copy;

	shape.dtype = g->dtype;
	if ((*matrix)->shape.dtype == g->dtype && *matrix != out)
		return 0;
	copy = shape_finish(&shape) ? plan_buffer(c->plan, BUFFER_TEMP, &shape) : NULL;
	if (!copy || !plan_step(c->plan, STEP_CAST, *matrix, copy))
		return compile_no_memory(c);
	*matrix = copy;
	return 0;
}

/* The kernel computes out = alpha op(a) op(b) + beta out, so c is copied to out first unless it is there. */
static int add_steps(struct compiler *c, struct request_gemm *g, struct buffer *out)
{
	struct step *step;
	int error = prepare_product(c, g, out, &g->a);

	if (!error)
		error = prepare_product(c, g, out, &g->b);
	if (error)
		return error;
	if (g->c && g->c != out && !plan_step(c->plan, STEP_CAST, g->c, out))
		return compile_no_memory(c);
	step = plan_step(c->plan, STEP_GEMM, g->a, out);
	if (!step)
		return compile_no_memory(c);
	step->in[1] = g->b;
	step->gemm.precision = g->precision;
	step->gemm.call = g->call;
	return 0;
}

/* The bound of the mode, and, where float64 input is rounded to float32 first, that of two roundings of its factors. */
static double bound_of(const struct request_gemm *g)
{
	const double bound = gemm_error_bound(g->precision, g->call.k), rounding = 1 + 0x1p-24;
	const bool rounds = is_wide(g->a) || is_wide(g->b) || (g->c && is_wide(g->c));

	/* Both factors, or c, to float32. */
	return rounds && !gemm_mode(g->precision)->wide ? (1 + bound) * rounding * rounding - 1 : bound;
}

/* A bound of 1 or more would say nothing. */
static int put_precision(struct compiler *c, const struct request_gemm *g, double bound)
{
	const struct value name = bind_choice_text(&c->args.operation->params[PRODUCT_PRECISION], g->precision);
	struct bump *bump = c->plan->bump;

	if (value_put(bump, c->reply, "precision", name) ||
	    (bound < 1 && value_put(bump, c->reply, "bound", value_real(bound))))
		return compile_no_memory(c);
	return 0;
}

int compile_gemm(struct compiler *c)
{
	struct request_gemm g = {0};
	struct buffer *out;
	double bound;
	int error = read_request(c, &g);

	if (error)
		return error;
	bound = bound_of(&g); /* before casts take the inputs' places */
	error = compile_output(c, PRODUCT_OUT, &g.out, &out);
	if (!error)
		error = add_steps(c, &g, out);
	if (!error)
		error = put_precision(c, &g, bound);
	return error ? error : compile_reply(c, PRODUCT_OUT, out);
}
