/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of results, by the rules that PROTOCOL.md states for each operation. */
#include "signal.h"

#include <string.h>

static bool is_wide(enum trnsci_dtype dtype)
{
	return dtype == TRNSCI_F64 || dtype == TRNSCI_C128;
}

static bool is_complex(enum trnsci_dtype dtype)
{
	return dtype == TRNSCI_C64 || dtype == TRNSCI_C128;
}

static enum trnsci_dtype dtype_of(bool wide, bool complex)
{
	return complex ? (wide ? TRNSCI_C128 : TRNSCI_C64) : wide ? TRNSCI_F64 : TRNSCI_F32;
}

/* What is neither true nor false is complained of where parameters are set. */
static bool flag(const struct options *options, const char *name, bool otherwise)
{
	const char *text = options_get(options, name);

	if (!text)
		return otherwise;
	return !*text || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "1") == 0;
}

static bool is_choice(const struct options *options, const char *name, const char *choice)
{
	const char *text = options_get(options, name);

	return text && strcmp(text, choice) == 0;
}

static uint64_t at_least(uint64_t x, uint64_t least)
{
	return x > least ? x : least;
}

/* n_fft, the distance of frames, and the padding at each end. */
struct framing {
	uint64_t n, hop, pad;
};

static int read_framing(const struct options *options, struct framing *ret)
{
	int code;

	*ret = (struct framing){0};
	code = options_u64(options, "n_fft", &ret->n);
	ret->hop = at_least(ret->n / 4, 1);
	if (code == EXIT_OK)
		code = options_u64(options, "hop_length", &ret->hop);
	if (code == EXIT_OK && (ret->n == 0 || ret->hop == 0))
		code = complain(EXIT_USAGE, "--%s: there is none, allowed is 1 and up",
				ret->n ? "hop-length" : "n-fft");
	ret->pad = flag(options, "center", true) ? ret->n / 2 : 0;
	return code;
}

int signal_shape_stft(const struct options *options, const struct npy *inputs, struct signal_result *ret)
{
	const bool frames_first = is_choice(options, "layout", "frames_bins"), complex = is_complex(inputs->dtype);
	struct framing framing;
	uint64_t whole, frames, bins;
	int code = read_framing(options, &framing);

	if (code != EXIT_OK)
		return code;
	if (inputs->ndim < 1 || inputs->ndim >= TRNSCI_MAX_DIMS)
		return complain(EXIT_DATA, "stft: an input of %zu dimensions, allowed are 1 to %d", inputs->ndim,
				TRNSCI_MAX_DIMS - 1);
	whole = inputs->shape[inputs->ndim - 1] + 2 * framing.pad;
	frames = whole < framing.n ? 0 : (whole - framing.n) / framing.hop + 1;
	bins = flag(options, "onesided", !complex) ? framing.n / 2 + 1 : framing.n;
	memcpy(ret->shape, inputs->shape, sizeof inputs->shape);
	ret->ndim = inputs->ndim + 1;
	ret->shape[ret->ndim - 2] = frames_first ? frames : bins;
	ret->shape[ret->ndim - 1] = frames_first ? bins : frames;
	ret->dtype = dtype_of(is_wide(inputs->dtype), true);
	return EXIT_OK;
}

int signal_shape_istft(const struct options *options, const struct npy *inputs, struct signal_result *ret)
{
	const bool frames_first = is_choice(options, "layout", "frames_bins");
	struct framing framing;
	uint64_t frames, reach, length;
	int code = read_framing(options, &framing);

	if (code != EXIT_OK)
		return code;
	if (inputs->ndim < 2)
		return complain(EXIT_DATA, "istft: an input of %zu dimension, allowed are bins and frames",
				inputs->ndim);
	frames = inputs->shape[inputs->ndim - 1 - frames_first];
	reach = framing.n + framing.hop * (at_least(frames, 1) - 1);
	length = reach - (reach < 2 * framing.pad ? reach : 2 * framing.pad);
	code = options_u64(options, "length", &length);
	memcpy(ret->shape, inputs->shape, sizeof inputs->shape);
	ret->ndim = inputs->ndim - 1;
	ret->shape[ret->ndim - 1] = length;
	ret->dtype = dtype_of(is_wide(inputs->dtype), flag(options, "return_complex", false));
	return code;
}

/* The axis of the options in so many dimensions; the last where they name none that there is. */
static size_t find_axis(const struct options *options, size_t ndim)
{
	const char *text = options_get(options, "axis");
	const bool negative = text && *text == '-';
	uint64_t axis = 0;

	if (!text || !parse_u64(text + negative, &axis))
		return ndim - 1;
	axis = negative ? ndim - axis : axis;
	return axis < ndim ? (size_t)axis : ndim - 1;
}

static uint64_t results(const struct options *options, uint64_t a, uint64_t b)
{
	const uint64_t less = a < b ? a : b;

	if (is_choice(options, "mode", "same"))
		return a;
	return is_choice(options, "mode", "valid") ? a + b - 2 * less + 1 : a + b - 1;
}

int signal_shape_convolve(const struct options *options, const struct npy *inputs, struct signal_result *ret)
{
	const struct npy *a = &inputs[0], *b = &inputs[1];
	const size_t ndim = a->ndim > b->ndim ? a->ndim : b->ndim, axis = find_axis(options, ndim);

	if (a->ndim == 0 || b->ndim == 0)
		return complain(EXIT_DATA, "an input without dimensions, allowed are 1 to %d", TRNSCI_MAX_DIMS);
	ret->ndim = ndim;
	for (size_t i = 0; i < ndim; i++) {
		const uint64_t of_a = a->ndim == ndim ? a->shape[i] : 1, of_b = b->ndim == ndim ? b->shape[i] : 1;

		ret->shape[i] = of_a == 1 ? of_b : of_a;
	}
	ret->shape[axis] = results(options, a->shape[a->ndim == ndim ? axis : 0], b->shape[b->ndim == ndim ? axis : 0]);
	ret->dtype = dtype_of(is_wide(a->dtype) || is_wide(b->dtype), is_complex(a->dtype) || is_complex(b->dtype));
	return EXIT_OK;
}

static int shape_spectrum(const struct options *options, const struct npy *inputs, size_t count,
			  struct signal_result *ret)
{
	bool wide = false, complex = false;
	uint64_t n = 256;
	size_t axis;
	int code = options_u64(options, "nperseg", &n);

	if (inputs->ndim == 0)
		return complain(EXIT_DATA, "an input without dimensions, allowed are 1 to %d", TRNSCI_MAX_DIMS);
	axis = find_axis(options, inputs->ndim);
	n = n < inputs->shape[axis] ? n : inputs->shape[axis];
	if (code == EXIT_OK)
		code = options_u64(options, "nfft", &n);
	for (size_t i = 0; i < count; i++) {
		wide |= is_wide(inputs[i].dtype);
		complex |= is_complex(inputs[i].dtype);
	}
	memcpy(ret->shape, inputs->shape, sizeof inputs->shape);
	ret->ndim = inputs->ndim;
	ret->shape[axis] = flag(options, "onesided", !complex) ? n / 2 + 1 : n;
	ret->dtype = dtype_of(wide, count > 1);
	return code;
}

int signal_shape_welch(const struct options *options, const struct npy *inputs, struct signal_result *ret)
{
	return shape_spectrum(options, inputs, 1, ret);
}

int signal_shape_csd(const struct options *options, const struct npy *inputs, struct signal_result *ret)
{
	return shape_spectrum(options, inputs, 2, ret);
}

int signal_shape_window(const struct options *options, const struct npy *inputs, struct signal_result *ret)
{
	const char *dtype = options_get(options, "dtype");

	(void)inputs;
	ret->ndim = 1;
	ret->shape[0] = 0;
	ret->dtype = dtype && trnsci_dtype_parse(dtype) == TRNSCI_F32 ? TRNSCI_F32 : TRNSCI_F64;
	if (!options_get(options, "n"))
		return complain(EXIT_USAGE, "--n: there is none, allowed is 1 and up");
	return options_u64(options, "n", &ret->shape[0]);
}
