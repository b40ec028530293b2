/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling convolutions and correlations: the shorter side is the kernel, whose spectra are made first; then blocks
 * in scratch, or, where they are too long for that, in steps. */
#include <inttypes.h>

#include "engine/compile/signal.h"
#include "fft/signals/convolve.h"

enum mode { MODE_FULL, MODE_SAME, MODE_VALID }; /* in the order of the parameter's choices */

/* A convolution, on its caller's stack. */
struct request_convolve {
	struct buffer *a, *b, *out;
	struct shape shape_a, shape_b; /* with equally many dimensions */
	unsigned axis;                 /* along which they are convolved */
	bool wide, correlates;         /* float64 arithmetic; b is reversed and conjugated */
	struct convolve convolve;
	int transform;
	struct buffer *signal, *kernel; /* a and b, by length */
};

/* A side of one dimension serves all rows of the other. */
static struct shape along_axis(const struct shape *shape, unsigned ndim, unsigned axis)
{
	struct shape wide = *shape;

	if (shape->ndim == ndim)
		return wide;
	wide.ndim = ndim;
	for (unsigned i = 0; i < ndim; i++)
		wide.dims[i] = i == axis ? shape->dims[0] : 1;
	return wide;
}

/* Broadcasts as numpy does, but for the axis itself, which may have any two lengths. */
static void find_shapes(struct compiler *c, struct request_convolve *r)
{
	const struct shape *a = &r->a->shape, *b = &r->b->shape;
	const unsigned ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
	char first[SHAPE_TEXT], second[SHAPE_TEXT];
	bool fit = a->ndim == b->ndim || a->ndim == 1 || b->ndim == 1;

	r->axis = signal_axis(c, CONVOLVE_AXIS, ndim);
	r->shape_a = along_axis(a, ndim, r->axis);
	r->shape_b = along_axis(b, ndim, r->axis);
	for (unsigned i = 0; i < ndim && fit; i++)
		fit = i == r->axis || r->shape_a.dims[i] == r->shape_b.dims[i] || r->shape_a.dims[i] == 1 ||
		      r->shape_b.dims[i] == 1;
	if (!fit)
		compile_param_error(
			c, CONVOLVE_B, ERROR_BAD_SHAPE,
			"it is %s beside a of %s, allowed are equal sizes or 1 but along the axis, or one dimension",
			shape_text(b, second), shape_text(a, first));
	if (r->shape_a.dims[r->axis] == 0 || r->shape_b.dims[r->axis] == 0)
		compile_param_error(c, r->shape_a.dims[r->axis] ? CONVOLVE_B : CONVOLVE_A, ERROR_BAD_SHAPE,
				    "signals without samples, allowed is 1 and up");
}

/* How a side's rows follow from the result's: row-major, a size of 1 serving all. */
static struct convolve_side side_of(const struct shape *shape, unsigned axis, bool reversed)
{
	struct convolve_side side = {
		.n = shape->dims[axis], .stride = signal_stride(shape, axis), .reversed = reversed};
	uint64_t step = 1;

	for (unsigned i = shape->ndim, at = shape->ndim - 1; i-- > 0;) {
		if (i == axis)
			continue;
		side.row_step[--at] = shape->dims[i] == 1 ? 0 : step;
		step *= shape->dims[i];
	}
	return side;
}

/* Which samples of the full result are asked for. `same` is as long as a and centred as in scipy.signal.convolve. */
static void find_results(const struct compiler *c, struct request_convolve *r)
{
	const uint64_t a = r->shape_a.dims[r->axis], b = r->shape_b.dims[r->axis], less = a < b ? a : b;
	struct convolve *convolve = &r->convolve;

	switch ((enum mode)c->args.at[CONVOLVE_MODE].choice) {
	case MODE_FULL:
		convolve->n_out = a + b - 1;
		break;
	case MODE_SAME:
		convolve->start = (b - 1) / 2;
		convolve->n_out = a;
		break;
	case MODE_VALID:
		convolve->start = less - 1;
		convolve->n_out = (a < b ? b : a) - less + 1;
	}
}

/* The shorter side is the kernel, whose spectrum every block of the signal is multiplied by. Correlation is
 * convolution with b reversed and conjugated, so that side alone is read backwards. Returns the result's shape. */
static struct shape find_rows(struct compiler *c, struct request_convolve *r)
{
	struct convolve *convolve = &r->convolve;
	struct shape shape = r->shape_a;
	const bool b_is_kernel = r->shape_b.dims[r->axis] <= r->shape_a.dims[r->axis];
	const struct shape *kernel = b_is_kernel ? &r->shape_b : &r->shape_a;

	for (unsigned i = 0; i < shape.ndim; i++) {
		if (i == r->axis)
			continue;
		shape.dims[i] = shape.dims[i] == 1 ? r->shape_b.dims[i] : shape.dims[i];
		convolve->dims[convolve->n_dims++] = shape.dims[i];
	}
	shape.dims[r->axis] = convolve->n_out;
	shape.dtype = signal_dtype(r->wide, convolve->is_complex);
	if (!shape_finish(&shape))
		compile_param_error(c, CONVOLVE_A, ERROR_OUT_OF_RANGE,
				    "the result has more than 2^62 bytes, allowed are fewer");
	convolve->out_stride = signal_stride(&shape, r->axis);
	convolve->rows = shape.n / convolve->n_out;
	convolve->kernels = signal_rows(kernel, r->axis) * signal_stride(kernel, r->axis);
	convolve->signal = side_of(b_is_kernel ? &r->shape_a : &r->shape_b, r->axis, r->correlates && !b_is_kernel);
	convolve->kernel = side_of(kernel, r->axis, r->correlates && b_is_kernel);
	r->signal = b_is_kernel ? r->a : r->b;
	r->kernel = b_is_kernel ? r->b : r->a;
	return shape;
}

/* Reads the parameters and returns the result's shape. convolve_cut chooses the length of blocks. */
static struct shape read_request(struct compiler *c, struct request_convolve *r)
{
	struct shape shape;

	r->a = compile_floating_input(c, CONVOLVE_A);
	r->b = compile_floating_input(c, CONVOLVE_B);
	find_shapes(c, r);
	if (c->error)
		return r->a->shape;
	r->wide = dtype_is_wide(r->a->shape.dtype) || dtype_is_wide(r->b->shape.dtype);
	r->convolve.is_complex = dtype_is_complex(r->a->shape.dtype) || dtype_is_complex(r->b->shape.dtype);
	r->convolve.precision = signal_precision(r->wide);
	find_results(c, r);
	shape = find_rows(c, r);
	if (r->convolve.signal.n > FFT_MAX_LENGTH || convolve_cut(&r->convolve))
		compile_param_error(c, CONVOLVE_A, ERROR_OUT_OF_RANGE,
				    "signals too long for a transform, allowed are 2^30 samples and a kernel of 2^19");
	return shape;
}

/* Blocks that do not fit the scratch: frames, spectra, products, inverse transforms and results are passes of their
 * own. */
static void add_long_steps(struct compiler *c, const struct request_convolve *r, const struct convolve *convolve,
			   struct buffer *kernels)
{
	const enum dtype real = signal_dtype(r->wide, convolve->is_complex), complex = signal_dtype(r->wide, true);
	const uint64_t rows = convolve->rows, blocks = convolve->blocks, block = convolve->block;
	struct buffer *frames = signal_temp(c, real, rows, blocks, block);
	struct buffer *spectra = signal_temp(c, complex, rows, blocks, convolve_bins(convolve));
	struct buffer *products = signal_temp(c, complex, rows, blocks, convolve_bins(convolve));
	struct buffer *backs = signal_temp(c, real, rows, blocks, block);

	signal_step(c, &convolve_frames, convolve, STEP_NO_TRANSFORM, r->signal, NULL, frames);
	signal_transform(c, r->transform, block, false, 1, frames, spectra);
	signal_step(c, &convolve_products, convolve, r->transform, spectra, kernels, products);
	signal_transform(c, r->transform, block, true, 1 / (double)block, products, backs);
	signal_step(c, &convolve_results, convolve, STEP_NO_TRANSFORM, backs, NULL, r->out);
}

/* Overlap-save (Oppenheim and Schafer, Discrete-Time Signal Processing, section 8.7.3). The kernels' spectra are made
 * first, once for all blocks; a prepared call keeps them where they are constant. */
static void add_steps(struct compiler *c, const struct request_convolve *r)
{
	const struct convolve *convolve = signal_keep(c, &r->convolve, sizeof r->convolve);
	struct buffer *padded, *kernels;

	if (c->error)
		return;
	padded = signal_temp(c, signal_dtype(r->wide, convolve->is_complex), convolve->kernels, 1, convolve->block);
	kernels = signal_temp(c, signal_dtype(r->wide, true), convolve->kernels, 1, convolve_bins(convolve));
	signal_step(c, &convolve_kernels, convolve, STEP_NO_TRANSFORM, r->kernel, NULL, padded);
	signal_transform(c, r->transform, convolve->block, false, 1, padded, kernels);
	if (signal_stays(c, r->transform, convolve_row_bytes(convolve)))
		signal_step(c, &convolve_blocks, convolve, r->transform, r->signal, kernels, r->out);
	else
		add_long_steps(c, r, convolve, kernels);
}

/* Both operations. The output's buffer is found before the inputs are prepared, as an input that is also the output
 * must be copied. */
static void compile_product(struct compiler *c, bool correlates)
{
	struct request_convolve r = {.correlates = correlates};
	const struct shape shape = read_request(c, &r);

	if (c->error)
		return;
	r.out = compile_output(c, CONVOLVE_OUT, &shape);
	r.signal = compile_prepare(c, shape.dtype, r.out, r.signal);
	r.kernel = compile_prepare(c, shape.dtype, r.out, r.kernel);
	r.transform = signal_plan(c, r.convolve.block, r.wide, !r.convolve.is_complex);
	add_steps(c, &r);
	compile_reply(c, CONVOLVE_OUT, r.out);
}

void compile_convolve(struct compiler *c)
{
	compile_product(c, false);
}

void compile_correlate(struct compiler *c)
{
	compile_product(c, true);
}
