/* SPDX-License-Identifier: Apache-2.0 */
/* Long signals in stretches.
 *
 * A stretch is some frames (segments of welch): those that it gives, and for stft and istft some at its ends that the padding
 * or missing neighbours spoil, which are left out. Whatever is wrong with the parameters is left to the engine, which gets
 * the signal at once then.
 *
 * What is computed at once, as its result would not be the same, or not come in order:
 *     convolve, correlate      the length of their transforms, and so their rounding, follows from both whole lengths
 *     the median of segments   it needs them all
 *     padding that is circular, taken from the other end; frames that skip samples (hop_length above n_fft)
 *     spectra with bins first, where the input or the output is a pipe; text of stft
 * Raw input from a pipe is held: how long it is, is not known before its end. */
#include "frames.h"
#include "rules.h"

/* The most that a bin has in the sums of two stretches: signals that are no longer than these go at once. */
enum { SUMS_BYTES = 2 * 8 * 16 };

/* Frames of one signal. One command runs in a process. */
static struct frames frames;
static struct {
	uint64_t next;       /* the first frame that no stretch has given yet */
	uint64_t most;       /* frames of a stretch */
	uint64_t length;     /* samples; of the result, for istft */
	uint64_t pad, lead;  /* samples before the first frame's centre; frames that a stretch leaves out at its begin */
	uint64_t done;       /* samples of istft that were given */
} at;

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool writes_text(const struct pieces *pieces)
{
	bool text;

	return output_wants_text(pieces->options, &text) != EXIT_OK || text;
}

/* Returns how many signals lie beside one another in an item, of which the axis slides. */
static uint64_t count_beside(const struct pieces *pieces, size_t axis)
{
	const struct npy *array = &pieces->inputs[0].array;
	uint64_t count = 1;

	for (size_t i = array->ndim - pieces->trailing; i < array->ndim; i++)
		count *= i == array->ndim - axis ? 1 : array->shape[i];
	return count;
}

/* ---- welch and csd ---- */

/* Sums of the segments so far go from stretch to stretch. */
static void next_segments(struct trnsci_args *args, const struct trnsci_tile *before, struct cut *cut)
{
	const uint64_t first = before ? at.next : 0, left = frames.count - first;

	*cut = (struct cut){.begin = first * frames.hop, .last = left <= at.most};
	cut->end = cut->last ? at.length : (first + at.most - 1) * frames.hop + frames.n;
	cut->keep = cut->last;
	trnsci_set(args, trnsci_param_text("average", cut->last ? "mean" : "sums"));
	if (before) {
		trnsci_set(args, trnsci_param_tile("sums", before));
		trnsci_set(args, trnsci_param_u64("segments", first));
	}
	at.next = first + at.most;
}

bool slide_welch(const struct pieces *pieces, uint64_t room, struct slide *ret)
{
	const struct npy *array = &pieces->inputs[0].array;
	const size_t axis = pieces->n_axes ? (size_t)-pieces->axes[0] : 0;

	if (axis < 1 || !options_is(pieces->options, "average", "mean"))
		return false;
	at.length = array->shape[array->ndim - axis];
	if (!frames_of_segments(pieces->options, at.length, &frames) ||
	    frames.nfft * SUMS_BYTES >= at.length * trnsci_dtype_size(array->dtype))
		return false;
	at.most = larger(room / count_beside(pieces, axis) / frames.hop, 1);
	for (size_t i = 0; i < pieces->n_inputs; i++)
		if (axis < pieces->trailing && !input_can_seek(&pieces->inputs[i]))
			return false;
	*ret = (struct slide){.axis = axis, .length = at.length, .next = next_segments};
	return at.most < frames.count;
}

/* ---- stft ---- */

/* A stretch is padded at both ends, as the signal is; frames that the padding reaches inside the signal are left out. */
static void next_frames(struct trnsci_args *args, const struct trnsci_tile *before, struct cut *cut)
{
	const uint64_t first = before ? at.next : 0, left = frames.count - first;
	const uint64_t keep = left < at.most ? left : at.most, lead = first < at.lead ? first : at.lead;

	(void)args;
	*cut = (struct cut){.begin = (first - lead) * frames.hop, .skip = lead, .keep = keep, .last = keep == left};
	cut->end = (first + keep - 1) * frames.hop + frames.n - at.pad;
	if (cut->last || cut->end > at.length)
		cut->end = at.length;
	at.next = first + keep;
}

/* One frame more than the padding reaches: so reflected padding has a sample to spare in the last stretch. */
bool slide_stft(const struct pieces *pieces, uint64_t room, struct slide *ret)
{
	const struct options *options = pieces->options;
	const struct npy *array = &pieces->inputs[0].array;
	const bool frames_first = options_is(options, "layout", "frames_bins");

	at.length = array->shape[array->ndim - 1];
	if (writes_text(pieces) || !frames_of_transforms(options, &frames) || frames.hop > frames.n || at.length < frames.n ||
	    (frames.center && options_is(options, "pad_mode", "circular")) || !(frames_first || output_will_seek(options)))
		return false;
	at.pad = frames.center ? frames.n / 2 : 0;
	frames.count = (at.length + 2 * at.pad - frames.n) / frames.hop + 1;
	at.lead = at.pad ? (at.pad + frames.hop - 1) / frames.hop + 1 : 0;
	at.most = larger(room / frames.hop, 4 * at.lead + 4);
	*ret = (struct slide){.axis = 1, .length = at.length, .out_axis = frames_first ? 2 : 1, .out_length = frames.count,
			      .next = next_frames};
	return at.most < frames.count;
}

/* ---- istft ---- */

/* Samples count from the begin of the first frame. A stretch gives those that all their frames are in. With center, its result
 * begins in the middle of its first frame: there that frame's own window carries the samples. Frames before it, which are
 * missing, lie farther from them. */
static void next_samples(struct trnsci_args *args, const struct trnsci_tile *before, struct cut *cut)
{
	const uint64_t done = before ? at.done : 0, begun = done + at.pad, all = at.length + at.pad;
	const uint64_t complete = begun < frames.n ? 0 : (begun - frames.n) / frames.hop + 1;
	const uint64_t middle = begun < frames.n / 2 ? 0 : (begun - frames.n / 2) / frames.hop;
	const uint64_t first = complete < middle ? complete : middle, last = first + at.most;
	const uint64_t begin = first ? first * frames.hop + frames.n / 2 : at.pad;

	*cut = (struct cut){.begin = first, .end = last, .skip = begun - begin, .last = last >= frames.count};
	if (cut->last)
		cut->end = frames.count;
	cut->keep = (cut->last ? all : last * frames.hop) - begun;
	trnsci_set(args, trnsci_param_bool("center", first > 0 || at.pad > 0));
	trnsci_set(args, trnsci_param_u64("length", cut->skip + cut->keep));
	at.done = done + cut->keep;
}

bool slide_istft(const struct pieces *pieces, uint64_t room, struct slide *ret)
{
	const struct options *options = pieces->options;
	const struct npy *array = &pieces->inputs[0].array;
	const bool frames_first = options_is(options, "layout", "frames_bins");
	const size_t axis = frames_first ? 2 : 1;
	const char *length = options_get(options, "length");

	if (!frames_of_transforms(options, &frames) || frames.hop > frames.n || array->ndim < 2 ||
	    !(frames_first || input_can_seek(&pieces->inputs[0])))
		return false;
	at.pad = frames.center ? frames.n / 2 : 0;
	frames.count = array->shape[array->ndim - axis];
	if (frames.count < 1 || frames.count > UINT64_C(1) << 30)
		return false;

	const uint64_t all = frames.n + frames.hop * (frames.count - 1);
	const uint64_t least = 4 * ((frames.n + frames.hop - 1) / frames.hop) + 4;

	at.length = all > 2 * at.pad ? all - 2 * at.pad : 0;
	if ((length && !parse_u64(length, &at.length)) || at.length > UINT64_C(1) << 40 ||
	    at.length + at.pad <= (frames.count - 1) * frames.hop)
		return false;
	at.most = larger(room / count_beside(pieces, axis), least);
	*ret = (struct slide){.axis = axis, .length = frames.count, .out_axis = 1, .out_length = at.length, .next = next_samples};
	return at.most < frames.count;
}
