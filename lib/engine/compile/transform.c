/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling transforms: axes, lengths and precision become resizes, casts and one step for each axis. */
#include <inttypes.h>
#include <math.h>

#include "engine/compile/compile.h"
#include "engine/compile/scaling.h"
#include "fft/precision/precision.h"

enum norm { NORM_BACKWARD, NORM_ORTHO, NORM_FORWARD };

/* Rounding to float32 in the relative L2 norm: half a unit in the last place of each element at most. */
static const double ROUNDING_F32 = 0x1p-24;

struct request_fft {
	struct buffer *in;
	unsigned n_axes, axes[SHAPE_MAX_DIMS]; /* in the order given; the last is transformed first */
	uint64_t lengths[SHAPE_MAX_DIMS];      /* of each axis: the transform's */
	bool inverse;
	bool halves, reals; /* the last axis is half a spectrum in the result, or in the input and real in the result */
	enum plan_kind kind; /* of the last axis; of a series, of all of them */
	enum norm norm;
	enum precision precision;        /* that runs */
	enum dtype work, work_real, out; /* of the arithmetic, complex and real; of the result */
	double bound;
	struct buffer *tops; /* by which float64 input of a float32 mode is scaled; else NULL */
};

/* Whether it is a cosine or sine transform; their plans' numbers follow those of Fourier transforms, two for each
 * type. */
static bool is_series(const struct request_fft *f)
{
	return f->kind >= PLAN_SERIES;
}

static enum fft_series series_of(const struct request_fft *f)
{
	return (f->kind - PLAN_SERIES) / 2;
}

/* What gives half a spectrum takes reals. */
static int check_input(const struct compiler *c, const struct request_fft *f)
{
	const enum dtype dtype = f->in->shape.dtype;

	if (f->halves && dtype_is_complex(dtype))
		return bind_error(&c->args, FFT_IN, c->err, ERROR_BAD_SHAPE,
				  "its dtype is %s, allowed with %s are f32 and f64", dtype_name(dtype),
				  f->kind == PLAN_REAL ? "real" : "hermitian and inverse");
	return 0;
}

/* Without axes: the last one, or as many of the last as there are lengths. */
static int find_axes(const struct compiler *c, struct request_fft *f)
{
	const struct arg *axes = &c->args.at[FFT_AXES], *length = &c->args.at[FFT_LENGTH];
	const unsigned ndim = f->in->shape.ndim;
	unsigned seen = 0;

	f->n_axes = axes->given || !length->given ? axes->axes.count : length->shape.count;
	if (f->n_axes > ndim)
		return bind_error(&c->args, axes->given ? FFT_AXES : FFT_LENGTH, c->err, ERROR_BAD_SHAPE,
				  "%u axes, the input has %u", f->n_axes, ndim);
	for (unsigned i = 0; i < f->n_axes; i++) {
		const int64_t axis = axes->given ? axes->axes.at[i] : (int64_t)i - f->n_axes;

		if (axis < -(int64_t)ndim || axis >= (int64_t)ndim)
			return bind_error(&c->args, FFT_AXES, c->err, ERROR_OUT_OF_RANGE,
					  "got %" PRId64 ", allowed for %u dimensions is %d to %d", axis, ndim,
					  -(int)ndim, (int)ndim - 1);
		f->axes[i] = (unsigned)(axis < 0 ? axis + ndim : axis);
		if (seen & 1u << f->axes[i])
			return bind_error(&c->args, FFT_AXES, c->err, ERROR_OUT_OF_RANGE,
					  "axis %" PRId64 " is given twice, allowed is once", axis);
		seen |= 1u << f->axes[i];
	}
	return 0;
}

/* Finds the length of each axis: as asked, or the input's. From half a spectrum to reals, m bins make 2 (m - 1)
 * samples, as in numpy, since an odd length cannot be seen in it. */
static int find_lengths(const struct compiler *c, struct request_fft *f)
{
	const struct arg *length = &c->args.at[FFT_LENGTH];
	const unsigned last = f->n_axes - 1;
	const uint64_t most = is_series(f) ? FFT_SERIES_MAX_LENGTH : FFT_MAX_LENGTH;
	const uint64_t least = is_series(f) ? fft_series_least(series_of(f)) : 1;

	if (length->given && length->shape.count != 1 && length->shape.count != f->n_axes)
		return bind_error(&c->args, FFT_LENGTH, c->err, ERROR_BAD_SHAPE,
				  "%u lengths for %u axes, allowed is one for each, or one number for the last",
				  length->shape.count, f->n_axes);
	for (unsigned i = 0; i < f->n_axes; i++) {
		const uint64_t m = f->in->shape.dims[f->axes[i]];

		uint64_t asked = BIND_AS_IT_IS;

		if (length->given && length->shape.count == f->n_axes)
			asked = length->shape.at[i];
		else if (length->given && i == last)
			asked = length->shape.at[0];
		f->lengths[i] = asked != BIND_AS_IT_IS ? asked : f->reals && i == last ? 2 * (m - (m > 0)) : m;
		if (f->lengths[i] < least || f->lengths[i] > most)
			return bind_error(&c->args, FFT_LENGTH, c->err, ERROR_OUT_OF_RANGE,
					  "axis %u would have length %" PRIu64 ", allowed is %" PRIu64 " to %" PRIu64,
					  f->axes[i], f->lengths[i], least, most);
	}
	return 0;
}

static uint64_t longest(const struct request_fft *f)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < f->n_axes; i++)
		n = f->lengths[i] > n ? f->lengths[i] : n;
	return n;
}

/* The length that decides which mode runs for all axes: a product with the matrix only where each is short, and never
 * from half a spectrum to reals, or a cosine or sine transform. */
static uint64_t deciding(const struct request_fft *f)
{
	const uint64_t n = longest(f);

	return (f->reals || is_series(f)) && n <= PRECISION_MAX_GEMM ? PRECISION_MAX_GEMM + 1 : n;
}

/* kahan's arithmetic is float64 as well. */
static bool is_wide_inside(enum precision precision)
{
	return precision == PRECISION_KAHAN || precision_is_wide(precision);
}

/* Each transform along an axis is a multiple of a unitary one, so relative errors of several compound. */
static double bound_of(const struct request_fft *f, enum precision precision, enum dtype out)
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
	if (f->reals || (is_series(f) && !dtype_is_complex(f->in->shape.dtype)))
		return wide ? DTYPE_F64 : DTYPE_F32;
	return wide ? DTYPE_C128 : DTYPE_C64;
}

/* The cheapest mode in a fixed order whose bound meets the target; never by a timing, so the choice is the same on
 * every host. */
static int find_for_target(const struct compiler *c, struct request_fft *f)
{
	const double target = c->args.at[FFT_TARGET_ERROR].f64;
	const double rounding = dtype_is_wide(f->in->shape.dtype) ? ROUNDING_F32 : 0;
	const uint64_t n = deciding(f);
	const enum precision best = precision_serving(PRECISION_OZAKI_FP64, n);

	if (precision_for_target(target, n, f->n_axes, rounding, &f->precision) == 0)
		return 0;
	return bind_error(&c->args, FFT_TARGET_ERROR, c->err, ERROR_OUT_OF_RANGE,
			  "got %.3g, allowed is the bound of %s, %.3g, and up", target, precision_name(best),
			  bound_of(f, best, DTYPE_C128));
}

/* Finds the mode, and from it the dtypes of the arithmetic and the result. A mode that does not serve the length
 * becomes the one that does (`precision_serving`), and the reply says which ran. */
static int find_precision(const struct compiler *c, struct request_fft *f)
{
	const bool wide = dtype_is_wide(f->in->shape.dtype);
	const struct arg *target = &c->args.at[FFT_TARGET_ERROR], *mode = &c->args.at[FFT_PRECISION];
	int error = 0;

	f->precision = wide ? PRECISION_DOUBLE : PRECISION_FAST;
	if (target->given && mode->given)
		return bind_error(&c->args, FFT_TARGET_ERROR, c->err, ERROR_OUT_OF_RANGE,
				  "given beside precision, allowed is one of them");
	if (mode->given)
		f->precision = precision_serving((enum precision)mode->choice, deciding(f));
	if (target->given)
		error = find_for_target(c, f);
	f->work_real = is_wide_inside(f->precision) ? DTYPE_F64 : DTYPE_F32;
	f->work = is_wide_inside(f->precision) ? DTYPE_C128 : DTYPE_C64;
	if (is_series(f) && !dtype_is_complex(f->in->shape.dtype))
		f->work = f->work_real;
	f->out = result_dtype(c, f, wide || precision_is_wide(f->precision));
	f->bound = error ? 0 : bound_of(f, f->precision, f->out);
	return error;
}

/* What an fft is between: complex numbers, or reals and half a spectrum. */
static int read_fourier(const struct compiler *c, struct request_fft *f)
{
	const bool real = c->args.at[FFT_REAL].boolean, hermitian = c->args.at[FFT_HERMITIAN].boolean;

	if (real && hermitian)
		return bind_error(&c->args, FFT_HERMITIAN, c->err, ERROR_OUT_OF_RANGE,
				  "given beside real, allowed is one of them");
	f->kind = real ? PLAN_REAL : hermitian ? PLAN_HERMITIAN : PLAN_COMPLEX;
	f->reals = f->inverse ? real : hermitian;
	f->halves = f->inverse ? hermitian : real;
	return 0;
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

/* Which transforms an operation makes. */
enum family { FOURIER, COSINE, SINE };

static int read_request(struct compiler *c, enum family family, struct request_fft *f)
{
	int error = 0;

	f->inverse = c->args.at[FFT_INVERSE].boolean;
	f->norm = (enum norm)c->args.at[FFT_NORM].choice;
	if (family == FOURIER)
		error = read_fourier(c, f);
	else
		read_series(c, family == SINE, f);
	if (!error)
		error = compile_floating_input(c, FFT_IN, &f->in);
	if (!error)
		error = check_input(c, f);
	if (!error)
		error = find_axes(c, f);
	if (!error)
		error = find_lengths(c, f);
	return error ? error : find_precision(c, f);
}

/* There and back multiplies by n, of a series by its period. */
static double factor(const struct request_fft *f, uint64_t n)
{
	const double whole = (double)(is_series(f) ? fft_series_period(series_of(f), n) : n);

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

static int temp(struct compiler *c, const struct shape *shape, struct buffer **ret)
{
	*ret = program_buffer(c->program, BUFFER_TEMP, shape);
	return *ret ? 0 : compile_no_memory(c);
}

/* in to out, by a cast where only the dtype differs. */
static int move(struct compiler *c, struct buffer *in, struct buffer *out)
{
	bool same = true;

	for (unsigned i = 0; i < in->shape.ndim; i++)
		same &= in->shape.dims[i] == out->shape.dims[i];
	return program_step(c->program, same ? STEP_CAST : STEP_RESIZE, in, out) ? 0 : compile_no_memory(c);
}

static uint32_t axes_of(const struct request_fft *f)
{
	uint32_t axes = 0;

	for (unsigned i = 0; i < f->n_axes; i++)
		axes |= 1u << f->axes[i];
	return axes;
}

/* Wide input to a narrow mode. */
static int scale_down(struct compiler *c, struct request_fft *f, struct buffer *out)
{
	return scaling_steps_down(c, axes_of(f), f->in, out, &f->tops);
}

/* The result of the arithmetic to the result. */
static int finish_transform(struct compiler *c, const struct request_fft *f, struct buffer *work, struct buffer *out)
{
	if (f->tops)
		return scaling_steps_up(c, axes_of(f), work, f->tops, out);
	return work == out ? 0 : move(c, work, out);
}

/* Adds the step of one axis. Between reals and half a spectrum the plan is of that kind; the other axes of such a
 * transform are complex. */
static int transform_axis(struct compiler *c, const struct request_fft *f, unsigned i, struct buffer *in,
			  struct buffer *out)
{
	const struct plan_key key = {
		.n = f->lengths[i],
		.precision = f->precision == PRECISION_KAHAN ? PRECISION_DOUBLE : f->precision,
		.kind = is_series(f) || in->shape.dtype != out->shape.dtype ? f->kind : PLAN_COMPLEX,
	};
	struct plan_entry *plan;
	struct step *step;
	int error = program_plan(c->program, key, &plan);

	if (error)
		return compile_no_memory(c);
	step = program_step(c->program, STEP_FFT, in, out);
	if (!step)
		return compile_no_memory(c);
	step->fft.axis = f->axes[i];
	step->plan = plan;
	step->fft.length = f->lengths[i];
	step->fft.precision = key.precision;
	step->fft.inverse = f->inverse;
	step->fft.parts = is_series(f) && dtype_is_complex(out->shape.dtype);
	step->fft.factor = factor(f, f->lengths[i]);
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
		error = temp(c, &shape, &buffer);
	if (!error && dtype_is_wide(f->in->shape.dtype) && !dtype_is_wide(dtype))
		error = scale_down(c, f, buffer);
	else if (!error)
		error = move(c, f->in, buffer);
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
	return shape_finish(&shape) ? temp(c, &shape, ret) : compile_no_memory(c);
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
		error = temp(c, &from->shape, &whole);
	if (!error)
		error = transform_axis(c, f, last, from, whole);
	return error ? error : move(c, whole, half);
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

/* The other axes first, in a temporary, since the input stays as it was; then the last from half a spectrum to reals. */
static int real_inverse_steps(struct compiler *c, struct request_fft *f, struct buffer *out)
{
	const unsigned last = f->n_axes - 1;
	struct buffer *from = NULL, *half, *work;
	int error = work_buffer(c, out, f->work_real, &work);

	if (!error)
		error = prepare_transform(c, f, f->work, f->lengths[last] / 2 + 1, NULL, &from);
	half = from;
	if (!error && last > 0 && from == f->in)
		error = temp(c, &from->shape, &half);
	if (!error)
		error = transform_axes(c, f, last, from, half);
	if (!error)
		error = transform_axis(c, f, last, half, work);
	return error ? error : finish_transform(c, f, work, out);
}

/* Which mode ran and its bound stand in every reply, also where nothing was asked. */
static int put_precision(struct compiler *c, const struct request_fft *f)
{
	struct bump *bump = c->program->bump;

	if (value_put(bump, c->reply, "precision", value_string(precision_name(f->precision))) ||
	    value_put(bump, c->reply, "bound", value_real(f->bound)))
		return compile_no_memory(c);
	return 0;
}

static int compile_transform(struct compiler *c, enum family family)
{
	struct request_fft f = {0};
	struct buffer *out;
	struct shape shape;
	uint64_t n;
	int error = read_request(c, family, &f);

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
	return compile_transform(c, FOURIER);
}

int compile_dct(struct compiler *c)
{
	return compile_transform(c, COSINE);
}

int compile_dst(struct compiler *c)
{
	return compile_transform(c, SINE);
}
