/* SPDX-License-Identifier: Apache-2.0 */
/* Spectra as lines of text. */
#include "rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/text.h"
#include "frames.h"

enum { NAMES_ROOM = 1 << 16 };

/* An axis of the result: how many there are before it, on it and behind it. */
struct split {
	uint64_t before, length, behind;
};

static struct split split_at(const struct trnsci_tile_info *result, size_t axis)
{
	struct split split = {1, result->shape[axis], 1};

	for (size_t i = 0; i < axis; i++)
		split.before *= result->shape[i];
	for (size_t i = axis + 1; i < result->ndim; i++)
		split.behind *= result->shape[i];
	return split;
}

static double option_rate(const struct options *options, double rate)
{
	const char *text = options_get(options, "fs");

	return text ? strtod(text, NULL) : rate > 0 ? rate : 1;
}

/* Half a spectrum has n / 2 + 1 bins; a whole one n, of which the upper half are negative frequencies. */
static double frequency(uint64_t bin, uint64_t bins, uint64_t n, double rate)
{
	const double index = bins == n && n > 2 && bin > (n - 1) / 2 ? (double)bin - (double)n : (double)bin;

	return index * rate / (double)n;
}

/* "frequency,power", or "frequency,power0,power1" for several signals; complex values are pairs. */
static void make_names(char *to, const char *lead, const char *const value[2], uint64_t signals, bool complex)
{
	size_t used = (size_t)snprintf(to, NAMES_ROOM, "%s", lead);
	char number[24] = "";

	for (uint64_t i = 0; i < signals && used + 64 < NAMES_ROOM; i++) {
		if (signals > 1)
			snprintf(number, sizeof number, "%" PRIu64, i);
		used += (size_t)snprintf(to + used, NAMES_ROOM - used, ",%s%s", value[0], number);
		if (complex)
			used += (size_t)snprintf(to + used, NAMES_ROOM - used, ",%s%s", value[1], number);
	}
}

int spectrum_write_bins(struct output *output, const struct pieces *pieces, const struct trnsci_tile_info *result, const void *data)
{
	const struct input *input = &pieces->inputs[0];
	const size_t axis = result->ndim - (size_t)-pieces->axes[0];
	const struct split split = split_at(result, axis);
	const uint64_t signals = split.before * split.behind;
	const size_t element = trnsci_dtype_size(result->dtype);
	const bool complex = is_complex(result->dtype);
	const double fs = option_rate(pieces->options, input->audio.rate);
	static char names[NAMES_ROOM];
	struct frames frames = {.nfft = 1};
	int code;

	frames_of_segments(pieces->options, input->array.shape[input->array.ndim - (size_t)-pieces->axes[0]], &frames); /* the engine has accepted them */
	make_names(names, "frequency", (const char *const[]){complex ? "re" : "power", "im"}, signals, complex);
	code = output_begin_table(output, 1 + signals, names);
	for (uint64_t bin = 0; bin < split.length && code == EXIT_OK; bin++) {
		code = output_write_cell(output, TRNSCI_F64, &(double){frequency(bin, split.length, frames.nfft, fs)});
		for (uint64_t i = 0; i < signals && code == EXIT_OK; i++) {
			const uint64_t at = (i / split.behind * split.length + bin) * split.behind + i % split.behind;

			code = output_write_cell(output, result->dtype, (const char *)data + at * element);
		}
	}
	return code;
}

int spectrum_write_frames(struct output *output, const struct pieces *pieces, const struct trnsci_tile_info *result, const void *data)
{
	const bool frames_first = options_is(pieces->options, "layout", "frames_bins");
	const size_t last = result->ndim - 1;
	const uint64_t bins = result->shape[frames_first ? last : last - 1];
	const uint64_t n_frames = result->shape[frames_first ? last - 1 : last];
	const uint64_t signals = bins > 0 && n_frames > 0 ? result->count / (bins * n_frames) : 0;
	const size_t element = trnsci_dtype_size(result->dtype);
	const double fs = pieces->inputs[0].audio.rate > 0 ? pieces->inputs[0].audio.rate : 1;
	static char names[NAMES_ROOM];
	struct frames frames = {.nfft = 1};
	int code;

	frames_of_transforms(pieces->options, &frames); /* the engine has accepted them */

	/* Without padding at both ends a frame's centre lies half a transform behind its start. */
	const double lead = frames.center ? 0 : (double)frames.n / 2;

	make_names(names, "time,frequency", (const char *const[]){"re", "im"}, signals, true);
	code = output_begin_table(output, 2 + signals, names);
	for (uint64_t i = 0; i < n_frames * bins && code == EXIT_OK; i++) {
		const uint64_t frame = i / bins, bin = i % bins;
		const uint64_t place = frames_first ? frame * bins + bin : bin * n_frames + frame;

		code = output_write_cell(output, TRNSCI_F64, &(double){((double)frame * (double)frames.hop + lead) / fs});
		if (code == EXIT_OK)
			code = output_write_cell(output, TRNSCI_F64, &(double){frequency(bin, bins, frames.nfft, fs)});
		for (uint64_t s = 0; s < signals && code == EXIT_OK; s++)
			code = output_write_cell(output, result->dtype,
						 (const char *)data + (s * n_frames * bins + place) * element);
	}
	return code;
}
