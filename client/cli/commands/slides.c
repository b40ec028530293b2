/* SPDX-License-Identifier: Apache-2.0 */
/* Long signals in stretches.
 *
 * A stretch is some frames (segments of welch): those that it gives, and for stft and istft some at its ends that the padding
 * or missing neighbours spoil, which are left out. Whatever is wrong with the parameters is left to the engine, which gets
 * the signal at once then. */
#include "slides.h"

#include <stdlib.h>
#include <string.h>

#include "options/numbers.h"

/* Of each bin, at most, in the sums of two stretches: signals that are no longer than these go at once. */
enum { SUMS_BYTES = 2 * 8 * 16 };

/* Frames of one signal. One command runs in a process. */
static struct frames {
	uint64_t n, hop;       /* samples of a frame, and between two */
	uint64_t count, next;  /* frames; the first one that no stretch has given yet */
	uint64_t most;         /* frames of a stretch */
	uint64_t length;       /* samples; of the result, for istft */
	uint64_t pad, lead;    /* samples before the first frame's centre; frames that a stretch leaves out at its begin */
	uint64_t done;         /* samples of istft that were given */
} frames;

/* ---- options ---- */

/* Reads a number, or keeps *ret where the option is not given. */
static bool read_u64(const struct options *options, const char *name, uint64_t *ret)
{
	const char *text = options_get(options, name);

	return !text || parse_u64(text, ret);
}

/* Lengths of transforms, up to which no product here overflows. */
static bool is_length(uint64_t n)
{
	return n >= 1 && n <= UINT64_C(1) << 30;
}

static bool is_choice(const struct options *options, const char *name, const char *choice)
{
	const char *text = options_get(options, name);

	return text && strcmp(text, choice) == 0;
}

static bool is_center(const struct options *options)
{
	const char *text = options_get(options, "center");

	return !text || !*text || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "1") == 0;
}

/* Reads n_fft, hop_length and center. */
static bool read_frames(const struct options *options)
{
	frames = (struct frames){0};
	if (!read_u64(options, "n_fft", &frames.n) || !is_length(frames.n))
		return false;
	frames.hop = frames.n < 4 ? 1 : frames.n / 4;
	if (!read_u64(options, "hop_length", &frames.hop) || frames.hop < 1 || frames.hop > frames.n)
		return false;
	frames.pad = is_center(options) ? frames.n / 2 : 0;
	return true;
}

static bool is_text(const struct options *options)
{
	bool text;

	return output_wants_text(options, &text) != EXIT_OK || text;
}

static const struct input *first_input(const struct computation *computation)
{
	return &computation->pieces.inputs[0];
}

/* Returns how many signals lie beside one another: the product of the sizes from axis number `from` on, but for the axis that slides. */
static uint64_t count_beside(const struct npy *array, size_t from, size_t axis)
{
	uint64_t count = 1;

	for (size_t i = from; i < array->ndim; i++)
		count *= i == array->ndim - axis ? 1 : array->shape[i];
	return count;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- welch and csd ---- */

/* Sums of the segments so far go from stretch to stretch. */
static void next_segments(void *arg, struct trnsci_args *args, const struct trnsci_tile *before, struct cut *cut)
{
	const uint64_t first = before ? frames.next : 0, left = frames.count - first;

	(void)arg;
	*cut = (struct cut){.begin = first * frames.hop, .last = left <= frames.most};
	cut->end = cut->last ? frames.length : (first + frames.most - 1) * frames.hop + frames.n;
	cut->keep = cut->last;
	trnsci_set(args, trnsci_param_text("average", cut->last ? "mean" : "sums"));
	if (before) {
		trnsci_set(args, trnsci_param_tile("sums", before));
		trnsci_set(args, trnsci_param_u64("segments", first));
	}
	frames.next = first + frames.most;
}

bool slide_welch(void *arg, uint64_t room, struct slide *ret)
{
	const struct computation *computation = arg;
	const struct options *options = computation->options;
	const struct npy *array = &first_input(computation)->array;
	const size_t axis = options_axis(options, array->ndim);
	const bool whole = axis > 1 || is_text(options); /* one item is all signals */
	uint64_t shared, nfft;

	frames = (struct frames){.n = 256};
	if (axis < 1 || !read_u64(options, "nperseg", &frames.n) || !is_length(frames.n))
		return false;
	frames.length = array->shape[array->ndim - axis];
	shared = frames.n / 2;
	if (frames.n > frames.length || !read_u64(options, "noverlap", &shared) || shared >= frames.n ||
	    (options_get(options, "average") && !is_choice(options, "average", "mean")))
		return false;
	nfft = frames.n;
	if (!read_u64(options, "nfft", &nfft) || !is_length(nfft) ||
	    nfft * SUMS_BYTES >= frames.length * trnsci_dtype_size(array->dtype))
		return false;
	frames.hop = frames.n - shared;
	frames.count = (frames.length - frames.n) / frames.hop + 1;
	frames.most = larger(room / count_beside(array, whole ? 0 : array->ndim - 1, axis) / frames.hop, 1);
	for (size_t i = 0; i < computation->n_inputs; i++)
		if (whole && axis < array->ndim && !input_can_seek(&computation->pieces.inputs[i]))
			return false;
	*ret = (struct slide){.axis = axis, .length = frames.length, .next = next_segments};
	return frames.most < frames.count;
}

/* ---- stft ---- */

/* A stretch is padded at both ends, as the signal is; frames that the padding reaches inside the signal are left out. */
static void next_frames(void *arg, struct trnsci_args *args, const struct trnsci_tile *before, struct cut *cut)
{
	const uint64_t first = before ? frames.next : 0, left = frames.count - first;
	const uint64_t keep = left < frames.most ? left : frames.most, lead = first < frames.lead ? first : frames.lead;

	(void)arg;
	(void)args;
	*cut = (struct cut){.begin = (first - lead) * frames.hop, .skip = lead, .keep = keep, .last = keep == left};
	cut->end = (first + keep - 1) * frames.hop + frames.n - frames.pad;
	if (cut->last || cut->end > frames.length)
		cut->end = frames.length;
	frames.next = first + keep;
}

/* One frame more than the padding reaches: so reflected padding has a sample to spare in the last stretch. */
bool slide_stft(void *arg, uint64_t room, struct slide *ret)
{
	const struct computation *computation = arg;
	const struct options *options = computation->options;
	const struct npy *array = &first_input(computation)->array;
	const bool frames_first = is_choice(options, "layout", "frames_bins");

	if (is_text(options) || !read_frames(options) || (frames.pad > 0 && is_choice(options, "pad_mode", "circular")) ||
	    !(frames_first || output_will_seek(options)))
		return false;
	frames.length = array->shape[array->ndim - 1];
	if (frames.length < frames.n)
		return false;
	frames.count = (frames.length + 2 * frames.pad - frames.n) / frames.hop + 1;
	frames.lead = frames.pad ? (frames.pad + frames.hop - 1) / frames.hop + 1 : 0;
	frames.most = larger(room / frames.hop, 4 * frames.lead + 4);
	*ret = (struct slide){.axis = 1, .length = frames.length, .out_axis = frames_first ? 2 : 1, .out_length = frames.count,
			      .next = next_frames};
	return frames.most < frames.count;
}

/* ---- istft ---- */

/* Samples count from the begin of the first frame. A stretch gives those that all their frames are in. With center, its result
 * begins in the middle of its first frame: there that frame's own window carries the samples. Frames before it, which are
 * missing, lie farther from them. */
static void next_samples(void *arg, struct trnsci_args *args, const struct trnsci_tile *before, struct cut *cut)
{
	const uint64_t done = before ? frames.done : 0, at = done + frames.pad, all = frames.length + frames.pad;
	const uint64_t complete = at < frames.n ? 0 : (at - frames.n) / frames.hop + 1;
	const uint64_t middle = at < frames.n / 2 ? 0 : (at - frames.n / 2) / frames.hop;
	const uint64_t first = complete < middle ? complete : middle, last = first + frames.most;
	const uint64_t begin = first ? first * frames.hop + frames.n / 2 : frames.pad;

	(void)arg;
	*cut = (struct cut){.begin = first, .end = last, .skip = at - begin, .last = last >= frames.count};
	if (cut->last)
		cut->end = frames.count;
	cut->keep = (cut->last ? all : last * frames.hop) - at;
	trnsci_set(args, trnsci_param_bool("center", first > 0 || frames.pad > 0));
	trnsci_set(args, trnsci_param_u64("length", cut->skip + cut->keep));
	frames.done = done + cut->keep;
}

bool slide_istft(void *arg, uint64_t room, struct slide *ret)
{
	const struct computation *computation = arg;
	const struct options *options = computation->options;
	const struct npy *array = &first_input(computation)->array;
	const bool frames_first = is_choice(options, "layout", "frames_bins");
	const size_t axis = frames_first ? 2 : 1;

	if (!read_frames(options) || array->ndim < 2 || !(frames_first || input_can_seek(first_input(computation))))
		return false;
	frames.count = array->shape[array->ndim - axis];
	if (frames.count < 1 || frames.count > UINT64_C(1) << 30)
		return false;

	const uint64_t all = frames.n + frames.hop * (frames.count - 1);
	uint64_t least = 4 * ((frames.n + frames.hop - 1) / frames.hop) + 4;

	frames.length = all > 2 * frames.pad ? all - 2 * frames.pad : 0;
	if (!read_u64(options, "length", &frames.length) || frames.length > UINT64_C(1) << 40 ||
	    frames.length + frames.pad <= (frames.count - 1) * frames.hop)
		return false;
	frames.most = larger(room / array->shape[array->ndim - 3 + axis], least);
	*ret = (struct slide){.axis = axis, .length = frames.count, .out_axis = 1, .out_length = frames.length, .next = next_samples};
	return frames.most < frames.count;
}
