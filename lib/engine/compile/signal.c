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

/* The memory itself is taken when the plan runs (call/run.h); here only sizes are checked. */
struct buffer *signal_temp(struct compiler *c, enum dtype dtype, uint64_t count, uint64_t rows, uint64_t columns)
{
	struct shape shape = {.dtype = dtype, .ndim = 3, .dims = {count, rows, columns}};

	if (!shape_finish(&shape))
		compile_error(c, ERROR_LIMIT, "a temporary of more than 2^62 bytes, allowed are fewer");
	return compile_add_temp(c, &shape);
}

/* Requests are compiled on the stack; what their steps need later is copied to the plan. */
void *signal_keep(struct compiler *c, const void *call, size_t size)
{
	void *kept = c->error ? NULL : bump_alloc(c->plan->bump, size);

	if (kept)
		return memcpy(kept, call, size);
	compile_no_memory(c);
	return NULL;
}

struct step *signal_step(struct compiler *c, const struct signal_kind *kind, const void *call, int transform,
			 struct buffer *in, struct buffer *second, struct buffer *out)
{
	struct step *step = compile_add_step(c, STEP_SIGNAL, in, out);

	step->in[1] = second;
	step->signal.kind = kind;
	step->signal.call = call;
	step->transform = transform;
	step->n_transforms = transform >= 0;
	return step;
}

int signal_plan(struct compiler *c, uint64_t n, bool wide, bool real)
{
	const struct plan_key key = {n, wide ? PRECISION_DOUBLE : PRECISION_FAST, real ? PLAN_REAL : PLAN_COMPLEX};

	return compile_add_transform(c, key);
}

bool signal_stays(const struct compiler *c, int transform, size_t row_bytes)
{
	return !c->error && signal_fits(plans_plan(c->first_run->bound.transforms[transform]), row_bytes,
					pool_scratch_bytes(c->plan->session->engine->pool));
}

/* Results of signals have no precision modes: float32 for float32 input, float64 for float64. */
void signal_transform(struct compiler *c, int transform, uint64_t n, bool inverse, double factor, struct buffer *in,
		      struct buffer *out)
{
	struct step *step = compile_add_step(c, STEP_FFT, in, out);

	step->fft.axis[0] = (unsigned char)(in->shape.ndim - 1);
	step->transform = transform;
	step->n_transforms = 1;
	step->fft.length = n;
	step->fft.precision = dtype_is_wide(in->shape.dtype) ? PRECISION_DOUBLE : PRECISION_FAST;
	step->fft.inverse = inverse;
	step->fft.factor[0] = factor;
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
unsigned signal_axis(struct compiler *c, unsigned param, unsigned ndim)
{
	const int64_t axis = (int64_t)c->args.at[param].whole, n = ndim;

	if (axis >= -n && axis < n)
		return (unsigned)(axis < 0 ? axis + n : axis);
	compile_param_error(c, param, ERROR_OUT_OF_RANGE, "got %" PRId64 ", allowed for %u dimensions is %d to %d", axis,
			    ndim, -(int)ndim, (int)ndim - 1);
	return 0;
}

/* ---- windows ---- */

/* Returns the one number that some windows have, such as Kaiser's beta. A window without one refuses it, so that a
 * misplaced parameter is not overlooked. fallback 0: the window has no default, and the number is required. */
static double find_parameter(struct compiler *c, unsigned param, enum window_kind kind)
{
	const struct arg *arg = &c->args.at[param];
	const struct window_row *row = window_row(kind);
	const double x = arg->given ? arg->f64 : row->fallback;

	if (!*row->parameter) {
		if (arg->given)
			compile_param_error(c, param, ERROR_OUT_OF_RANGE, "given for %s, which has none, allowed is none",
					    row->name);
		return 0;
	}
	if (!arg->given && row->fallback == 0)
		compile_param_error(c, param, ERROR_MISSING_PARAMETER, "missing: give that of %s: %s", row->name,
				    row->parameter);
	if (x < row->least || x > row->most)
		compile_param_error(c, param, ERROR_OUT_OF_RANGE, "got %.15g, allowed for %s is %.15g to %.15g", x, row->name,
				    row->least, row->most);
	return x;
}

/* Adds the step that computes a window by name into `out`, at each run: it costs little beside the transform, and a
 * prepared call computes it once (segment.constant). */
static void named_window(struct compiler *c, unsigned name, unsigned parameter, uint64_t n, bool symmetric, bool wide,
			 struct buffer *out)
{
	const enum window_kind kind = (enum window_kind)c->args.at[name].choice;
	const struct frames_window window = {
		.window = {.kind = kind, .n = n, .symmetric = symmetric, .parameter = find_parameter(c, parameter, kind)},
		.precision = signal_precision(wide),
	};

	signal_step(c, &frames_named_window, signal_keep(c, &window, sizeof window), STEP_NO_TRANSFORM, NULL, NULL, out);
}

struct buffer *signal_given_window(struct compiler *c, unsigned param)
{
	return c->args.at[param + WINDOW_VALUES].given ? compile_floating_input(c, param + WINDOW_VALUES) : NULL;
}

/* A window that came as values has no name beside it, is real, and as long as a frame. */
static void check_given(struct compiler *c, unsigned param, const struct shape *shape, uint64_t n)
{
	char has[SHAPE_TEXT];

	if (c->args.at[param + WINDOW_NAME].given || c->args.at[param + WINDOW_PARAMETER].given)
		compile_param_error(c, param + WINDOW_VALUES, ERROR_OUT_OF_RANGE,
				    "given beside window or window_parameter, allowed is one of them");
	if (shape->ndim != 1 || shape->n != n || dtype_is_complex(shape->dtype))
		compile_param_error(c, param + WINDOW_VALUES, ERROR_BAD_SHAPE,
				    "it is %s, allowed is f32 or f64 (%" PRIu64 "), the window's length",
				    shape_text(shape, has), n);
}

struct buffer *signal_window(struct compiler *c, unsigned param, struct buffer *given, uint64_t n, bool wide,
			     const struct buffer *out)
{
	const enum dtype dtype = signal_dtype(wide, false);
	struct buffer *window;

	if (given) {
		check_given(c, param, &given->shape, n);
		return compile_prepare(c, dtype, out, given);
	}
	window = signal_temp(c, dtype, 1, 1, n);
	named_window(c, param + WINDOW_NAME, param + WINDOW_PARAMETER, n, false, wide, window);
	return window;
}

void compile_window(struct compiler *c)
{
	struct shape shape = {
		.dtype = bind_dtype(&c->args, NAMED_DTYPE), .ndim = 1, .dims = {c->args.at[NAMED_N].u64}};
	struct buffer *out;

	if (!shape_finish(&shape))
		compile_no_memory(c);
	out = compile_output(c, NAMED_OUT, &shape);
	named_window(c, NAMED_WINDOW, NAMED_PARAMETER, shape.n, c->args.at[NAMED_SYMMETRIC].boolean,
		     dtype_is_wide(shape.dtype), out);
	compile_reply(c, NAMED_OUT, out);
}
