/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling signal processing: inputs, windows, temporaries and steps; and the operation window itself. */
#include "engine/compile/signal.h"

#include <inttypes.h>
#include <string.h>

enum dtype signal_dtype(bool wide, bool is_complex)
{
	return is_complex ? (wide ? DTYPE_C128 : DTYPE_C64) : wide ? DTYPE_F64 : DTYPE_F32;
}

enum fft_precision signal_precision(bool wide)
{
	return wide ? FFT_F64 : FFT_F32;
}

/* A signal's steps read their input while they write, at other places: never in the output's own memory. */
int signal_prepare(struct compiler *c, enum dtype dtype, const struct buffer *out, struct buffer **buffer)
{
	struct shape shape = (*buffer)->shape;
	struct buffer *copy;

	shape.dtype = dtype;
	if ((*buffer)->shape.dtype == dtype && *buffer != out)
		return 0;
	copy = shape_finish(&shape) ? plan_buffer(c->plan, BUFFER_TEMP, &shape) : NULL;
	if (!copy || !plan_step(c->plan, STEP_CAST, *buffer, copy))
		return compile_no_memory(c);
	*buffer = copy;
	return 0;
}

/* The memory itself is taken when the plan runs (call/run.h); here only sizes are checked. */
int signal_temp(struct compiler *c, enum dtype dtype, uint64_t count, uint64_t rows, uint64_t columns,
		struct buffer **ret_buffer)
{
	struct shape shape = {.dtype = dtype, .ndim = 3, .dims = {count, rows, columns}};

	if (!shape_finish(&shape))
		return error_set(c->err, ERROR_LIMIT, "%s: a temporary of more than 2^62 bytes, allowed are fewer",
				 c->args.context);
	*ret_buffer = plan_buffer(c->plan, BUFFER_TEMP, &shape);
	return *ret_buffer ? 0 : compile_no_memory(c);
}

/* Requests are compiled on the stack; what their steps need later is copied to the plan. */
void *signal_keep(struct compiler *c, const void *call, size_t size)
{
	void *kept = bump_alloc(c->plan->bump, size);

	return kept ? memcpy(kept, call, size) : NULL;
}

/* call is NULL where signal_keep had no memory, so callers need not check it themselves. */
int signal_step(struct compiler *c, const struct signal_kind *kind, const void *call, int transform,
		struct buffer *in, struct buffer *second, struct buffer *out, struct step **ret_step)
{
	struct step *step = call ? plan_step(c->plan, STEP_SIGNAL, in, out) : NULL;

	if (!step)
		return compile_no_memory(c);
	step->in[1] = second;
	step->signal.kind = kind;
	step->signal.call = call;
	step->transform = transform;
	step->signal.failure = NULL;
	if (ret_step)
		*ret_step = step;
	return 0;
}

int signal_plan(struct compiler *c, uint64_t n, bool wide, bool real, int *ret_transform)
{
	const struct plan_key key = {n, wide ? PRECISION_DOUBLE : PRECISION_FAST, real ? PLAN_REAL : PLAN_COMPLEX};

	return compile_take_transform(c, key, ret_transform);
}

/* Results of signals have no precision modes: float32 for float32 input, float64 for float64. */
int signal_transform(struct compiler *c, int transform, uint64_t n, bool inverse, double factor,
		     struct buffer *in, struct buffer *out)
{
	struct step *step = plan_step(c->plan, STEP_FFT, in, out);

	if (!step)
		return compile_no_memory(c);
	step->fft.axis = in->shape.ndim - 1;
	step->transform = transform;
	step->fft.length = n;
	step->fft.precision = dtype_is_wide(in->shape.dtype) ? PRECISION_DOUBLE : PRECISION_FAST;
	step->fft.inverse = inverse;
	step->fft.factor = factor;
	return 0;
}

uint64_t signal_rows(const struct shape *shape, unsigned axis)
{
	uint64_t rows = 1;

	for (unsigned i = 0; i < axis; i++)
		rows *= shape->dims[i];
	return rows;
}

uint64_t signal_stride(const struct shape *shape, unsigned axis)
{
	uint64_t stride = 1;

	for (unsigned i = axis + 1; i < shape->ndim; i++)
		stride *= shape->dims[i];
	return stride;
}

/* Negative axes count from the end, as in numpy. */
int signal_axis(struct compiler *c, unsigned param, unsigned ndim, unsigned *ret_axis)
{
	const int64_t axis = (int64_t)c->args.at[param].whole, n = ndim;

	if (axis < -n || axis >= n)
		return bind_error(&c->args, param, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRId64 ", allowed for %u dimensions is %d to %d", axis, ndim, -(int)ndim,
				  (int)ndim - 1);
	*ret_axis = (unsigned)(axis < 0 ? axis + n : axis);
	return 0;
}

/* ---- windows ---- */

/* Finds the one number that some windows have, such as Kaiser's beta. A window without one refuses it, so that a
 * misplaced parameter is not overlooked. fallback 0: the window has no default, and the number is required. */
static int find_parameter(const struct compiler *c, unsigned param, enum window_kind kind, double *ret)
{
	const struct arg *arg = &c->args.at[param];
	const struct window_row *row = window_row(kind);

	if (!*row->parameter) {
		if (arg->given)
			return bind_error(&c->args, param, c->err, ERROR_OUT_OF_RANGE,
					  "given for %s, which has none, allowed is none", row->name);
		*ret = 0;
		return 0;
	}
	*ret = arg->given ? arg->f64 : row->fallback;
	if (!arg->given && row->fallback == 0)
		return bind_error(&c->args, param, c->err, ERROR_MISSING_PARAMETER, "missing: give that of %s: %s", row->name,
				  row->parameter);
	if (*ret < row->least || *ret > row->most)
		return bind_error(&c->args, param, c->err, ERROR_OUT_OF_RANGE,
				  "got %.15g, allowed for %s is %.15g to %.15g", *ret, row->name, row->least,
				  row->most);
	return 0;
}

/* Adds the step that computes a window by name into `out`, at each run: it costs little beside the transform, and a
 * prepared call computes it once (segment.constant). */
static int named_window(struct compiler *c, unsigned name, unsigned parameter, uint64_t n, bool symmetric, bool wide,
			struct buffer *out)
{
	struct frames_window window = {
		.window = {.kind = (enum window_kind)c->args.at[name].choice, .n = n, .symmetric = symmetric},
		.precision = signal_precision(wide),
	};
	int error = find_parameter(c, parameter, window.window.kind, &window.window.parameter);

	if (error)
		return error;
	return signal_step(c, &frames_named_window, signal_keep(c, &window, sizeof window), STEP_NO_TRANSFORM, NULL, NULL, out,
			   NULL);
}

int signal_given_window(struct compiler *c, unsigned param, struct buffer **ret_buffer)
{
	*ret_buffer = NULL;
	return c->args.at[param + WINDOW_VALUES].given ? compile_floating_input(c, param + WINDOW_VALUES, ret_buffer) : 0;
}

/* A window that came as values has no name beside it, is real, and as long as a frame. */
static int check_given(const struct compiler *c, unsigned param, const struct buffer *given, uint64_t n)
{
	const struct shape *shape = &given->shape;
	char has[SHAPE_TEXT];

	if (c->args.at[param + WINDOW_NAME].given || c->args.at[param + WINDOW_PARAMETER].given)
		return bind_error(&c->args, param + WINDOW_VALUES, c->err, ERROR_OUT_OF_RANGE,
				  "given beside window or window_parameter, allowed is one of them");
	if (shape->ndim != 1 || shape->n != n || dtype_is_complex(shape->dtype))
		return bind_error(&c->args, param + WINDOW_VALUES, c->err, ERROR_BAD_SHAPE,
				  "it is %s, allowed is f32 or f64 (%" PRIu64 "), the window's length",
				  shape_text(shape, has), n);
	return 0;
}

int signal_window(struct compiler *c, unsigned param, struct buffer *given, uint64_t n, bool wide,
		  const struct buffer *out, struct buffer **ret_buffer)
{
	struct buffer *window = given;
	int error = window ? 0 : signal_given_window(c, param, &window);

	if (error)
		return error;
	if (!window) {
		error = signal_temp(c, signal_dtype(wide, false), 1, 1, n, ret_buffer);
		return error ? error
			     : named_window(c, param + WINDOW_NAME, param + WINDOW_PARAMETER, n, false, wide,
					    *ret_buffer);
	}
	error = check_given(c, param, window, n);
	if (!error)
		error = signal_prepare(c, signal_dtype(wide, false), out, &window);
	if (!error)
		*ret_buffer = window;
	return error;
}

int compile_window(struct compiler *c)
{
	struct shape shape = {.ndim = 1};
	struct buffer *out;
	int error;

	shape.dtype = bind_dtype(&c->args, NAMED_DTYPE);
	shape.dims[0] = c->args.at[NAMED_N].u64;
	if (!shape_finish(&shape))
		return compile_no_memory(c);
	error = compile_output(c, NAMED_OUT, &shape, &out);
	if (!error)
		error = named_window(c, NAMED_WINDOW, NAMED_PARAMETER, shape.n, c->args.at[NAMED_SYMMETRIC].boolean,
				     shape.dtype == DTYPE_F64, out);
	return error ? error : compile_reply(c, NAMED_OUT, out);
}
