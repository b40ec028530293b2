/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling transforms: axes, lengths and precision become resizes, casts and one step for all axes.
 *
 *     complex, series    in -(cast, pad, trim or scale)-> work, then all axes, the last of the list first
 *     real               in -> reals -(last axis)-> half a spectrum, then the other axes
 *     real, inverse      in -> half a spectrum, the other axes, then -(last axis)-> reals
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

/* Returns the input's shape with the transform's lengths; the last axis, of a real transform, with `last`. */
static struct shape shape_with(struct compiler *c, const struct request_fft *f, enum dtype dtype, uint64_t last)
{
	struct shape shape = f->in->shape;

	shape.dtype = dtype;
	for (unsigned i = 0; i < f->n_axes; i++)
		shape.dims[f->axes[i]] = i + 1 == f->n_axes ? last : f->lengths[i];
	if (!shape_finish(&shape))
		compile_param_error(c, FFT_LENGTH, ERROR_OUT_OF_RANGE,
				    "the result has more than 2^62 bytes, allowed are fewer");
	return shape;
}

/* Adds the step that copies in to out: a cast where only the dtype differs, else padding or trimming. */
static void add_move(struct compiler *c, struct buffer *in, struct buffer *out)
{
	bool same = true;

	for (unsigned i = 0; i < in->shape.ndim; i++)
		same &= in->shape.dims[i] == out->shape.dims[i];
	compile_add_step(c, same ? STEP_CAST : STEP_RESIZE, in, out);
}

/* Returns the axes as a mask. */
static uint32_t axes_of(const struct request_fft *f)
{
	uint32_t axes = 0;

	for (unsigned i = 0; i < f->n_axes; i++)
		axes |= 1u << f->axes[i];
	return axes;
}

/* Brings the arithmetic's result to the output: undoes the scaling, or converts the dtype. */
static void finish_transform(struct compiler *c, const struct request_fft *f, struct buffer *work, struct buffer *out)
{
	if (f->max_abs)
		scaling_steps_up(c, axes_of(f), work, f->max_abs, out);
	else if (work != out)
		add_move(c, work, out);
}

/* Adds transform i to a step. Between reals and half a spectrum the last axis' plan is of that kind; the others of such a
 * transform are complex. */
static void add_axis(struct compiler *c, const struct request_fft *f, unsigned i, struct step *step)
{
	const bool changes = step->in[0]->shape.dtype != step->out->shape.dtype && i + 1 == f->n_axes;
	const struct plan_key key = {
		.n = f->lengths[i],
		.precision = f->precision == PRECISION_KAHAN ? PRECISION_DOUBLE : f->precision,
		.kind = transform_is_series(f) || changes ? f->kind : PLAN_COMPLEX,
	};
	const int transform = compile_add_transform(c, key);
	const unsigned at = step->n_transforms++;

	if (at == 0) {
		step->transform = transform;
		step->fft.length = key.n;
		step->fft.precision = key.precision;
	}
	step->fft.axis[at] = (unsigned char)f->axes[i];
	step->fft.factor[at] = find_factor(f, f->lengths[i]);
}

struct step *transform_axes(struct compiler *c, const struct request_fft *f, unsigned first, unsigned end, struct buffer *in,
				   struct buffer *out)
{
	struct step *step = compile_add_step(c, STEP_FFT, in, out);
	const bool ends_real = dtype_is_complex(in->shape.dtype) && !dtype_is_complex(out->shape.dtype);

	if (c->error)
		return step;
	step->fft.inverse = f->inverse;
	step->fft.parts = transform_is_series(f) && dtype_is_complex(out->shape.dtype);
	for (unsigned i = ends_real ? end - 1 : end; i-- > first;)
		add_axis(c, f, i, step);
	if (ends_real)
		add_axis(c, f, end - 1, step);
	return step;
}

/* Returns the input as an array of that dtype and the transform's lengths (the last of them `last`): itself, or copied
 * to `into`, or, where that is NULL, to a temporary. Brings float64 input to float32 with each transform scaled by a
 * power of two: so the bound holds over float64's range. */
static struct buffer *prepare_transform(struct compiler *c, struct request_fft *f, enum dtype dtype, uint64_t last,
					struct buffer *into)
{
	const struct shape shape = shape_with(c, f, dtype, last);

	if (shape_equal(&f->in->shape, &shape))
		return f->in;
	if (!into)
		into = compile_add_temp(c, &shape);
	if (dtype_is_wide(f->in->shape.dtype) && !dtype_is_wide(dtype))
		f->max_abs = scaling_steps_down(c, axes_of(f), f->in, into);
	else
		add_move(c, f->in, into);
	return into;
}

/* Returns where the arithmetic's result goes: out itself, or a temporary of its own dtype, to be cast. */
static struct buffer *work_buffer(struct compiler *c, struct buffer *out, enum dtype dtype)
{
	struct shape shape = out->shape;

	if (shape.dtype == dtype)
		return out;
	shape.dtype = dtype;
	if (!shape_finish(&shape))
		compile_no_memory(c);
	return compile_add_temp(c, &shape);
}

/* Steps of a transform whose axes are all alike: complex, or a cosine or sine transform. The axes go from
 * the input to the work buffer, so no more memory is needed than the result has. */
static void complex_steps(struct compiler *c, struct request_fft *f, struct buffer *out)
{
	struct buffer *work = work_buffer(c, out, f->work);
	struct buffer *from = prepare_transform(c, f, f->work, f->lengths[f->n_axes - 1], work);

	transform_axes(c, f, 0, f->n_axes, from, work);
	finish_transform(c, f, work, out);
}

/* Products with the DFT's matrix have no form for reals: the last axis becomes a whole spectrum, of which half is
 * kept. */
static void half_by_product(struct compiler *c, struct request_fft *f, struct buffer *half)
{
	const unsigned last = f->n_axes - 1;
	struct buffer *from = prepare_transform(c, f, f->work, f->lengths[last], NULL);
	struct buffer *whole = compile_add_temp(c, &from->shape);

	transform_axes(c, f, last, f->n_axes, from, whole);
	add_move(c, whole, half);
}

/* The last axis to half a spectrum, then the others. */
static void real_steps(struct compiler *c, struct request_fft *f, struct buffer *out)
{
	const unsigned last = f->n_axes - 1;
	struct buffer *work = work_buffer(c, out, f->work);

	if (!precision_is_gemm(f->precision)) {
		transform_axes(c, f, 0, f->n_axes, prepare_transform(c, f, f->work_real, f->lengths[last], NULL), work);
	} else {
		half_by_product(c, f, work);
		if (last > 0)
			transform_axes(c, f, 0, last, work, work);
	}
	finish_transform(c, f, work, out);
}

/* From half a spectrum to reals. A spectrum that is a temporary may be overwritten. */
static void real_inverse_steps(struct compiler *c, struct request_fft *f, struct buffer *out)
{
	const unsigned last = f->n_axes - 1;
	struct buffer *work = work_buffer(c, out, f->work_real);
	struct buffer *half = prepare_transform(c, f, f->work, f->lengths[last] / 2 + 1, NULL);

	transform_axes(c, f, 0, f->n_axes, half, work)->overwrites_in = last > 0 && half != f->in;
	finish_transform(c, f, work, out);
}

/* Compiles any of the three operations. The output's last axis has n/2 + 1 elements where the result is half a
 * spectrum. Which mode ran and its bound stand in every reply, also where nothing was asked. */
static void compile_transform(struct compiler *c, enum transform_family family)
{
	struct request_fft f = {0};
	struct buffer *out;
	struct shape shape;
	uint64_t n;

	transform_read(c, family, &f);
	if (c->error)
		return;
	n = f.lengths[f.n_axes - 1];
	shape = shape_with(c, &f, f.out, f.halves ? n / 2 + 1 : n);
	out = compile_output(c, FFT_OUT, &shape);
	if (f.reals)
		real_inverse_steps(c, &f, out);
	else if (f.halves)
		real_steps(c, &f, out);
	else
		complex_steps(c, &f, out);
	compile_put(c, "precision", value_string(precision_name(f.precision)));
	compile_put(c, "bound", value_real(f.bound));
	compile_reply(c, FFT_OUT, out);
}

void compile_fft(struct compiler *c)
{
	compile_transform(c, TRANSFORM_FOURIER);
}

void compile_dct(struct compiler *c)
{
	compile_transform(c, TRANSFORM_COSINE);
}

void compile_dst(struct compiler *c)
{
	compile_transform(c, TRANSFORM_SINE);
}
