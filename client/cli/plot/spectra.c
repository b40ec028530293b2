/* SPDX-License-Identifier: Apache-2.0 */
/* Spectra and spectrograms of the first row, computed by the engine. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "kinds.h"

enum { DEFAULT_LENGTH = 1024, ASKED_LENGTH = 8192, MOST_LENGTH = 1 << 20, MOST_FRAMES = 2000, RANGE_DB = 80 };

/* Samples of a segment or a frame: --length, and at most the signal's. */
static int read_length(const struct options *options, const struct numbers *numbers, uint64_t otherwise, uint64_t *ret)
{
	uint64_t length = otherwise;
	int code = options_u64(options, "length", &length);

	if (code == EXIT_OK && (length < 2 || length > MOST_LENGTH))
		code = complain(EXIT_USAGE, "--length: %" PRIu64 ", allowed 2 to %d samples", length, MOST_LENGTH);
	*ret = length < numbers->columns ? length : numbers->columns;
	if (code == EXIT_OK && *ret < 2)
		code = complain(EXIT_DATA, "%s: one sample, allowed 2 or more", numbers->name);
	return code;
}

/* The operation on the first row, which params[0] becomes: a tile, since a message has a limit. NULL: *ret_code says why. */
static struct trnsci_tile *apply(struct cli *cli, const char *operation, const struct numbers *numbers, struct trnsci_param *params,
				 int *ret_code)
{
	const uint64_t count = numbers->columns;
	struct trnsci_tile *in = NULL, *out = NULL;
	struct trnsci_error err;

	*ret_code = connect_session(cli);
	if (*ret_code != EXIT_OK)
		return NULL;
	if (trnsci_tile_new(cli->session, TRNSCI_F64, 1, &count, &in, &err) == 0) {
		memcpy(trnsci_tile_data(in), numbers->values, tile_info(in).bytes);
		params[0] = trnsci_param_tile("in", in);
	}
	if (!in || trnsci_apply_tile(cli->session, operation, params, &out, &err) < 0)
		*ret_code = complain_error(&err, EXIT_DATA);
	trnsci_tile_free(in);
	return out;
}

static double decibels(double power)
{
	return 10 * log10(fmax(power, 1e-300));
}

/* The axis reaches RANGE_DB below the highest value. */
static void set_range(const double *values, size_t n, double *ret_min, double *ret_max)
{
	double high = -INFINITY;

	for (size_t i = 0; i < n; i++)
		high = fmax(high, values[i]);
	*ret_max = 10 * ceil(high / 10);
	*ret_min = *ret_max - RANGE_DB;
}

/* The spectrum alone, over all frequencies. */
static void make_line(const double *power, size_t bins, double step, struct picture *ret)
{
	picture_make(ret, bins, false, false);
	for (size_t i = 0; i < bins; i++) {
		ret->x[i] = (double)i * step;
		ret->y[i] = decibels(power[i]);
	}
	set_range(ret->y, bins, &ret->y_min, &ret->y_max);
}

/* Returns the standard deviation of the first row. */
static double deviation_of(const struct numbers *numbers)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < numbers->columns; i++)
		mean += (numbers->values[i] - mean) / (double)(i + 1);
	for (size_t i = 0; i < numbers->columns; i++)
		sum += (numbers->values[i] - mean) * (numbers->values[i] - mean);
	return sqrt(sum / (double)numbers->columns);
}

/* The spectrum and the density that was asked for, over the logarithm of the frequency. Each segment's mean is taken away, of
 * which the first two bins have a part; the last one has half of its power. What is asked to be 0 has no curve. */
static int make_comparison(const struct options *options, const struct numbers *numbers, const double *power, size_t bins,
			   double step, struct picture *ret)
{
	enum { FIRST = 2 };
	struct asked *asked = allocate(1, sizeof *asked);
	double low = INFINITY, high = -INFINITY;
	const int code = asked_read(options, numbers->rate, numbers->is_drawn ? 0 : deviation_of(numbers), asked);

	if (code == EXIT_OK && bins < FIRST + 2) {
		free(asked);
		return complain(EXIT_DATA, "%s: segments of %zu samples, allowed 6 or more", numbers->name, 2 * bins - 2);
	}
	picture_make(ret, bins - FIRST - 1, false, true);
	for (size_t i = 0; i < ret->n && code == EXIT_OK; i++) {
		const double density = asked_density(asked, (double)(i + FIRST) * step);

		ret->x[i] = (double)(i + FIRST) * step;
		ret->y[i] = decibels(power[i + FIRST]);
		ret->curve[i] = density > 0 ? decibels(density) : (double)NAN;
		low = fmin(low, ret->curve[i]);
		high = fmax(high, fmax(ret->y[i], ret->curve[i]));
	}
	ret->is_log = true;
	ret->y_label = numbers->rate == 1 ? "dB of 1 per cycle in a sample" : "dB of 1/Hz";
	ret->y_max = 10 * ceil((high + 1) / 10);
	ret->y_min = 10 * floor(fmin(low - 10, ret->y_max - 40) / 10);
	snprintf(ret->legend, sizeof ret->legend, "asked: %s", asked->text);
	free(asked);
	return code;
}

int plot_spectrum(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret)
{
	const bool is_asked = numbers->is_drawn || asked_is_given(options);
	uint64_t length;
	int code = read_length(options, numbers, is_asked ? ASKED_LENGTH : DEFAULT_LENGTH, &length);

	if (code != EXIT_OK)
		return code;
	struct trnsci_param params[] = {trnsci_param_end(), trnsci_param_f64("fs", numbers->rate),
					trnsci_param_u64("nperseg", length), trnsci_param_end()};
	struct trnsci_tile *tile = apply(cli, "welch", numbers, params, &code);

	if (tile) {
		const double *power = trnsci_tile_data(tile);
		const size_t bins = (size_t)tile_info(tile).count;

		*ret = (struct picture){.kind = PICTURE_LINE, .x_label = numbers->rate == 1 ? "cycles in a sample" : "Hz",
					.y_label = "dB"};
		if (is_asked)
			code = make_comparison(options, numbers, power, bins, numbers->rate / (double)length, ret);
		else
			make_line(power, bins, numbers->rate / (double)length, ret);
	}
	trnsci_tile_free(tile);
	return code;
}

static void make_map(const struct trnsci_tile *tile, const struct numbers *numbers, struct picture *ret)
{
	const struct trnsci_tile_info info = tile_info(tile);
	const double *values = trnsci_tile_data(tile);
	const size_t frames = (size_t)info.shape[0], bins = (size_t)info.shape[1];

	*ret = (struct picture){.kind = PICTURE_MAP, .n = frames, .rows = bins,
				.x_label = numbers->rate == 1 ? "sample" : "seconds",
				.y_label = numbers->rate == 1 ? "cycles in a sample" : "Hz", .z_label = "dB",
				.x_max = (double)numbers->columns / numbers->rate, .y_max = numbers->rate / 2};
	ret->z = allocate(frames * bins, sizeof *ret->z);
	for (size_t i = 0; i < frames * bins; i++)
		ret->z[i] = decibels(values[2 * i] * values[2 * i] + values[2 * i + 1] * values[2 * i + 1]);
	set_range(ret->z, frames * bins, &ret->z_min, &ret->z_max);
}

/* Frames are so far apart that the picture has at most MOST_FRAMES. */
int plot_spectrogram(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret)
{
	uint64_t length;
	int code = read_length(options, numbers, DEFAULT_LENGTH, &length);

	if (code != EXIT_OK)
		return code;
	const uint64_t quarter = length / 4 ? length / 4 : 1, sparse = numbers->columns / MOST_FRAMES;
	struct trnsci_param params[] = {
		trnsci_param_end(),
		trnsci_param_u64("n_fft", length),
		trnsci_param_u64("hop_length", quarter > sparse ? quarter : sparse),
		trnsci_param_text("window", "hann"),
		trnsci_param_text("layout", "frames_bins"),
		trnsci_param_text("pad_mode", "constant"),
		trnsci_param_end(),
	};
	struct trnsci_tile *tile = apply(cli, "stft", numbers, params, &code);

	if (tile)
		make_map(tile, numbers, ret);
	trnsci_tile_free(tile);
	return code;
}
