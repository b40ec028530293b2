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
static int read_frame(const struct compiler *c, struct stft *stft)
{
	const struct arg *hop = &c->args.at[STFT_HOP_LENGTH], *win = &c->args.at[STFT_WIN_LENGTH];
	struct frames *frames = &stft->frames;

	frames->n = c->args.at[STFT_N_FFT].u64;
	frames->hop = hop->given ? hop->u64 : frames->n < 4 ? 1 : frames->n / 4;
	frames->window_n = win->given ? win->u64 : frames->n;
	if (frames->window_n > frames->n)
		return bind_error(&c->args, STFT_WIN_LENGTH, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed is 1 to n_fft, %" PRIu64, frames->window_n, frames->n);
	frames->window_at = (frames->n - frames->window_n) / 2;
	frames->pad = c->args.at[STFT_CENTER].boolean ? frames->n / 2 : 0;
	stft->frames_first = c->args.at[STFT_LAYOUT].choice == 1;
	return 0;
}

/* Whether a frame and its spectrum fit a thread's scratch, so that all work on it is done while it is in the cache. */
static bool fits(const struct compiler *c, const struct request_stft *r)
{
	const struct engine *engine = c->plan->session->engine;

	return signal_fits(plans_plan(c->first_run->bound.transforms[r->transform]), stft_row_bytes(&r->stft), pool_scratch_bytes(engine->pool));
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
static int find_frames(const struct compiler *c, struct request_stft *r)
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
		return bind_error(&c->args, STFT_PAD_MODE, c->err, ERROR_OUT_OF_RANGE,
				  "reflect pads %" PRIu64
				  " samples at each end, allowed are fewer than the signal's %" PRIu64,
				  frames->pad, length);
	if (frames->pad_mode == PAD_CIRCULAR && length < frames->pad)
		return bind_error(&c->args, STFT_PAD_MODE, c->err, ERROR_OUT_OF_RANGE,
				  "circular pads %" PRIu64 " samples at each end, allowed are the signal's %" PRIu64,
				  frames->pad, length);
	if (length == 0 || length > UINT64_C(1) << 60)
		return bind_error(&c->args, STFT_IN, c->err, ERROR_BAD_SHAPE, "%s",
				  length ? "signals of more than 2^60 samples, allowed are fewer"
					 : "signals without samples, allowed is 1 and up");
	frames->count = frames_count(length, frames->pad, frames->n, frames->hop);
	if (frames->count == 0)
		return bind_error(&c->args, STFT_N_FFT, c->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", allowed is up to the %" PRIu64
				  " samples of a signal, padding included",
				  frames->n, length + 2 * frames->pad);
	return 0;
}

/* The spectrum of a real signal is symmetric: half of it, n_fft / 2 + 1 bins, is the default. */
static int find_bins(const struct compiler *c, struct request_stft *r)
{
	const struct arg *onesided = &c->args.at[STFT_ONESIDED];
	const bool half = onesided->given ? onesided->boolean : !r->stft.is_complex;

	if (half && r->stft.is_complex)
		return bind_error(&c->args, STFT_ONESIDED, c->err, ERROR_OUT_OF_RANGE,
				  "got true, allowed for complex signals is false");
	r->stft.bins = half ? r->stft.frames.n / 2 + 1 : r->stft.frames.n;
	return 0;
}

/* (..., bins, frames) as torch has it, or (..., frames, bins), in which a frame's spectrum is contiguous. */
static int spectra_shape(const struct compiler *c, const struct request_stft *r, struct shape *ret)
{
	const struct stft *stft = &r->stft;
	struct shape shape = r->in->shape;

	if (shape.ndim == SHAPE_MAX_DIMS)
		return bind_error(&c->args, STFT_IN, c->err, ERROR_BAD_SHAPE,
				  "it has 8 dimensions, allowed are 7: the result has one more");
	shape.dims[shape.ndim - 1] = stft->frames_first ? stft->frames.count : stft->bins;
	shape.dims[shape.ndim++] = stft->frames_first ? stft->bins : stft->frames.count;
	shape.dtype = signal_dtype(r->wide, true);
	if (!shape_finish(&shape))
		return bind_error(&c->args, STFT_IN, c->err, ERROR_OUT_OF_RANGE,
				  "the result has more than 2^62 bytes, allowed are fewer");
	*ret = shape;
	return 0;
}

/* Reads a stft's parameters; only the output is still missing. */
static int read_forward(struct compiler *c, struct request_stft *r)
{
	int error = compile_floating_input(c, STFT_IN, &r->in);

	if (error)
		return error;
	r->wide = dtype_is_wide(r->in->shape.dtype);
	r->stft.is_complex = dtype_is_complex(r->in->shape.dtype);
	error = read_frame(c, &r->stft);
	if (!error)
		error = find_bins(c, r);
	if (!error)
		error = find_frames(c, r);
	r->stft.scale = scale_of(c, r->stft.frames.n, false);
	return error;
}

/* Adds the window's step, where it is named, and takes the plan of a frame. The output must be known. */
static int window_and_plan(struct compiler *c, struct request_stft *r)
{
	const struct frames *frames = &r->stft.frames;
	int error = signal_window(c, STFT_WINDOW, NULL, frames->window_n, r->wide, r->out, &r->window);

	return error ? error : signal_plan(c, frames->n, r->wide, !r->stft.is_complex, &r->transform);
}

/* Frames that do not fit the scratch: windowed frames, their spectra and the result are passes of their own over
 * temporaries. */
static int long_forward(struct compiler *c, const struct request_stft *r, const struct stft *stft)
{
	const struct frames *frames = &stft->frames;
	struct buffer *windowed, *spectra;
	int error = signal_temp(c, signal_dtype(r->wide, stft->is_complex), frames->rows, frames->count, frames->n,
				&windowed);

	if (!error)
		error = signal_temp(c, signal_dtype(r->wide, true), frames->rows, frames->count, stft_spectrum(stft),
				    &spectra);
	if (!error)
		error = signal_step(c, &frames_windowed, frames, STEP_NO_TRANSFORM, r->in, r->window, windowed, NULL);
	if (!error)
		error = signal_transform(c, r->transform, frames->n, false, stft->scale, windowed, spectra);
	return error ? error : signal_step(c, &stft_store, stft, STEP_NO_TRANSFORM, spectra, NULL, r->out, NULL);
}

static int add_forward(struct compiler *c, const struct request_stft *r)
{
	const struct stft *stft = signal_keep(c, &r->stft, sizeof r->stft);

	if (!stft)
		return compile_no_memory(c);
	if (!fits(c, r))
		return long_forward(c, r, stft);
	return signal_step(c, &stft_forward, stft, r->transform, r->in, r->window, r->out, NULL);
}

int compile_stft(struct compiler *c)
{
	struct request_stft r = {0};
	struct shape shape;
	int error = read_forward(c, &r);

	if (!error)
		error = spectra_shape(c, &r, &shape);
	if (!error)
		error = compile_output(c, STFT_OUT, &shape, &r.out);
	if (!error)
		error = window_and_plan(c, &r);
	if (!error)
		error = add_forward(c, &r);
	return error ? error : compile_reply(c, STFT_OUT, r.out);
}

/* ---- inverse ---- */

static int check_spectra(const struct compiler *c, const struct request_stft *r)
{
	const struct shape *shape = &r->in->shape;

	if (!dtype_is_complex(shape->dtype))
		return bind_error(&c->args, STFT_IN, c->err, ERROR_BAD_SHAPE,
				  "its dtype is %s, allowed are c64 and c128", dtype_name(shape->dtype));
	if (shape->ndim < 2)
		return bind_error(&c->args, STFT_IN, c->err, ERROR_BAD_SHAPE,
				  "it has 1 dimension, allowed are 2 to 8: bins and frames");
	return 0;
}

/* How long a transform was cannot be known from half a spectrum alone (n_fft may be odd), so n_fft is given and the
 * bins must agree. */
static int check_bins(const struct compiler *c, const struct request_stft *r)
{
	const struct arg *onesided = &c->args.at[STFT_ONESIDED];
	const uint64_t n = r->stft.frames.n, half = n / 2 + 1, bins = r->stft.bins;
	const bool one = onesided->given ? onesided->boolean : bins != n;

	if (bins != (one ? half : n))
		return bind_error(&c->args, STFT_IN, c->err, ERROR_BAD_SHAPE,
				  "it has %" PRIu64 " bins, allowed %s for n_fft = %" PRIu64 " is %" PRIu64, bins,
				  one ? "with onesided" : "without onesided", n, one ? half : n);
	if (r->stft.is_complex && one)
		return bind_error(&c->args, ISTFT_RETURN_COMPLEX, c->err, ERROR_OUT_OF_RANGE,
				  "got true, allowed with onesided is false");
	return 0;
}

/* Without `length` the result is what the frames cover, less the padding at both ends, as torch.istft has it. */
static int find_length(const struct compiler *c, struct request_stft *r)
{
	const struct arg *length = &c->args.at[ISTFT_LENGTH];
	const uint64_t reach = stft_reach(&r->stft), cut = length->given ? 0 : r->stft.frames.pad;

	r->stft.length = length->given ? length->u64 : reach > cut ? reach - cut : 0;
	if (r->stft.length == 0)
		return bind_error(&c->args, ISTFT_LENGTH, c->err, ERROR_MISSING_PARAMETER,
				  "%" PRIu64
				  " frame without its padding has no samples: give length, that of the signal",
				  r->stft.frames.count);
	if (reach == 0)
		return bind_error(&c->args, STFT_IN, c->err, ERROR_BAD_SHAPE,
				  "its frames have no sample beyond the padding, allowed is 1 and up");
	return 0;
}

/* 2^30 frames bound the counters of frames that overlap a sample. */
static int read_inverse(struct compiler *c, struct request_stft *r)
{
	struct frames *frames = &r->stft.frames;
	const struct shape *shape;
	int error = compile_floating_input(c, STFT_IN, &r->in);

	if (!error)
		error = check_spectra(c, r);
	if (!error)
		error = read_frame(c, &r->stft);
	if (error)
		return error;
	shape = &r->in->shape;
	r->wide = dtype_is_wide(shape->dtype);
	r->stft.is_complex = c->args.at[ISTFT_RETURN_COMPLEX].boolean;
	r->stft.bins = shape->dims[shape->ndim - 2 + r->stft.frames_first];
	r->stft.scale = scale_of(c, frames->n, true);
	frames->precision = signal_precision(r->wide);
	frames->is_complex = r->stft.is_complex;
	frames->rows = signal_rows(shape, shape->ndim - 2);
	frames->count = shape->dims[shape->ndim - 1 - r->stft.frames_first];
	error = check_bins(c, r);
	if (error)
		return error;
	if (frames->count == 0 || frames->count > UINT64_C(1) << 30)
		return bind_error(&c->args, STFT_IN, c->err, ERROR_BAD_SHAPE,
				  "it has %" PRIu64 " frames, allowed is 1 to 2^30", frames->count);
	return find_length(c, r);
}

/* Adds the step that looks for the smallest sum of squared windows over a sample before anything is divided by it.
 * Its error's text is made here, where the parameters' names are known. */
static int add_check(struct compiler *c, const struct request_stft *r, const struct stft *stft)
{
	const unsigned param = STFT_WINDOW + (c->args.at[STFT_WINDOW + WINDOW_VALUES].given ? WINDOW_VALUES : 0);
	char text[192];
	struct step *step;
	int error = signal_step(c, &stft_check, stft, STEP_NO_TRANSFORM, NULL, r->window, r->window, &step);

	if (error)
		return error;
	snprintf(text, sizeof text,
		 "%s: %s: the squared windows over a sample sum to %g or less, allowed are more: a wider window, a "
		 "shorter hop_length, or center",
		 c->args.context, c->args.operation->params[param].name, STFT_LEAST);
	step->signal.failure = bump_copy(c->plan->bump, text, strlen(text));
	return step->signal.failure ? 0 : compile_no_memory(c);
}

/* As long_forward: spectra in the order of frames, their inverse transforms, and the sum of what overlaps. */
static int long_inverse(struct compiler *c, const struct request_stft *r, const struct stft *stft)
{
	const struct frames *frames = &stft->frames;
	struct buffer *spectra, *backs;
	int error =
		signal_temp(c, signal_dtype(r->wide, true), frames->rows, frames->count, stft_spectrum(stft), &spectra);

	if (!error)
		error = signal_temp(c, signal_dtype(r->wide, stft->is_complex), frames->rows, frames->count, frames->n,
				    &backs);
	if (!error)
		error = signal_step(c, &stft_gather, stft, STEP_NO_TRANSFORM, r->in, NULL, spectra, NULL);
	if (!error)
		error = signal_transform(c, r->transform, frames->n, true, stft->scale, spectra, backs);
	return error ? error : signal_step(c, &stft_add, stft, STEP_NO_TRANSFORM, backs, r->window, r->out, NULL);
}

/* Adds an istft's steps: the check of the window's overlap, then the transforms. */
static int add_inverse(struct compiler *c, const struct request_stft *r)
{
	const struct stft *stft = signal_keep(c, &r->stft, sizeof r->stft);
	int error = stft ? add_check(c, r, stft) : compile_no_memory(c);

	if (error)
		return error;
	if (!fits(c, r) || !stft_inverse_fits(stft))
		return long_inverse(c, r, stft);
	return signal_step(c, &stft_inverse, stft, r->transform, r->in, r->window, r->out, NULL);
}

int compile_istft(struct compiler *c)
{
	struct request_stft r = {0};
	struct shape shape;
	int error = read_inverse(c, &r);

	if (error)
		return error;
	shape = r.in->shape;
	shape.ndim--;
	shape.dims[shape.ndim - 1] = r.stft.length;
	shape.dtype = signal_dtype(r.wide, r.stft.is_complex);
	if (!shape_finish(&shape))
		return bind_error(&c->args, ISTFT_LENGTH, c->err, ERROR_OUT_OF_RANGE,
				  "the result has more than 2^62 bytes, allowed are fewer");
	error = compile_output(c, STFT_OUT, &shape, &r.out);
	if (!error)
		error = window_and_plan(c, &r);
	if (!error)
		error = add_inverse(c, &r);
	return error ? error : compile_reply(c, STFT_OUT, r.out);
}
