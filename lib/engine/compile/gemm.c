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
	struct gemm_call call; /* sizes and strides in elements */
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
static void find_batch(struct compiler *c, struct request_gemm *g)
{
	const struct shape *a = &g->shape_a, *b = &g->shape_b, *more = a->ndim >= b->ndim ? a : b;
	char first[SHAPE_TEXT], second[SHAPE_TEXT];
	bool fit = a->ndim == b->ndim || a->ndim == 2 || b->ndim == 2;

	for (unsigned i = 0; i + 2 < more->ndim && a->ndim == b->ndim; i++)
		fit &= a->dims[i] == b->dims[i];
	if (!fit)
		compile_param_error(c, PRODUCT_B, ERROR_BAD_SHAPE,
				    "it is %s beside a of %s, allowed are equal leading dimensions, or none",
				    shape_text(b, second), shape_text(a, first));
	g->out = *more;
	g->call.batch = count_of(more);
	g->call.a.distance = a->ndim == 2 ? 0 : a->dims[a->ndim - 2] * a->dims[a->ndim - 1];
	g->call.b.distance = b->ndim == 2 ? 0 : b->dims[b->ndim - 2] * b->dims[b->ndim - 1];
}

/* (m, k) times (k, n). Strides are in elements; matrices are contiguous, so a row's stride is its number of columns
 * before any transposition. */
static void find_sizes(struct compiler *c, struct request_gemm *g)
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
		compile_param_error(c, PRODUCT_B, ERROR_BAD_SHAPE,
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
		compile_param_error(c, PRODUCT_A, ERROR_OUT_OF_RANGE,
				    "the result has more than 2^62 bytes, allowed are fewer");
}

/* beta without c would be ignored, so it is an error. c and the result have one shape: no broadcasting, which BLAS
 * does not have either. */
static void read_addend(struct compiler *c, struct request_gemm *g)
{
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];
	struct shape shape;

	if (!c->args.at[PRODUCT_C].given) {
		if (c->args.at[PRODUCT_BETA].f64 != 0 || c->args.at[PRODUCT_BETA_IM].f64 != 0)
			compile_param_error(c, PRODUCT_BETA, ERROR_MISSING_PARAMETER,
					    "given without c: give c, the addend that it multiplies");
		return;
	}
	g->c = compile_floating_input(c, PRODUCT_C);
	shape = g->c->shape;
	shape.dtype = g->dtype;
	if (!shape_finish(&shape) || !shape_equal(&shape, &g->out))
		compile_param_error(c, PRODUCT_C, ERROR_BAD_SHAPE, "it is %s, allowed is the result's, %s",
				    shape_text(&g->c->shape, has), shape_text(&g->out, needs));
}

static bool is_wide(const struct buffer *buffer)
{
	return dtype_is_wide(buffer->shape.dtype);
}

/* Reads the parameters. Without a precision the wider of a and b decides between float32 and float64. */
static void read_request(struct compiler *c, struct request_gemm *g)
{
	const struct arg *precision = &c->args.at[PRODUCT_PRECISION];

	g->a = compile_floating_input(c, PRODUCT_A);
	g->b = compile_floating_input(c, PRODUCT_B);
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
	find_batch(c, g);
	find_sizes(c, g);
	read_addend(c, g);
}

/* The kernel computes out = alpha op(a) op(b) + beta out, so c is copied to out first unless it is there. */
static void add_steps(struct compiler *c, const struct request_gemm *g, struct buffer *out)
{
	struct buffer *a = compile_prepare(c, g->dtype, out, g->a), *b = compile_prepare(c, g->dtype, out, g->b);
	struct step *step;

	if (g->c && g->c != out)
		compile_add_step(c, STEP_CAST, g->c, out);
	step = compile_add_step(c, STEP_GEMM, a, out);
	step->in[1] = b;
	step->gemm.precision = g->precision;
	step->gemm.call = g->call;
}

/* The bound of the mode, and, where float64 input is rounded to float32 first, that of two roundings of its factors. */
static double bound_of(const struct request_gemm *g)
{
	const double bound = gemm_error_bound(g->precision, g->call.k), rounding = 1 + 0x1p-24;
	const bool rounds = is_wide(g->a) || is_wide(g->b) || (g->c && is_wide(g->c));

	/* Both factors, or c, to float32. */
	return rounds && !gemm_mode(g->precision)->wide ? (1 + bound) * rounding * rounding - 1 : bound;
}

void compile_gemm(struct compiler *c)
{
	struct request_gemm g = {0};
	struct buffer *out;
	double bound;

	read_request(c, &g);
	out = compile_output(c, PRODUCT_OUT, &g.out);
	add_steps(c, &g, out);
	compile_put(c, "precision", bind_choice_text(&c->args.operation->params[PRODUCT_PRECISION], g.precision));
	bound = bound_of(&g);
	if (bound < 1) /* one of 1 or more would say nothing */
		compile_put(c, "bound", value_real(bound));
	compile_reply(c, PRODUCT_OUT, out);
}
