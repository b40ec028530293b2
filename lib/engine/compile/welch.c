/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling power spectra: segments in scratch to sums of their squares, or framing, transforms and squares as steps of
 * their own where segments are too long; then sums of sums until one is left, and the result. Source: P. D. Welch, IEEE
 * Trans. Audio Electroacoust. 15 (1967) 70. */
#include <inttypes.h>

#include "engine/compile/signal.h"
#include "fft/signals/welch.h"

/* A power spectrum, on its caller's stack. */
struct request_welch {
	struct buffer *in, *second, *window, *out; /* second: of csd, else NULL; window: NULL while it is only named */
	bool wide;     /* float64 arithmetic */
	unsigned axis; /* of the signals */
	struct welch welch;
	int transform;
};

/* Both signals of csd must have one shape; the wider dtype of the two decides the arithmetic. */
static int read_signals(struct compiler *c, struct request_welch *r)
{
	char first[SHAPE_TEXT], second[SHAPE_TEXT];
	struct shape shape;
	int error = compile_floating_input(c, WELCH_IN, &r->in);

	if (!error && r->welch.crosses)
		error = compile_floating_input(c, CSD_SECOND, &r->second);
	if (!error)
		error = signal_axis(c, WELCH_AXIS, r->in->shape.ndim, &r->axis);
	if (error)
		return error;
	r->wide = dtype_is_wide(r->in->shape.dtype);
	r->welch.frames.is_complex = dtype_is_complex(r->in->shape.dtype);
	if (!r->second)
		return 0;
	shape = r->second->shape;
	shape.dtype = r->in->shape.dtype;
	if (!shape_equal(&shape, &r->in->shape))
		return bind_error(&c->args, CSD_SECOND, c->err, ERROR_BAD_SHAPE,
				  "it is %s, allowed is the shape of in, which is %s",
				  shape_text(&r->second->shape, second), shape_text(&r->in->shape, first));
	r->wide |= dtype_is_wide(r->second->shape.dtype);
	r->welch.frames.is_complex |= dtype_is_complex(r->second->shape.dtype);
	return 0;
}

/* Defaults are scipy.signal.welch's: 256 samples, or the window's length, half of it shared with the next. nperseg
 * beyond the signal is cut to it, as there, but a window that came as values cannot be cut. */
static int find_segment(struct compiler *c, struct request_welch *r)
{
	const struct arg *nperseg = &c->args.at[WELCH_NPERSEG], *overlap = &c->args.at[WELCH_NOVERLAP];
	const struct arg *nfft = &c->args.at[WELCH_NFFT];
	struct frames *frames = &r->welch.frames;
	uint64_t given, shared;
	int error = signal_given_window(c, WELCH_WINDOW, &r->window);

	if (error)
		return error;
	given = r->window ? r->window->shape.n : 0;
	frames->window_n = nperseg->given ? nperseg->u64 : given ? given : 256;
	if (!given && frames->window_n > frames->length)
		frames->window_n = frames->length;
	if (frames->window_n > frames->length)
		return bind_error(&c->args, WELCH_WINDOW + WINDOW_VALUES, c->err, ERROR_BAD_SHAPE,
				  "%" PRIu64 " elements, allowed are at most the signal's %" PRIu64 " samples",
				  frames->window_n, frames->length);
	shared = overlap->given ? overlap->u64 : frames->window_n / 2;
	if (shared >= frames->window_n)
		return bind_error(&c->args, WELCH_NOVERLAP, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed are fewer than the segment's %" PRIu64, shared,
				  frames->window_n);
	frames->n = nfft->given ? nfft->u64 : frames->window_n;
	if (frames->n < frames->window_n)
		return bind_error(&c->args, WELCH_NFFT, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed is the segment's %" PRIu64 " and up", frames->n,
				  frames->window_n);
	frames->hop = frames->window_n - shared;
	frames->count = frames_count(frames->length, 0, frames->window_n, frames->hop);
	return 0;
}

/* The median is taken over all segments of a bin at once, so their number is bounded; its bias is that of Allen et
 * al., FINDCHIRP, Phys. Rev. D 85 (2012) 122006, as in scipy. */
static int find_average(const struct compiler *c, struct request_welch *r)
{
	struct welch *welch = &r->welch;
	const struct arg *onesided = &c->args.at[WELCH_ONESIDED];

	welch->onesided = onesided->given ? onesided->boolean : !welch->frames.is_complex;
	if (welch->onesided && welch->frames.is_complex)
		return bind_error(&c->args, WELCH_ONESIDED, c->err, ERROR_OUT_OF_RANGE,
				  "got true, allowed for complex signals is false");
	welch->fs = c->args.at[WELCH_FS].f64;
	welch->density = c->args.at[WELCH_SCALING].choice == 0;
	welch->median = c->args.at[WELCH_AVERAGE].choice == 1;
	welch->frames.detrend = (enum detrend)c->args.at[WELCH_DETREND].choice;
	if (welch->median && welch->frames.count > WELCH_MEDIAN_MOST)
		return bind_error(&c->args, WELCH_AVERAGE, c->err, ERROR_LIMIT,
				  "the median of %" PRIu64 " segments, allowed are %d; longer segments, or the mean",
				  welch->frames.count, WELCH_MEDIAN_MOST);
	welch->divisor = welch->median ? welch_median_bias(welch->frames.count) : (double)welch->frames.count;
	welch->out_bins = welch->onesided ? welch->frames.n / 2 + 1 : welch->frames.n;
	return 0;
}

/* Rows are all signals beside the axis, whichever side of it they lie on: `stride` steps from one sample of a row to
 * the next. */
static int read_request(struct compiler *c, struct request_welch *r, struct shape *ret_shape)
{
	struct frames *frames = &r->welch.frames;
	struct shape shape;
	int error = read_signals(c, r);

	if (error)
		return error;
	shape = r->in->shape;
	frames->precision = signal_precision(r->wide);
	frames->length = shape.dims[r->axis];
	frames->stride = signal_stride(&shape, r->axis);
	frames->rows = signal_rows(&shape, r->axis) * frames->stride;
	if (frames->length == 0 || frames->length > UINT64_C(1) << 60)
		return bind_error(&c->args, WELCH_IN, c->err, ERROR_BAD_SHAPE,
				  "signals of %" PRIu64 " samples, allowed are 1 to 2^60", frames->length);
	error = find_segment(c, r);
	if (!error)
		error = find_average(c, r);
	if (error)
		return error;
	r->welch.out_stride = frames->stride;
	shape.dims[r->axis] = r->welch.out_bins;
	shape.dtype = signal_dtype(r->wide, r->welch.crosses);
	if (!shape_finish(&shape))
		return bind_error(&c->args, WELCH_NFFT, c->err, ERROR_OUT_OF_RANGE,
				  "the result has more than 2^62 bytes, allowed are fewer");
	*ret_shape = shape;
	return 0;
}

/* ---- steps ---- */

/* Makes a copy of the description for sums over `count` parts, and the buffer of these sums. Sums are float64 also
 * for float32 signals: squares of many segments are added. */
static int parts_of_spectrum(struct compiler *c, const struct request_welch *r, uint64_t count,
			     struct welch **ret_welch, struct buffer **ret_buffer)
{
	*ret_welch = signal_keep(c, &r->welch, sizeof r->welch);
	if (!*ret_welch)
		return compile_no_memory(c);
	(*ret_welch)->parts = count;
	return signal_temp(c, signal_dtype(true, r->welch.crosses), r->welch.frames.rows, count,
			   welch_spectrum(&r->welch), ret_buffer);
}

/* Makes the spectra of all segments of one input, which do not fit the scratch. A trend is subtracted from sums over
 * pieces of a segment, which are a step of their own. */
static int long_spectra(struct compiler *c, const struct request_welch *r, const struct welch *welch, struct buffer *in,
			struct buffer **ret_spectra)
{
	const struct frames *frames = &welch->frames;
	const uint64_t sums = frames->rows * frames->count * signal_count_pieces(frames->window_n, SIGNAL_PIECE);
	struct buffer *windowed, *trends = NULL;
	struct step *step;
	int error = signal_temp(c, signal_dtype(r->wide, frames->is_complex), frames->rows, frames->count, frames->n,
				&windowed);

	if (!error)
		error = signal_temp(c, signal_dtype(r->wide, true), frames->rows, frames->count, welch_spectrum(welch),
				    ret_spectra);
	if (!error && frames->detrend != DETREND_NONE)
		error = signal_temp(c, DTYPE_F64, sums, 1, sizeof(struct trend_sums) / sizeof(double), &trends);
	if (!error && trends)
		error = signal_step(c, &frames_sums, frames, STEP_NO_TRANSFORM, in, NULL, trends, NULL);
	if (!error)
		error = signal_step(c, &frames_windowed, frames, STEP_NO_TRANSFORM, in, r->window, windowed, &step);
	if (error)
		return error;
	step->in[2] = trends;
	return signal_transform(c, r->transform, frames->n, false, 1, windowed, *ret_spectra);
}

/* Adds the steps of segments that do not fit the scratch. */
static int long_squares(struct compiler *c, const struct request_welch *r, const struct welch *welch,
			struct buffer *out)
{
	struct buffer *spectra, *second = NULL;
	int error = long_spectra(c, r, welch, r->in, &spectra);

	if (!error && welch->crosses)
		error = long_spectra(c, r, welch, r->second, &second);
	return error ? error : signal_step(c, &welch_squares, welch, STEP_NO_TRANSFORM, spectra, second, out, NULL);
}

/* A thread sums the segments of one part of a row; a part has the same segments whatever the number of threads, so
 * the sum has the same bytes. */
static int add_squares(struct compiler *c, const struct request_welch *r, const struct welch *welch, struct buffer *out)
{
	const size_t scratch = pool_scratch_bytes(c->plan->session->engine->pool);
	struct step *step;
	int error;

	if (!signal_fits(plans_plan(c->first_run->bound.transforms[r->transform]), welch_row_bytes(welch), scratch))
		return long_squares(c, r, welch, out);
	error = signal_step(c, &welch_segments, welch, r->transform, r->in, r->window, out, &step);
	if (!error)
		step->in[2] = r->second;
	return error;
}

/* Sums of parts are added WELCH_FAN at a time, in a fixed order, until one is left for each row; of the median all
 * parts stay. The result divides by the window's own sums, which a step finds piece by piece. */
static int add_steps(struct compiler *c, const struct request_welch *r)
{
	const uint64_t pieces = signal_count_pieces(r->welch.frames.window_n, SIGNAL_PIECE);
	uint64_t count = signal_count_pieces(r->welch.frames.count, welch_part(&r->welch));
	struct buffer *sums, *more, *window;
	struct welch *welch, *last;
	int error = parts_of_spectrum(c, r, count, &welch, &sums);

	if (!error)
		error = add_squares(c, r, welch, sums);
	for (; !error && count > 1 && !welch->median; sums = more, welch = last) {
		count = signal_count_pieces(count, WELCH_FAN);
		error = parts_of_spectrum(c, r, count, &last, &more);
		if (!error)
			error = signal_step(c, &welch_sums, welch, STEP_NO_TRANSFORM, sums, NULL, more, NULL);
	}
	if (!error)
		error = signal_temp(c, DTYPE_F64, pieces, 1, sizeof(struct welch_window) / sizeof(double), &window);
	if (!error)
		error = signal_step(c, &welch_window_sums, welch, STEP_NO_TRANSFORM, r->window, NULL, window, NULL);
	return error ? error : signal_step(c, &welch_result, welch, STEP_NO_TRANSFORM, sums, window, r->out, NULL);
}

/* Input that is float32 in float64 arithmetic, or the output's own memory, becomes a temporary copy. */
static int prepare_spectrum(struct compiler *c, struct request_welch *r)
{
	const enum dtype dtype = signal_dtype(r->wide, r->welch.frames.is_complex);
	int error = signal_prepare(c, dtype, r->out, &r->in);

	if (!error && r->second)
		error = signal_prepare(c, dtype, r->out, &r->second);
	if (!error)
		error = signal_window(c, WELCH_WINDOW, r->window, r->welch.frames.window_n, r->wide, r->out,
				      &r->window);
	return error ? error : signal_plan(c, r->welch.frames.n, r->wide, !r->welch.frames.is_complex, &r->transform);
}

/* Compiles either operation. Beside the spectrum the reply states the distance of its bins in Hz, and how many segments
 * were averaged. */
static int compile_spectrum(struct compiler *c, bool crosses)
{
	struct request_welch r = {.welch.crosses = crosses};
	struct shape shape;
	int error = read_request(c, &r, &shape);

	if (!error)
		error = compile_output(c, WELCH_OUT, &shape, &r.out);
	if (!error)
		error = prepare_spectrum(c, &r);
	if (!error)
		error = add_steps(c, &r);
	if (error)
		return error;
	if (value_put(c->plan->bump, c->reply, "bin_width", value_real(r.welch.fs / (double)r.welch.frames.n)) ||
	    value_put(c->plan->bump, c->reply, "segments", value_uint(r.welch.frames.count)))
		return compile_no_memory(c);
	return compile_reply(c, WELCH_OUT, r.out);
}

int compile_welch(struct compiler *c)
{
	return compile_spectrum(c, false);
}

int compile_csd(struct compiler *c)
{
	return compile_spectrum(c, true);
}
