/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a transform's parameters: axes, lengths, kind and precision. */
#include "engine/compile/transform_request.h"

#include <inttypes.h>

/* Rounding to float32 in the relative L2 norm: half a unit in the last place of each element at most. */
static const double ROUNDING_F32 = 0x1p-24;

/* What gives half a spectrum takes reals. */
static void check_input(struct compiler *c, const struct request_fft *f)
{
	const enum dtype dtype = f->in->shape.dtype;

	if (f->halves && dtype_is_complex(dtype))
		compile_param_error(c, FFT_IN, ERROR_BAD_SHAPE, "its dtype is %s, allowed with %s are f32 and f64",
				    dtype_name(dtype), f->kind == PLAN_REAL ? "real" : "hermitian and inverse");
}

/* Without axes: the last one, or as many of the last as there are lengths. */
static void find_axes(struct compiler *c, struct request_fft *f)
{
	const struct arg *axes = &c->args.at[FFT_AXES], *length = &c->args.at[FFT_LENGTH];
	const unsigned ndim = f->in->shape.ndim;
	unsigned seen = 0;

	f->n_axes = axes->given || !length->given ? axes->axes.count : length->shape.count;
	if (f->n_axes > ndim)
		compile_param_error(c, axes->given ? FFT_AXES : FFT_LENGTH, ERROR_BAD_SHAPE, "%u axes, the input has %u",
				    f->n_axes, ndim);
	for (unsigned i = 0; i < f->n_axes && !c->error; i++) {
		const int64_t axis = axes->given ? axes->axes.at[i] : (int64_t)i - f->n_axes;

		if (axis < -(int64_t)ndim || axis >= (int64_t)ndim) {
			compile_param_error(c, FFT_AXES, ERROR_OUT_OF_RANGE,
					    "got %" PRId64 ", allowed for %u dimensions is %d to %d", axis, ndim,
					    -(int)ndim, (int)ndim - 1);
			return;
		}
		f->axes[i] = (unsigned)(axis < 0 ? axis + ndim : axis);
		if (seen & 1u << f->axes[i])
			compile_param_error(c, FFT_AXES, ERROR_OUT_OF_RANGE,
					    "axis %" PRId64 " is given twice, allowed is once", axis);
		seen |= 1u << f->axes[i];
	}
}

/* Finds the length of each axis: as asked, or the input's. From half a spectrum to reals, m bins make 2 (m - 1)
 * samples, as in numpy, since an odd length cannot be seen in it. */
static void find_lengths(struct compiler *c, struct request_fft *f)
{
	const struct arg *length = &c->args.at[FFT_LENGTH];
	const unsigned last = f->n_axes - 1;
	const uint64_t most = transform_is_series(f) ? FFT_SERIES_MAX_LENGTH : FFT_MAX_LENGTH;
	const uint64_t least = transform_is_series(f) ? fft_series_least(transform_series(f)) : 1;

	if (length->given && length->shape.count != 1 && length->shape.count != f->n_axes)
		compile_param_error(c, FFT_LENGTH, ERROR_BAD_SHAPE,
				    "%u lengths for %u axes, allowed is one for each, or one number for the last",
				    length->shape.count, f->n_axes);
	for (unsigned i = 0; i < f->n_axes && !c->error; i++) {
		const uint64_t m = f->in->shape.dims[f->axes[i]];
		uint64_t asked = BIND_AS_IT_IS;

		if (length->given && length->shape.count == f->n_axes)
			asked = length->shape.at[i];
		else if (length->given && i == last)
			asked = length->shape.at[0];
		f->lengths[i] = asked != BIND_AS_IT_IS ? asked : f->reals && i == last ? 2 * (m - (m > 0)) : m;
		if (f->lengths[i] < least || f->lengths[i] > most)
			compile_param_error(c, FFT_LENGTH, ERROR_OUT_OF_RANGE,
					    "axis %u would have length %" PRIu64 ", allowed is %" PRIu64 " to %" PRIu64,
					    f->axes[i], f->lengths[i], least, most);
	}
}

/* Returns the longest length of all axes. */
static uint64_t find_longest(const struct request_fft *f)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < f->n_axes; i++)
		n = f->lengths[i] > n ? f->lengths[i] : n;
	return n;
}

/* The length that decides which mode runs for all axes: a product with the matrix only where each is short, and never
 * from half a spectrum to reals, or a cosine or sine transform. */
static uint64_t find_deciding_length(const struct request_fft *f)
{
	const uint64_t n = find_longest(f);

	return (f->reals || transform_is_series(f)) && n <= PRECISION_MAX_GEMM ? PRECISION_MAX_GEMM + 1 : n;
}

/* kahan's arithmetic is float64 as well. */
static bool is_wide_inside(enum precision precision)
{
	return precision == PRECISION_KAHAN || precision_is_wide(precision);
}

/* Each transform along an axis is a multiple of a unitary one, so relative errors of several compound. */
static double find_bound(const struct request_fft *f, enum precision precision, enum dtype out)
{
	const double rounding = dtype_is_wide(f->in->shape.dtype) && !is_wide_inside(precision) ? ROUNDING_F32 : 0;
	const double bound = precision_bound_in_row(precision, f->n_axes, rounding);

	return precision_is_wide(precision) && !dtype_is_wide(out) ? bound + ROUNDING_F32 : bound;
}

/* complex64 stands for float32 where the result is real. */
static enum dtype result_dtype(const struct compiler *c, const struct request_fft *f, bool wide)
{
	const enum dtype asked = bind_dtype(&c->args, FFT_DTYPE);

	if (asked != DTYPE_NONE)
		wide = dtype_is_wide(asked);
	if (f->reals || (transform_is_series(f) && !dtype_is_complex(f->in->shape.dtype)))
		return wide ? DTYPE_F64 : DTYPE_F32;
	return wide ? DTYPE_C128 : DTYPE_C64;
}

/* The cheapest mode in a fixed order whose bound meets the target; never by a timing, so the choice is the same on
 * every host. */
static void find_for_target(struct compiler *c, struct request_fft *f)
{
	const double target = c->args.at[FFT_TARGET_ERROR].f64;
	const double rounding = dtype_is_wide(f->in->shape.dtype) ? ROUNDING_F32 : 0;
	const uint64_t n = find_deciding_length(f);
	const enum precision best = precision_serving(PRECISION_OZAKI_FP64, n);

	if (precision_for_target(target, n, f->n_axes, rounding, &f->precision))
		compile_param_error(c, FFT_TARGET_ERROR, ERROR_OUT_OF_RANGE,
				    "got %.3g, allowed is the bound of %s, %.3g, and up", target, precision_name(best),
				    find_bound(f, best, DTYPE_C128));
}

/* Finds the mode, and from it the dtypes of the arithmetic and the result. A mode that does not serve the length
 * becomes the one that does (`precision_serving`), and the reply says which ran. */
static void find_precision(struct compiler *c, struct request_fft *f)
{
	const bool wide = dtype_is_wide(f->in->shape.dtype);
	const struct arg *target = &c->args.at[FFT_TARGET_ERROR], *mode = &c->args.at[FFT_PRECISION];

	f->precision = wide ? PRECISION_DOUBLE : PRECISION_FAST;
	if (target->given && mode->given)
		compile_param_error(c, FFT_TARGET_ERROR, ERROR_OUT_OF_RANGE,
				    "given beside precision, allowed is one of them");
	if (mode->given)
		f->precision = precision_serving((enum precision)mode->choice, find_deciding_length(f));
	if (target->given)
		find_for_target(c, f);
	f->work_real = is_wide_inside(f->precision) ? DTYPE_F64 : DTYPE_F32;
	f->work = is_wide_inside(f->precision) ? DTYPE_C128 : DTYPE_C64;
	if (transform_is_series(f) && !dtype_is_complex(f->in->shape.dtype))
		f->work = f->work_real;
	f->out = result_dtype(c, f, wide || precision_is_wide(f->precision));
	f->bound = find_bound(f, f->precision, f->out);
}

/* What an fft is between: complex numbers, or reals and half a spectrum. */
static void read_fourier(struct compiler *c, struct request_fft *f)
{
	const bool real = c->args.at[FFT_REAL].boolean, hermitian = c->args.at[FFT_HERMITIAN].boolean;

	if (real && hermitian)
		compile_param_error(c, FFT_HERMITIAN, ERROR_OUT_OF_RANGE,
				    "given beside real, allowed is one of them");
	f->kind = real ? PLAN_REAL : hermitian ? PLAN_HERMITIAN : PLAN_COMPLEX;
	f->reals = f->inverse ? real : hermitian;
	f->halves = f->inverse ? hermitian : real;
}

/* Which of the types runs. */
static void read_series(const struct compiler *c, bool sine, struct request_fft *f)
{
	enum { AUTO, NO, YES };
	const unsigned asked = c->args.at[SERIES_ORTHOGONALIZE].choice;
	const bool orthogonal = asked == AUTO ? f->norm == NORM_ORTHO : asked == YES;
	enum fft_series series = (sine ? FFT_DST1 : FFT_DCT1) + c->args.at[SERIES_TYPE].choice;

	if (f->inverse)
		series = fft_series_inverse(series);
	f->kind = PLAN_SERIES + 2 * series + orthogonal;
}

/* Checks follow one another as each needs what those before it found: kind, input, axes, lengths, mode. */
void transform_read(struct compiler *c, enum transform_family family, struct request_fft *f)
{
	f->inverse = c->args.at[FFT_INVERSE].boolean;
	f->norm = (enum norm)c->args.at[FFT_NORM].choice;
	if (family == TRANSFORM_FOURIER)
		read_fourier(c, f);
	else
		read_series(c, family == TRANSFORM_SINE, f);
	f->in = compile_floating_input(c, FFT_IN);
	check_input(c, f);
	find_axes(c, f);
	find_lengths(c, f);
	if (!c->error)
		find_precision(c, f);
}
