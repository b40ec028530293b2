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
	struct buffer *sums; /* of earlier calls; NULL */
	bool keeps;          /* the result is sums for a later call */
	bool wide;           /* float64 arithmetic */
	unsigned axis;       /* of the signals */
	struct welch welch;
	int transform;
};

/* The choices of average. */
enum { AVERAGE_MEAN, AVERAGE_MEDIAN, AVERAGE_SUMS, AVERAGE_NONE };

/* Both signals of csd must have one shape; the wider dtype of the two decides the arithmetic. */
static void read_signals(struct compiler *c, struct request_welch *r)
{
	char first[SHAPE_TEXT], second[SHAPE_TEXT];
	struct shape shape;

	r->in = compile_floating_input(c, WELCH_IN);
	if (r->welch.crosses)
		r->second = compile_floating_input(c, CSD_SECOND);
	r->axis = signal_axis(c, WELCH_AXIS, r->in->shape.ndim);
	r->wide = dtype_is_wide(r->in->shape.dtype);
	r->welch.frames.is_complex = dtype_is_complex(r->in->shape.dtype);
	if (!r->second)
		return;
	shape = r->second->shape;
	shape.dtype = r->in->shape.dtype;
	if (!shape_equal(&shape, &r->in->shape))
		compile_param_error(c, CSD_SECOND, ERROR_BAD_SHAPE, "it is %s, allowed is the shape of in, which is %s",
				    shape_text(&r->second->shape, second), shape_text(&r->in->shape, first));
	r->wide |= dtype_is_wide(r->second->shape.dtype);
	r->welch.frames.is_complex |= dtype_is_complex(r->second->shape.dtype);
}

/* Defaults are scipy.signal.welch's: 256 samples, or the window's length, half of it shared with the next. nperseg
 * beyond the signal is cut to it, as there, but a window that came as values cannot be cut, nor the segments of a piece of
 * a signal. */
static void find_segment(struct compiler *c, struct request_welch *r)
{
	const struct arg *nperseg = &c->args.at[WELCH_NPERSEG], *overlap = &c->args.at[WELCH_NOVERLAP];
	const struct arg *nfft = &c->args.at[WELCH_NFFT];
	struct frames *frames = &r->welch.frames;
	uint64_t given, shared;

	r->window = signal_given_window(c, WELCH_WINDOW);
	given = r->window ? r->window->shape.n : 0;
	frames->window_n = nperseg->given ? nperseg->u64 : given ? given : 256;
	if (!given && !r->keeps && !r->sums && frames->window_n > frames->length)
		frames->window_n = frames->length;
	if (frames->window_n > frames->length)
		compile_param_error(c, given ? WELCH_WINDOW + WINDOW_VALUES : WELCH_NPERSEG, ERROR_BAD_SHAPE,
				    "%" PRIu64 " elements, allowed are at most the signal's %" PRIu64 " samples",
				    frames->window_n, frames->length);
	shared = overlap->given ? overlap->u64 : frames->window_n / 2;
	if (shared >= frames->window_n)
		compile_param_error(c, WELCH_NOVERLAP, ERROR_OUT_OF_RANGE,
				    "got %" PRIu64 ", allowed are fewer than the segment's %" PRIu64, shared,
				    frames->window_n);
	frames->n = nfft->given ? nfft->u64 : frames->window_n;
	if (frames->n < frames->window_n)
		compile_param_error(c, WELCH_NFFT, ERROR_OUT_OF_RANGE,
				    "got %" PRIu64 ", allowed is the segment's %" PRIu64 " and up", frames->n,
				    frames->window_n);
	if (c->error)
		return;
	frames->hop = frames->window_n - shared;
	frames->count = frames_count(frames->length, 0, frames->window_n, frames->hop);
}

/* The median is taken over all segments of a bin at once, so their number is bounded; its bias is that of Allen et
 * al., FINDCHIRP, Phys. Rev. D 85 (2012) 122006, as in scipy. */
static void find_average(struct compiler *c, struct request_welch *r)
{
	struct welch *welch = &r->welch;
	const struct arg *onesided = &c->args.at[WELCH_ONESIDED];
	const unsigned average = c->args.at[WELCH_AVERAGE].choice;

	welch->onesided = onesided->given ? onesided->boolean : !welch->frames.is_complex;
	if (welch->onesided && welch->frames.is_complex)
		compile_param_error(c, WELCH_ONESIDED, ERROR_OUT_OF_RANGE,
				    "got true, allowed for complex signals is false");
	welch->fs = c->args.at[WELCH_FS].f64;
	welch->density = c->args.at[WELCH_SCALING].choice == 0;
	welch->median = average == AVERAGE_MEDIAN;
	welch->apart = welch->median || average == AVERAGE_NONE;
	welch->frames.detrend = (enum detrend)c->args.at[WELCH_DETREND].choice;
	if (welch->median && welch->frames.count > WELCH_MEDIAN_MOST)
		compile_param_error(c, WELCH_AVERAGE, ERROR_LIMIT,
				    "the median of %" PRIu64 " segments, allowed are %d; longer segments, or the mean",
				    welch->frames.count, WELCH_MEDIAN_MOST);
	if (c->error)
		return;
	welch->divisor = welch->median  ? welch_median_bias(welch->frames.count)
			 : welch->apart ? 1
					: (double)(welch->before + welch->frames.count);
	welch->out_bins = welch->onesided ? welch->frames.n / 2 + 1 : welch->frames.n;
}

/* Finds the sums of earlier calls, which the mean alone can go on with. Their shape is checked once the segment is known. */
static void find_sums(struct compiler *c, struct request_welch *r)
{
	const struct arg *segments = &c->args.at[WELCH_SEGMENTS];
	const unsigned average = c->args.at[WELCH_AVERAGE].choice;
	const bool given = c->args.at[WELCH_SUMS].given;

	r->sums = given ? compile_floating_input(c, WELCH_SUMS) : NULL;
	r->keeps = average == AVERAGE_SUMS;
	r->welch.before = segments->u64;
	if (given != (segments->u64 > 0))
		compile_param_error(c, given ? WELCH_SEGMENTS : WELCH_SUMS, ERROR_MISSING_PARAMETER,
				    given ? "missing: give how many are in sums" : "missing: give the sums of the segments before");
	if (given && average == AVERAGE_MEDIAN)
		compile_param_error(c, WELCH_SUMS, ERROR_OUT_OF_RANGE,
				    "given for the median, allowed is none: it needs all segments at once");
	if (given && average == AVERAGE_NONE)
		compile_param_error(c, WELCH_SUMS, ERROR_OUT_OF_RANGE,
				    "given with average = none, allowed is none: no segments are added up");
}

/* (signals, levels, bins): also the shape of such a result. */
static struct shape sums_shape(const struct request_welch *r)
{
	return (struct shape){.dtype = signal_dtype(true, r->welch.crosses),
			      .ndim = 3,
			      .dims = {r->welch.frames.rows, WELCH_LEVELS, welch_spectrum(&r->welch)}};
}

/* The segments of both together are bounded, so that the levels suffice. */
static void check_sums(struct compiler *c, const struct request_welch *r)
{
	struct shape shape = sums_shape(r);
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];

	if (c->error)
		return;
	if ((double)r->welch.before + (double)r->welch.frames.count > WELCH_SEGMENTS_MOST)
		compile_param_error(c, WELCH_SEGMENTS, ERROR_OUT_OF_RANGE,
				    "%" PRIu64 " and %" PRIu64 " in this call, allowed together are 2^42", r->welch.before,
				    r->welch.frames.count);
	if (r->sums && (!shape_finish(&shape) || !shape_equal(&r->sums->shape, &shape)))
		compile_param_error(c, WELCH_SUMS, ERROR_BAD_SHAPE, "it is %s, allowed is %s",
				    shape_text(&r->sums->shape, has), shape_text(&shape, needs));
}

/* Returns the shape of a result with bins along the axis, behind one of segments where they are not averaged. */
static struct shape spectra_shape(struct compiler *c, const struct request_welch *r)
{
	struct shape shape = r->in->shape;
	unsigned axis = r->axis;

	shape.dtype = signal_dtype(r->wide, r->welch.crosses);
	if (r->welch.apart && !r->welch.median) {
		if (shape.ndim == SHAPE_MAX_DIMS) {
			compile_param_error(c, WELCH_IN, ERROR_BAD_SHAPE,
					    "it has 8 dimensions, allowed with average = none are 7: the result has one more");
			return shape;
		}
		for (unsigned i = shape.ndim++; i > axis; i--)
			shape.dims[i] = shape.dims[i - 1];
		shape.dims[axis++] = r->welch.frames.count;
	}
	shape.dims[axis] = r->welch.out_bins;
	return shape;
}

/* Reads the parameters and returns the result's shape. Rows are all signals beside the axis, whichever side of it they
 * lie on: `stride` steps from one sample of a row to the next. */
static struct shape read_request(struct compiler *c, struct request_welch *r)
{
	struct frames *frames = &r->welch.frames;
	struct shape shape;

	read_signals(c, r);
	shape = r->in->shape;
	frames->precision = signal_precision(r->wide);
	frames->length = shape.dims[r->axis];
	frames->stride = signal_stride(&shape, r->axis);
	frames->rows = signal_rows(&shape, r->axis) * frames->stride;
	if (frames->length == 0 || frames->length > UINT64_C(1) << 60)
		compile_param_error(c, WELCH_IN, ERROR_BAD_SHAPE, "signals of %" PRIu64 " samples, allowed are 1 to 2^60",
				    frames->length);
	find_sums(c, r);
	find_segment(c, r);
	find_average(c, r);
	check_sums(c, r);
	r->welch.out_stride = frames->stride;
	shape = r->keeps ? sums_shape(r) : spectra_shape(c, r);
	if (!shape_finish(&shape))
		compile_param_error(c, WELCH_NFFT, ERROR_OUT_OF_RANGE,
				    "the result has more than 2^62 bytes, allowed are fewer");
	return shape;
}

/* ---- steps ---- */

/* Returns the description of a level of sums, the first one or that after `before`, or NULL, and makes the buffer of these sums. Sums
 * are float64 also for float32 signals: squares of many segments are added. */
static struct welch *make_level(struct compiler *c, const struct request_welch *r, const struct welch *before,
				struct buffer **ret_sums)
{
	struct welch *welch = signal_keep(c, before ? before : &r->welch, sizeof *welch);

	if (!welch)
		return NULL;
	if (before)
		welch_next_level(welch);
	else
		welch_first_level(welch);
	*ret_sums = signal_temp(c, signal_dtype(true, r->welch.crosses), r->welch.frames.rows, welch->parts,
				welch_spectrum(&r->welch));
	return welch;
}

/* Adds the sums of a level to those of the next, which are returned. NULL: an error stands. */
static struct welch *add_level(struct compiler *c, const struct request_welch *r, const struct welch *welch, struct buffer **sums)
{
	struct buffer *from = *sums;
	struct welch *next = make_level(c, r, welch, sums);

	if (next)
		signal_step(c, &welch_sums, welch, STEP_NO_TRANSFORM, from, r->sums, *sums);
	return next;
}

/* Makes the spectra of all segments of one input, which do not fit the scratch. A trend is subtracted from sums over
 * pieces of a segment, which are a step of their own. */
static struct buffer *long_spectra(struct compiler *c, const struct request_welch *r, const struct welch *welch,
				   struct buffer *in)
{
	const struct frames *frames = &welch->frames;
	const uint64_t sums = frames->rows * frames->count * signal_count_pieces(frames->window_n, SIGNAL_PIECE);
	struct buffer *windowed =
		signal_temp(c, signal_dtype(r->wide, frames->is_complex), frames->rows, frames->count, frames->n);
	struct buffer *spectra =
		signal_temp(c, signal_dtype(r->wide, true), frames->rows, frames->count, welch_spectrum(welch));
	struct buffer *trends = NULL;

	if (frames->detrend != DETREND_NONE) {
		trends = signal_temp(c, DTYPE_F64, sums, 1, sizeof(struct trend_sums) / sizeof(double));
		signal_step(c, &frames_sums, frames, STEP_NO_TRANSFORM, in, NULL, trends);
	}
	signal_step(c, &frames_windowed, frames, STEP_NO_TRANSFORM, in, r->window, windowed)->in[2] = trends;
	signal_transform(c, r->transform, frames->n, false, 1, windowed, spectra);
	return spectra;
}

/* A thread sums the segments of one part of a row; a part has the same segments whatever the number of threads, so
 * the sum has the same bytes. */
static void add_squares(struct compiler *c, const struct request_welch *r, const struct welch *welch,
			struct buffer *out)
{
	struct buffer *spectra, *second;

	if (signal_stays(c, r->transform, welch_row_bytes(welch))) {
		signal_step(c, &welch_segments, welch, r->transform, r->in, r->window, out)->in[2] = r->second;
		return;
	}
	spectra = long_spectra(c, r, welch, r->in);
	second = welch->crosses ? long_spectra(c, r, welch, r->second) : NULL;
	signal_step(c, &welch_squares, welch, STEP_NO_TRANSFORM, spectra, second, out);
}

/* Adds the steps that store sums for a later call, level by level. Those of all levels are stored, as a later call may
 * reach any. */
static void keep_sums(struct compiler *c, const struct request_welch *r, struct welch *welch, struct buffer *sums)
{
	signal_step(c, &welch_kept, welch, STEP_NO_TRANSFORM, sums, r->sums, r->out);
	while (welch && welch->level < WELCH_LEVELS - 2) {
		welch = add_level(c, r, welch, &sums);
		if (welch)
			signal_step(c, &welch_kept, welch, STEP_NO_TRANSFORM, sums, r->sums, r->out);
	}
}

/* Sums of parts are added WELCH_FAN at a time, in a fixed order, until one is left for each row; parts that are apart
 * stay. The result divides by the window's own sums, which a step finds piece by piece. */
static void add_result(struct compiler *c, const struct request_welch *r, struct welch *welch, struct buffer *sums)
{
	const uint64_t pieces = signal_count_pieces(r->welch.frames.window_n, SIGNAL_PIECE);
	const uint64_t segments = r->welch.before + r->welch.frames.count;
	struct buffer *window;

	while (welch && segments > welch->part && !welch->apart)
		welch = add_level(c, r, welch, &sums);
	window = signal_temp(c, DTYPE_F64, pieces, 1, sizeof(struct welch_window) / sizeof(double));
	signal_step(c, &welch_window_sums, welch, STEP_NO_TRANSFORM, r->window, NULL, window);
	signal_step(c, &welch_result, welch, STEP_NO_TRANSFORM, sums, window, r->out);
}

static void add_steps(struct compiler *c, const struct request_welch *r)
{
	struct buffer *sums;
	struct welch *welch = make_level(c, r, NULL, &sums);

	if (!welch)
		return;
	if (welch->before % welch->part > 0)
		signal_step(c, &welch_begun, welch, STEP_NO_TRANSFORM, r->sums, NULL, sums);
	add_squares(c, r, welch, sums);
	if (r->keeps)
		keep_sums(c, r, welch, sums);
	else
		add_result(c, r, welch, sums);
}

/* Input that is float32 in float64 arithmetic, or the output's own memory, becomes a temporary copy. */
static void prepare_spectrum(struct compiler *c, struct request_welch *r)
{
	const struct frames *frames = &r->welch.frames;
	const enum dtype dtype = signal_dtype(r->wide, frames->is_complex);

	r->in = compile_prepare(c, dtype, r->out, r->in);
	if (r->second)
		r->second = compile_prepare(c, dtype, r->out, r->second);
	if (r->sums)
		r->sums = compile_prepare(c, r->sums->shape.dtype, r->out, r->sums);
	r->window = signal_window(c, WELCH_WINDOW, r->window, frames->window_n, r->wide, r->out);
	r->transform = signal_plan(c, frames->n, r->wide, !frames->is_complex);
}

/* Compiles either operation. Beside the spectrum the reply states the distance of its bins in Hz, and how many segments
 * were averaged. */
static void compile_spectrum(struct compiler *c, bool crosses)
{
	struct request_welch r = {.welch.crosses = crosses};
	const struct shape shape = read_request(c, &r);

	if (c->error)
		return;
	r.out = compile_output(c, WELCH_OUT, &shape);
	prepare_spectrum(c, &r);
	add_steps(c, &r);
	compile_put(c, "bin_width", value_real(r.welch.fs / (double)r.welch.frames.n));
	compile_put(c, "segments", value_uint(r.welch.before + r.welch.frames.count));
	compile_reply(c, WELCH_OUT, r.out);
}

void compile_welch(struct compiler *c)
{
	compile_spectrum(c, false);
}

void compile_csd(struct compiler *c)
{
	compile_spectrum(c, true);
}
