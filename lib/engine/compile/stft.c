/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling short-time transforms: one step where frames fit a thread's scratch, else framing, transforms and storing
 * as steps of their own.
 *
 *     stft     signals -> frames x window -> transforms -> (..., bins, frames)
 *     istft    the check of the windows' overlap; then spectra -> inverse transforms x window -> overlapping sums, divided by
 *              the sum of squared windows over each sample (D. W. Griffin, J. S. Lim, IEEE Trans. ASSP 32 (1984) 236)
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/compile/signal.h"
#include "fft/signals/stft.h"

/* What both directions have, on its caller's stack. */
struct request_stft {
	struct buffer *in, *window, *out;
	bool wide; /* float64 arithmetic */
	struct stft stft;
	int transform; /* of n_fft elements */
};

/* Defaults and the place of a short window in the middle of its frame are torch.stft's. A hop of 0 would never end;
 * n_fft / 4 is 0 below 4. */
static void read_frame(struct compiler *c, struct stft *stft)
{
	const struct arg *hop = &c->args.at[STFT_HOP_LENGTH], *win = &c->args.at[STFT_WIN_LENGTH];
	struct frames *frames = &stft->frames;

	frames->n = c->args.at[STFT_N_FFT].u64;
	frames->hop = hop->given ? hop->u64 : frames->n < 4 ? 1 : frames->n / 4;
	frames->window_n = win->given ? win->u64 : frames->n;
	if (frames->window_n > frames->n)
		compile_param_error(c, STFT_WIN_LENGTH, ERROR_OUT_OF_RANGE,
				    "got %" PRIu64 ", allowed is 1 to n_fft, %" PRIu64, frames->window_n, frames->n);
	frames->window_at = (frames->n - frames->window_n) / 2;
	frames->pad = c->args.at[STFT_CENTER].boolean ? frames->n / 2 : 0;
	stft->frames_first = c->args.at[STFT_LAYOUT].choice == 1;
}

/* torch.stft's normalized divides both ways by sqrt n_fft; otherwise the inverse divides by n_fft. */
static double scale_of(const struct compiler *c, uint64_t n, bool inverse)
{
	if (c->args.at[STFT_NORMALIZED].boolean)
		return 1 / sqrt((double)n);
	return inverse ? 1 / (double)n : 1;
}

/* ---- forward ---- */

/* Finds how many frames there are. reflect and circular take the padding from the signal, which must be long enough.
 * 2^60 samples keep every sum of positions below 2^63. */
static void find_frames(struct compiler *c, struct request_stft *r)
{
	const struct shape *shape = &r->in->shape;
	struct frames *frames = &r->stft.frames;
	const uint64_t length = shape->dims[shape->ndim - 1];

	frames->precision = signal_precision(r->wide);
	frames->is_complex = r->stft.is_complex;
	frames->length = length;
	frames->stride = 1;
	frames->rows = signal_rows(shape, shape->ndim - 1);
	frames->pad_mode = (enum pad_mode)c->args.at[STFT_PAD_MODE].choice;
	if (frames->pad_mode == PAD_REFLECT && frames->pad > 0 && length <= frames->pad)
		compile_param_error(c, STFT_PAD_MODE, ERROR_OUT_OF_RANGE,
				    "reflect pads %" PRIu64
				    " samples at each end, allowed are fewer than the signal's %" PRIu64,
				    frames->pad, length);
	if (frames->pad_mode == PAD_CIRCULAR && length < frames->pad)
		compile_param_error(c, STFT_PAD_MODE, ERROR_OUT_OF_RANGE,
				    "circular pads %" PRIu64 " samples at each end, allowed are the signal's %" PRIu64,
				    frames->pad, length);
	if (length == 0 || length > UINT64_C(1) << 60)
		compile_param_error(c, STFT_IN, ERROR_BAD_SHAPE, "%s",
				    length ? "signals of more than 2^60 samples, allowed are fewer"
					   : "signals without samples, allowed is 1 and up");
	frames->count = frames_count(length, frames->pad, frames->n, frames->hop);
	if (frames->count == 0)
		compile_param_error(c, STFT_N_FFT, ERROR_OUT_OF_RANGE,
				    "got %" PRIu64 ", allowed is up to the %" PRIu64
				    " samples of a signal, padding included",
				    frames->n, length + 2 * frames->pad);
}

/* The spectrum of a real signal is symmetric: half of it, n_fft / 2 + 1 bins, is the default. */
static void find_bins(struct compiler *c, struct request_stft *r)
{
	const struct arg *onesided = &c->args.at[STFT_ONESIDED];
	const bool half = onesided->given ? onesided->boolean : !r->stft.is_complex;

	if (half && r->stft.is_complex)
		compile_param_error(c, STFT_ONESIDED, ERROR_OUT_OF_RANGE,
				    "got true, allowed for complex signals is false");
	r->stft.bins = half ? r->stft.frames.n / 2 + 1 : r->stft.frames.n;
}

/* (..., bins, frames) as torch has it, or (..., frames, bins), in which a frame's spectrum is contiguous. */
static struct shape spectra_shape(struct compiler *c, const struct request_stft *r)
{
	const struct stft *stft = &r->stft;
	struct shape shape = r->in->shape;

	if (shape.ndim == SHAPE_MAX_DIMS) {
		compile_param_error(c, STFT_IN, ERROR_BAD_SHAPE,
				    "it has 8 dimensions, allowed are 7: the result has one more");
		return shape;
	}
	shape.dims[shape.ndim - 1] = stft->frames_first ? stft->frames.count : stft->bins;
	shape.dims[shape.ndim++] = stft->frames_first ? stft->bins : stft->frames.count;
	shape.dtype = signal_dtype(r->wide, true);
	if (!shape_finish(&shape))
		compile_param_error(c, STFT_IN, ERROR_OUT_OF_RANGE,
				    "the result has more than 2^62 bytes, allowed are fewer");
	return shape;
}

/* Reads a stft's parameters; only the output is still missing. */
static void read_forward(struct compiler *c, struct request_stft *r)
{
	r->in = compile_floating_input(c, STFT_IN);
	r->wide = dtype_is_wide(r->in->shape.dtype);
	r->stft.is_complex = dtype_is_complex(r->in->shape.dtype);
	read_frame(c, &r->stft);
	find_bins(c, r);
	find_frames(c, r);
	r->stft.scale = scale_of(c, r->stft.frames.n, false);
}

/* Adds the window's step, where it is named, and takes the plan of a frame. The output must be known. */
static void window_and_plan(struct compiler *c, struct request_stft *r)
{
	const struct frames *frames = &r->stft.frames;

	r->window = signal_window(c, STFT_WINDOW, signal_given_window(c, STFT_WINDOW), frames->window_n, r->wide, r->out);
	r->transform = signal_plan(c, frames->n, r->wide, !r->stft.is_complex);
}

/* Frames that do not fit the scratch: windowed frames, their spectra and the result are passes of their own over
 * temporaries. */
static void add_long_forward(struct compiler *c, const struct request_stft *r, const struct stft *stft)
{
	const struct frames *frames = &stft->frames;
	struct buffer *windowed = signal_temp(c, signal_dtype(r->wide, stft->is_complex), frames->rows, frames->count,
					      frames->n);
	struct buffer *spectra =
		signal_temp(c, signal_dtype(r->wide, true), frames->rows, frames->count, stft_spectrum(stft));

	signal_step(c, &frames_windowed, frames, STEP_NO_TRANSFORM, r->in, r->window, windowed);
	signal_transform(c, r->transform, frames->n, false, stft->scale, windowed, spectra);
	signal_step(c, &stft_store, stft, STEP_NO_TRANSFORM, spectra, NULL, r->out);
}

static void add_forward(struct compiler *c, const struct request_stft *r)
{
	const struct stft *stft = signal_keep(c, &r->stft, sizeof r->stft);

	if (c->error)
		return;
	if (signal_stays(c, r->transform, stft_row_bytes(stft)))
		signal_step(c, &stft_forward, stft, r->transform, r->in, r->window, r->out);
	else
		add_long_forward(c, r, stft);
}

void compile_stft(struct compiler *c)
{
	struct request_stft r = {0};
	struct shape shape;

	read_forward(c, &r);
	shape = spectra_shape(c, &r);
	r.out = compile_output(c, STFT_OUT, &shape);
	window_and_plan(c, &r);
	add_forward(c, &r);
	compile_reply(c, STFT_OUT, r.out);
}

/* ---- inverse ---- */

static void check_spectra(struct compiler *c, const struct shape *shape)
{
	if (!dtype_is_complex(shape->dtype))
		compile_param_error(c, STFT_IN, ERROR_BAD_SHAPE, "its dtype is %s, allowed are c64 and c128",
				    dtype_name(shape->dtype));
	if (shape->ndim < 2)
		compile_param_error(c, STFT_IN, ERROR_BAD_SHAPE,
				    "it has 1 dimension, allowed are 2 to 8: bins and frames");
}

/* How long a transform was cannot be known from half a spectrum alone (n_fft may be odd), so n_fft is given and the
 * bins must agree. */
static void check_bins(struct compiler *c, const struct request_stft *r)
{
	const struct arg *onesided = &c->args.at[STFT_ONESIDED];
	const uint64_t n = r->stft.frames.n, half = n / 2 + 1, bins = r->stft.bins;
	const bool one = onesided->given ? onesided->boolean : bins != n;

	if (bins != (one ? half : n))
		compile_param_error(c, STFT_IN, ERROR_BAD_SHAPE,
				    "it has %" PRIu64 " bins, allowed %s for n_fft = %" PRIu64 " is %" PRIu64, bins,
				    one ? "with onesided" : "without onesided", n, one ? half : n);
	if (r->stft.is_complex && one)
		compile_param_error(c, ISTFT_RETURN_COMPLEX, ERROR_OUT_OF_RANGE,
				    "got true, allowed with onesided is false");
}

/* Without `length` the result is what the frames cover, less the padding at both ends, as torch.istft has it. */
static void find_length(struct compiler *c, struct request_stft *r)
{
	const struct arg *length = &c->args.at[ISTFT_LENGTH];
	const uint64_t reach = stft_reach(&r->stft), cut = length->given ? 0 : r->stft.frames.pad;

	r->stft.length = length->given ? length->u64 : reach > cut ? reach - cut : 0;
	if (r->stft.length == 0)
		compile_param_error(c, ISTFT_LENGTH, ERROR_MISSING_PARAMETER,
				    "%" PRIu64
				    " frame without its padding has no samples: give length, that of the signal",
				    r->stft.frames.count);
	if (reach == 0)
		compile_param_error(c, STFT_IN, ERROR_BAD_SHAPE,
				    "its frames have no sample beyond the padding, allowed is 1 and up");
}

/* 2^30 frames bound the counters of frames that overlap a sample. Returns the result's shape. */
static struct shape read_inverse(struct compiler *c, struct request_stft *r)
{
	struct frames *frames = &r->stft.frames;
	struct shape shape;

	r->in = compile_floating_input(c, STFT_IN);
	shape = r->in->shape;
	check_spectra(c, &shape);
	read_frame(c, &r->stft);
	if (c->error)
		return shape;
	r->wide = dtype_is_wide(shape.dtype);
	r->stft.is_complex = c->args.at[ISTFT_RETURN_COMPLEX].boolean;
	r->stft.bins = shape.dims[shape.ndim - 2 + r->stft.frames_first];
	r->stft.scale = scale_of(c, frames->n, true);
	frames->precision = signal_precision(r->wide);
	frames->is_complex = r->stft.is_complex;
	frames->rows = signal_rows(&shape, shape.ndim - 2);
	frames->count = shape.dims[shape.ndim - 1 - r->stft.frames_first];
	check_bins(c, r);
	if (frames->count == 0 || frames->count > UINT64_C(1) << 30)
		compile_param_error(c, STFT_IN, ERROR_BAD_SHAPE, "it has %" PRIu64 " frames, allowed is 1 to 2^30",
				    frames->count);
	if (c->error)
		return shape;
	find_length(c, r);
	shape.dims[--shape.ndim - 1] = r->stft.length;
	shape.dtype = signal_dtype(r->wide, r->stft.is_complex);
	if (!shape_finish(&shape))
		compile_param_error(c, ISTFT_LENGTH, ERROR_OUT_OF_RANGE,
				    "the result has more than 2^62 bytes, allowed are fewer");
	return shape;
}

/* Adds the step that looks for the smallest sum of squared windows over a sample before anything is divided by it.
 * Its error's text is made here, where the parameters' names are known. */
static void add_check(struct compiler *c, const struct request_stft *r, const struct stft *stft)
{
	const unsigned param = STFT_WINDOW + (c->args.at[STFT_WINDOW + WINDOW_VALUES].given ? WINDOW_VALUES : 0);
	struct step *step = signal_step(c, &stft_check, stft, STEP_NO_TRANSFORM, NULL, r->window, r->window);
	char text[192];

	snprintf(text, sizeof text,
		 "%s: %s: the squared windows over a sample sum to %g or less, allowed are more: a wider window, a "
		 "shorter hop_length, or center",
		 c->args.context, c->args.operation->params[param].name, STFT_LEAST);
	step->failure = bump_copy(c->plan->bump, text, strlen(text));
	if (!step->failure)
		compile_no_memory(c);
}

/* As add_long_forward: spectra in the order of frames, their inverse transforms, and the sum of what overlaps. */
static void add_long_inverse(struct compiler *c, const struct request_stft *r, const struct stft *stft)
{
	const struct frames *frames = &stft->frames;
	struct buffer *spectra =
		signal_temp(c, signal_dtype(r->wide, true), frames->rows, frames->count, stft_spectrum(stft));
	struct buffer *backs = signal_temp(c, signal_dtype(r->wide, stft->is_complex), frames->rows, frames->count,
					   frames->n);

	signal_step(c, &stft_gather, stft, STEP_NO_TRANSFORM, r->in, NULL, spectra);
	signal_transform(c, r->transform, frames->n, true, stft->scale, spectra, backs);
	signal_step(c, &stft_add, stft, STEP_NO_TRANSFORM, backs, r->window, r->out);
}

/* Adds an istft's steps: the check of the window's overlap, then the transforms. */
static void add_inverse(struct compiler *c, const struct request_stft *r)
{
	const struct stft *stft = signal_keep(c, &r->stft, sizeof r->stft);

	if (c->error)
		return;
	add_check(c, r, stft);
	if (signal_stays(c, r->transform, stft_row_bytes(stft)) && stft_inverse_fits(stft))
		signal_step(c, &stft_inverse, stft, r->transform, r->in, r->window, r->out);
	else
		add_long_inverse(c, r, stft);
}

void compile_istft(struct compiler *c)
{
	struct request_stft r = {0};
	const struct shape shape = read_inverse(c, &r);

	r.out = compile_output(c, STFT_OUT, &shape);
	window_and_plan(c, &r);
	add_inverse(c, &r);
	compile_reply(c, STFT_OUT, r.out);
}
