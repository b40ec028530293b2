/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling transforms: axes, lengths and precision become resizes, casts and one step for each axis.
 *
 *     complex, series    in -(cast, pad, trim or scale)-> work, then each axis in place, the last of the list first
 *     real               in -> reals -(last axis)-> half a spectrum, then the other axes in place
 *     real, inverse      in -> a temporary, the other axes there, then -(last axis)-> reals
 *
 * `work` is the output itself unless its dtype differs from the arithmetic's. */
#include <math.h>

#include "engine/compile/scaling.h"
#include "engine/compile/transform_request.h"

/* Returns what a transform of n is multiplied by. There and back without factors multiplies by n, or by a series'
 * period. */
static double find_factor(const struct request_fft *f, uint64_t n)
{
	const double whole = (double)(transform_is_series(f) ? fft_series_period(transform_series(f), n) : n);

	if (f->norm == NORM_ORTHO)
		return 1 / sqrt(whole);
	return f->inverse == (f->norm == NORM_BACKWARD) ? 1 / whole : 1;
}

/* The input's shape with the transform's lengths; the last axis, of a real transform, with `last`. */
static int shape_with(const struct compiler *c, const struct request_fft *f, enum dtype dtype, uint64_t last,
		      struct shape *ret)
{
	struct shape shape = f->in->shape;

	shape.dtype = dtype;
	for (unsigned i = 0; i < f->n_axes; i++)
		shape.dims[f->axes[i]] = i + 1 == f->n_axes ? last : f->lengths[i];
	if (!shape_finish(&shape))
		return bind_error(&c->args, FFT_LENGTH, c->err, ERROR_OUT_OF_RANGE,
				  "the result has more than 2^62 bytes, allowed are fewer");
	*ret = shape;
	return 0;
}

/* Adds a temporary of that shape. */
static int add_temp(struct compiler *c, const struct shape *shape, struct buffer **ret)
{
	*ret = plan_buffer(c->plan, BUFFER_TEMP, shape);
	return *ret ? 0 : compile_no_memory(c);
}

/* Adds the step that copies in to out: a cast where only the dtype differs, else padding or trimming. */
static int add_move(struct compiler *c, struct buffer *in, struct buffer *out)
{
	bool same = true;

	for (unsigned i = 0; i < in->shape.ndim; i++)
		same &= in->shape.dims[i] == out->shape.dims[i];
	return plan_step(c->plan, same ? STEP_CAST : STEP_RESIZE, in, out) ? 0 : compile_no_memory(c);
}

/* Returns the axes as a mask. */
static uint32_t axes_of(const struct request_fft *f)
{
	uint32_t axes = 0;

	for (unsigned i = 0; i < f->n_axes; i++)
		axes |= 1u << f->axes[i];
	return axes;
}

/* Brings float64 input to float32, each transform scaled by a power of two: so the bound holds over float64's range. */
static int scale_down(struct compiler *c, struct request_fft *f, struct buffer *out)
{
	return scaling_steps_down(c, axes_of(f), f->in, out, &f->max_abs);
}

/* Brings the arithmetic's result to the output: undoes the scaling, or converts the dtype. */
static int finish_transform(struct compiler *c, const struct request_fft *f, struct buffer *work, struct buffer *out)
{
	if (f->max_abs)
		return scaling_steps_up(c, axes_of(f), work, f->max_abs, out);
	return work == out ? 0 : add_move(c, work, out);
}

/* Adds the step of one axis. Between reals and half a spectrum the plan is of that kind; the other axes of such a
 * transform are complex. */
static int transform_axis(struct compiler *c, const struct request_fft *f, unsigned i, struct buffer *in,
			  struct buffer *out)
{
	const struct plan_key key = {
		.n = f->lengths[i],
		.precision = f->precision == PRECISION_KAHAN ? PRECISION_DOUBLE : f->precision,
		.kind = transform_is_series(f) || in->shape.dtype != out->shape.dtype ? f->kind : PLAN_COMPLEX,
	};
	struct step *step;
	int transform = -1, error = compile_take_transform(c, key, &transform);

	if (error)
		return error;
	step = plan_step(c->plan, STEP_FFT, in, out);
	if (!step)
		return compile_no_memory(c);
	step->fft.axis = f->axes[i];
	step->transform = transform;
	step->fft.length = f->lengths[i];
	step->fft.precision = key.precision;
	step->fft.inverse = f->inverse;
	step->fft.kept = i > 0;
	step->fft.parts = transform_is_series(f) && dtype_is_complex(out->shape.dtype);
	step->fft.factor = find_factor(f, f->lengths[i]);
	return 0;
}

/* The axes before `count`, last first: the first of them from in to out, the others in place. */
static int transform_axes(struct compiler *c, const struct request_fft *f, unsigned count, struct buffer *in,
			  struct buffer *out)
{
	int error = 0;

	for (unsigned i = count; i-- > 0 && !error; in = out)
		error = transform_axis(c, f, i, in, out);
	return error;
}

/* The input as an array of that dtype and the transform's lengths (the last of them `last`): itself, or into `into`,
 * or, where that is NULL, into a temporary. */
static int prepare_transform(struct compiler *c, struct request_fft *f, enum dtype dtype, uint64_t last,
			     struct buffer *into, struct buffer **ret)
{
	struct buffer *buffer = into;
	struct shape shape;
	int error = shape_with(c, f, dtype, last, &shape);

	if (error)
		return error;
	if (shape_equal(&f->in->shape, &shape)) {
		*ret = f->in;
		return 0;
	}
	if (!buffer)
		error = add_temp(c, &shape, &buffer);
	if (!error && dtype_is_wide(f->in->shape.dtype) && !dtype_is_wide(dtype))
		error = scale_down(c, f, buffer);
	else if (!error)
		error = add_move(c, f->in, buffer);
	if (!error)
		*ret = buffer;
	return error;
}

/* Where the arithmetic's result goes: out itself, or a temporary of its own dtype, to be cast. */
static int work_buffer(struct compiler *c, struct buffer *out, enum dtype dtype, struct buffer **ret)
{
	struct shape shape = out->shape;

	*ret = out;
	if (out->shape.dtype == dtype)
		return 0;
	shape.dtype = dtype;
	return shape_finish(&shape) ? add_temp(c, &shape, ret) : compile_no_memory(c);
}

/* Steps of a transform whose axes are all alike: complex, or a cosine or sine transform. The first axis goes from the
 * input to the work buffer, the others stay there, so no more memory is needed than the result has. */
static int complex_steps(struct compiler *c, struct request_fft *f, struct buffer *out)
{
	struct buffer *from, *work;
	int error = work_buffer(c, out, f->work, &work);

	if (!error)
		error = prepare_transform(c, f, f->work, f->lengths[f->n_axes - 1], work, &from);
	if (!error)
		error = transform_axes(c, f, f->n_axes, from, work);
	return error ? error : finish_transform(c, f, work, out);
}

/* Products with the DFT's matrix have no form for reals: the last axis becomes a whole spectrum, of which half is
 * kept. */
static int half_by_product(struct compiler *c, struct request_fft *f, struct buffer *half)
{
	const unsigned last = f->n_axes - 1;
	struct buffer *from, *whole = NULL;
	int error = prepare_transform(c, f, f->work, f->lengths[last], NULL, &from);

	if (!error)
		error = add_temp(c, &from->shape, &whole);
	if (!error)
		error = transform_axis(c, f, last, from, whole);
	return error ? error : add_move(c, whole, half);
}

/* The last axis to half a spectrum, then the others in place. */
static int real_steps(struct compiler *c, struct request_fft *f, struct buffer *out)
{
	const unsigned last = f->n_axes - 1;
	struct buffer *from, *work;
	int error = work_buffer(c, out, f->work, &work);

	if (!error && precision_is_gemm(f->precision)) {
		error = half_by_product(c, f, work);
	} else {
		if (!error)
			error = prepare_transform(c, f, f->work_real, f->lengths[last], NULL, &from);
		if (!error)
			error = transform_axis(c, f, last, from, work);
	}
	if (!error)
		error = transform_axes(c, f, last, work, work);
	return error ? error : finish_transform(c, f, work, out);
}

/* The other axes first, in a temporary, since the input stays as it was; then the last from half a spectrum to reals.
 */
static int real_inverse_steps(struct compiler *c, struct request_fft *f, struct buffer *out)
{
	const unsigned last = f->n_axes - 1;
	struct buffer *from = NULL, *half, *work;
	int error = work_buffer(c, out, f->work_real, &work);

	if (!error)
		error = prepare_transform(c, f, f->work, f->lengths[last] / 2 + 1, NULL, &from);
	half = from;
	if (!error && last > 0 && from == f->in)
		error = add_temp(c, &from->shape, &half);
	if (!error)
		error = transform_axes(c, f, last, from, half);
	if (!error)
		error = transform_axis(c, f, last, half, work);
	return error ? error : finish_transform(c, f, work, out);
}

/* Which mode ran and its bound stand in every reply, also where nothing was asked. */
static int put_precision(struct compiler *c, const struct request_fft *f)
{
	struct bump *bump = c->plan->bump;

	if (value_put(bump, c->reply, "precision", value_string(precision_name(f->precision))) ||
	    value_put(bump, c->reply, "bound", value_real(f->bound)))
		return compile_no_memory(c);
	return 0;
}

/* Compiles any of the three operations. The output's last axis has n/2 + 1 elements where the result is half a
 * spectrum. */
static int compile_transform(struct compiler *c, enum transform_family family)
{
	struct request_fft f = {0};
	struct buffer *out;
	struct shape shape;
	uint64_t n;
	int error = transform_read(c, family, &f);

	if (error)
		return error;
	n = f.lengths[f.n_axes - 1];
	error = shape_with(c, &f, f.out, f.halves ? n / 2 + 1 : n, &shape);
	if (!error)
		error = compile_output(c, FFT_OUT, &shape, &out);
	if (!error)
		error = f.reals    ? real_inverse_steps(c, &f, out)
			: f.halves ? real_steps(c, &f, out)
				   : complex_steps(c, &f, out);
	if (!error)
		error = put_precision(c, &f);
	return error ? error : compile_reply(c, FFT_OUT, out);
}

int compile_fft(struct compiler *c)
{
	return compile_transform(c, TRANSFORM_FOURIER);
}

int compile_dct(struct compiler *c)
{
	return compile_transform(c, TRANSFORM_COSINE);
}

int compile_dst(struct compiler *c)
{
	return compile_transform(c, TRANSFORM_SINE);
}
