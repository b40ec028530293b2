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
static int find_shapes(struct compiler *c, struct request_convolve *r)
{
	const struct shape *a = &r->a->shape, *b = &r->b->shape;
	const unsigned ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
	char first[SHAPE_TEXT], second[SHAPE_TEXT];
	int error = signal_axis(c, CONVOLVE_AXIS, ndim, &r->axis);
	bool fit = a->ndim == b->ndim || a->ndim == 1 || b->ndim == 1;

	if (error)
		return error;
	r->shape_a = along_axis(a, ndim, r->axis);
	r->shape_b = along_axis(b, ndim, r->axis);
	for (unsigned i = 0; i < ndim && fit; i++)
		fit = i == r->axis || r->shape_a.dims[i] == r->shape_b.dims[i] || r->shape_a.dims[i] == 1 ||
		      r->shape_b.dims[i] == 1;
	if (!fit)
		return bind_error(
			&c->args, CONVOLVE_B, c->err, ERROR_BAD_SHAPE,
			"it is %s beside a of %s, allowed are equal sizes or 1 but along the axis, or one dimension",
			shape_text(b, second), shape_text(a, first));
	if (r->shape_a.dims[r->axis] == 0 || r->shape_b.dims[r->axis] == 0)
		return bind_error(&c->args, r->shape_a.dims[r->axis] ? CONVOLVE_B : CONVOLVE_A, c->err, ERROR_BAD_SHAPE,
				  "signals without samples, allowed is 1 and up");
	return 0;
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
 * convolution with b reversed and conjugated, so that side alone is read backwards. */
static int find_rows(const struct compiler *c, struct request_convolve *r, struct shape *ret)
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
		return bind_error(&c->args, CONVOLVE_A, c->err, ERROR_OUT_OF_RANGE,
				  "the result has more than 2^62 bytes, allowed are fewer");
	convolve->out_stride = signal_stride(&shape, r->axis);
	convolve->rows = shape.n / convolve->n_out;
	convolve->kernels = signal_rows(kernel, r->axis) * signal_stride(kernel, r->axis);
	convolve->signal = side_of(b_is_kernel ? &r->shape_a : &r->shape_b, r->axis, r->correlates && !b_is_kernel);
	convolve->kernel = side_of(kernel, r->axis, r->correlates && b_is_kernel);
	r->signal = b_is_kernel ? r->a : r->b;
	r->kernel = b_is_kernel ? r->b : r->a;
	*ret = shape;
	return 0;
}

/* Reads the parameters; *ret_shape is the result's. convolve_cut chooses the length of blocks. */
static int read_request(struct compiler *c, struct request_convolve *r, struct shape *ret_shape)
{
	int error = compile_floating_input(c, CONVOLVE_A, &r->a);

	if (!error)
		error = compile_floating_input(c, CONVOLVE_B, &r->b);
	if (!error)
		error = find_shapes(c, r);
	if (error)
		return error;
	r->wide = dtype_is_wide(r->a->shape.dtype) || dtype_is_wide(r->b->shape.dtype);
	r->convolve.is_complex = dtype_is_complex(r->a->shape.dtype) || dtype_is_complex(r->b->shape.dtype);
	r->convolve.precision = signal_precision(r->wide);
	find_results(c, r);
	error = find_rows(c, r, ret_shape);
	if (error)
		return error;
	if (r->convolve.signal.n > FFT_MAX_LENGTH || convolve_cut(&r->convolve))
		return bind_error(&c->args, CONVOLVE_A, c->err, ERROR_OUT_OF_RANGE,
				  "signals too long for a transform, allowed are 2^30 samples and a kernel of 2^19");
	return 0;
}

/* Blocks that do not fit the scratch: frames, spectra, products, inverse transforms and results are passes of their
 * own. */
static int steps_of_blocks(struct compiler *c, const struct request_convolve *r, const struct convolve *convolve,
			   struct buffer *kernels)
{
	const enum dtype real = signal_dtype(r->wide, convolve->is_complex), complex = signal_dtype(r->wide, true);
	const double scale = 1 / (double)convolve->block;
	struct buffer *frames, *spectra, *products, *backs;
	int error = signal_temp(c, real, convolve->rows, convolve->blocks, convolve->block, &frames);

	if (!error)
		error = signal_temp(c, complex, convolve->rows, convolve->blocks, convolve_bins(convolve), &spectra);
	if (!error)
		error = signal_temp(c, complex, convolve->rows, convolve->blocks, convolve_bins(convolve), &products);
	if (!error)
		error = signal_temp(c, real, convolve->rows, convolve->blocks, convolve->block, &backs);
	if (!error)
		error = signal_step(c, &convolve_frames, convolve, STEP_NO_TRANSFORM, r->signal, NULL, frames, NULL);
	if (!error)
		error = signal_transform(c, r->transform, convolve->block, false, 1, frames, spectra);
	if (!error)
		error = signal_step(c, &convolve_products, convolve, r->transform, spectra, kernels, products, NULL);
	if (!error)
		error = signal_transform(c, r->transform, convolve->block, true, scale, products, backs);
	return error ? error : signal_step(c, &convolve_results, convolve, STEP_NO_TRANSFORM, backs, NULL, r->out, NULL);
}

/* Overlap-save (Oppenheim and Schafer, Discrete-Time Signal Processing, section 8.7.3). The kernels' spectra are made
 * first, once for all blocks; a prepared call keeps them where they are constant. */
static int add_steps(struct compiler *c, const struct request_convolve *r)
{
	const struct convolve *convolve = signal_keep(c, &r->convolve, sizeof r->convolve);
	const size_t scratch = pool_scratch_bytes(c->plan->session->engine->pool);
	struct buffer *padded, *kernels;
	int error;

	if (!convolve)
		return compile_no_memory(c);
	error = signal_temp(c, signal_dtype(r->wide, convolve->is_complex), convolve->kernels, 1, convolve->block,
			    &padded);
	if (!error)
		error = signal_temp(c, signal_dtype(r->wide, true), convolve->kernels, 1, convolve_bins(convolve),
				    &kernels);
	if (!error)
		error = signal_step(c, &convolve_kernels, convolve, STEP_NO_TRANSFORM, r->kernel, NULL, padded, NULL);
	if (!error)
		error = signal_transform(c, r->transform, convolve->block, false, 1, padded, kernels);
	if (error)
		return error;
	if (!signal_fits(plans_plan(c->first_run->bound.transforms[r->transform]), convolve_row_bytes(convolve), scratch))
		return steps_of_blocks(c, r, convolve, kernels);
	return signal_step(c, &convolve_blocks, convolve, r->transform, r->signal, kernels, r->out, NULL);
}

/* Both operations. The output's buffer is found before the inputs are prepared, as an input that is also the output
 * must be copied. */
static int compile_product(struct compiler *c, bool correlates)
{
	struct request_convolve r = {.correlates = correlates};
	struct shape shape;
	enum dtype dtype;
	int error = read_request(c, &r, &shape);

	if (!error)
		error = compile_output(c, CONVOLVE_OUT, &shape, &r.out);
	if (error)
		return error;
	dtype = shape.dtype;
	error = signal_prepare(c, dtype, r.out, &r.signal);
	if (!error)
		error = signal_prepare(c, dtype, r.out, &r.kernel);
	if (!error)
		error = signal_plan(c, r.convolve.block, r.wide, !r.convolve.is_complex, &r.transform);
	if (!error)
		error = add_steps(c, &r);
	return error ? error : compile_reply(c, CONVOLVE_OUT, r.out);
}

int compile_convolve(struct compiler *c)
{
	return compile_product(c, false);
}

int compile_correlate(struct compiler *c)
{
	return compile_product(c, true);
}
