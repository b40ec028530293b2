/* SPDX-License-Identifier: Apache-2.0 */
/* plot: pictures of samples and signals, in the terminal or by gnuplot. */
#include "asked.h"
#include "kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t DEFAULT_SAMPLES = 100000, DEFAULT_NOISE = 1000000, MOST_SAMPLES = 100000000;

/* How the picture of a kind of plot is made. */
struct plot {
	int (*make)(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret);
};

static int show(struct picture *picture, const struct options *options, const char *of)
{
	const char *file = options_get(options, "output");
	const char *title = options_get(options, "title");

	snprintf(picture->title, sizeof picture->title, "%s", title ? title : of);
	picture_set_axes(picture);
	if (file)
		return gnuplot_write(picture, file);
	blocks_print(picture);
	return EXIT_OK;
}

/* ---- samples of a distribution ---- */

/* Draws in float64; what counts or is of another dtype is drawn in its own and read as that. fs: of coloured noise; 0: none. */
static int draw_samples(struct cli *cli, const struct options *options, uint64_t n, double fs, double **ret_samples)
{
	const char *distribution = options->command->operation;
	struct trnsci_call *call = NULL;
	struct trnsci_array array = {0};
	int code = EXIT_OK;

	if (trnsci_call_new(cli->session, distribution, &call) < 0)
		return complain(EXIT_TRY_AGAIN, "plot: no memory for a request");
	code = options_set_parameters(options, trnsci_call_args(call));
	if (code == EXIT_OK) {
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", n));
		if (fs > 0)
			trnsci_set(trnsci_call_args(call), trnsci_param_f64("fs", fs));
		if (trnsci_run(call, NULL) < 0)
			code = complain_error(trnsci_call_error(call), EXIT_USAGE);
		else if (trnsci_value_to_array(trnsci_call_reply(call), &array) < 0 || array.ndim > 1)
			code = complain(EXIT_USAGE, "plot: %s gives vectors, allowed distributions of numbers", distribution);
	}
	if (code == EXIT_OK) {
		*ret_samples = allocate((size_t)array.count, sizeof **ret_samples);
		numbers_widen(array.dtype, array.data, (size_t)array.count, *ret_samples);
	}
	trnsci_call_free(call);
	return code;
}

static int read_count(const struct options *options, uint64_t *ret)
{
	const int code = options_u64(options, "count", ret);

	if (code == EXIT_OK && (*ret < 1 || *ret > MOST_SAMPLES))
		return complain(EXIT_USAGE, "--count: %" PRIu64 ", allowed 1 to %" PRIu64, *ret, MOST_SAMPLES);
	return code;
}

/* ---- histogram ---- */

static int histogram_of_distribution(struct cli *cli, const struct options *options)
{
	const char *distribution = options->command->operation;
	uint64_t n = DEFAULT_SAMPLES;
	struct picture picture = {0};
	double *samples = NULL;
	char title[120];
	int code = read_count(options, &n);

	if (code == EXIT_OK)
		code = connect_session(cli);
	if (code == EXIT_OK)
		code = draw_samples(cli, options, n, 0, &samples);
	if (code == EXIT_OK)
		code = plot_histogram(options, distribution, samples, (size_t)n, &picture);
	snprintf(title, sizeof title, "%s, %" PRIu64 " samples", distribution, n);
	if (code == EXIT_OK)
		code = show(&picture, options, title);
	picture_free(&picture);
	free(samples);
	return code;
}

/* ---- files ---- */

/* Makes and shows the picture of what was read, and frees it. code: of the reading. */
static int plot_numbers(struct cli *cli, const struct options *options, int code, struct numbers *numbers)
{
	const struct plot *plot = options->command->own;
	struct picture picture = {0};

	if (code == EXIT_OK)
		code = plot->make(cli, options, numbers, &picture);
	if (code == EXIT_OK)
		code = show(&picture, options, numbers->name);
	picture_free(&picture);
	numbers_free(numbers);
	return code;
}

static int plot_file(struct cli *cli, const struct options *options)
{
	struct numbers numbers = {0};
	const int code = numbers_read(options, options->operands[0], &numbers);

	return plot_numbers(cli, options, code, &numbers);
}

/* ---- spectrum ---- */

/* Draws the noise that options ask for. */
static int draw_noise(struct cli *cli, const struct options *options, uint64_t n, struct numbers *ret)
{
	const char *fs = options_get(options, "fs");
	int code;

	*ret = (struct numbers){.rows = 1, .columns = (size_t)n, .rate = 1, .is_drawn = true};
	if (fs && (!parse_f64(fs, &ret->rate) || !(ret->rate > 0)))
		return complain(EXIT_USAGE, "--fs: '%s', allowed above 0", fs);
	code = connect_session(cli);
	return code == EXIT_OK ? draw_samples(cli, options, n, ret->rate, &ret->values) : code;
}

/* Reads a file. A density that is asked for beside it is the engine's to check, by a draw of nothing. */
static int read_signal(struct cli *cli, const struct options *options, struct numbers *ret)
{
	double *none = NULL;
	int code = numbers_read(options, options->operands[0], ret);

	if (code == EXIT_OK && asked_is_given(options))
		code = connect_session(cli);
	if (code == EXIT_OK && asked_is_given(options))
		code = draw_samples(cli, options, 0, ret->rate, &none);
	free(none);
	return code;
}

/* The spectrum of a file, or of noise. */
static int plot_spectrum_of(struct cli *cli, const struct options *options)
{
	struct numbers numbers = {0};
	uint64_t n = DEFAULT_NOISE;
	char title[60];
	int code;

	if (options->n_operands > 1)
		return complain(EXIT_USAGE, "plot spectrum: %d inputs, allowed one or none: a file or -", options->n_operands);
	if (options->n_operands == 1)
		return plot_numbers(cli, options, read_signal(cli, options, &numbers), &numbers);
	code = read_count(options, &n);
	if (code == EXIT_OK)
		code = draw_noise(cli, options, n, &numbers);
	snprintf(title, sizeof title, "coloured noise, %" PRIu64 " samples", n);
	numbers.name = title;
	return plot_numbers(cli, options, code, &numbers);
}

static int histogram_of_file(struct cli *cli, const struct options *options, const struct numbers *numbers, struct picture *ret)
{
	(void)cli;
	return plot_histogram(options, NULL, numbers->values, numbers->rows * numbers->columns, ret);
}

/* ---- the commands ---- */

static const struct option_row rows[] = {
	{"output", 'o', "FILE", "a picture by gnuplot, .png or .svg [block characters in the terminal]"},
	{"title", 0, "TEXT", "what stands above it [the name of what is plotted]"},
	{"dtype", 0, "DTYPE", "of raw input: f32, f64, c64, c128"},
	{"fs", 0, "HZ", "samples in a second [that of audio, else 1]"},
	{"length", 0, "N", "spectrum, spectrogram: samples of a segment [1024]"},
	{"columns", 0, "I,J", "scatter: the columns, from 0 [0,1]"},
	{"bins", 0, "N", "histogram: intervals [60]"},
	{"count", 'n', "COUNT", "histogram of a distribution: samples [100000]"},
};

#define KIND(kind, line, picture, ...)                                                                                             \
	static const struct plot make_##kind = {picture};                                                                         \
	static const struct command command_##kind = {                                                                            \
		.name = "plot " #kind,                                                                                            \
		.summary = line ": plot " #kind " " __VA_ARGS__,                                                                  \
		.usage = "INPUT [option ...]",                                                                                    \
		.help = "Draw a picture; the input is a file, or - for stdin.",                                                   \
		.example = "plot " #kind " " __VA_ARGS__,                                                                         \
		ROWS(rows),                                                                                                       \
		.category = "draw",                                                                                               \
		.n_operands = 1,                                                                                                  \
		.operands = "inputs",                                                                                             \
		.allowed = "one: a file or -",                                                                                    \
		.own = &make_##kind,                                                                                              \
		.run = plot_file,                                                                                                 \
	}

KIND(histogram, "of a distribution with its exact density, or of a file", histogram_of_file, "gamma --shape 2");
KIND(spectrogram, "power over time and frequency", plot_spectrogram, "speech.wav -o speech.png");
KIND(waveform, "a signal over time", plot_waveform, "speech.wav");
KIND(scatter, "two columns as points", plot_scatter, "points.csv");
KIND(field, "an array of rows as a map", plot_field, "field.npy -o field.png");

static const struct plot make_spectrum = {plot_spectrum};
static const struct option_row spectrum_rows[] = {
	{"output", 'o', "FILE", "a picture by gnuplot, .png or .svg [block characters in the terminal]"},
	{"title", 0, "TEXT", "what stands above it [the name of what is plotted]"},
	{"dtype", 0, "DTYPE", "of raw input: f32, f64, c64, c128"},
	{"fs", 0, "HZ", "samples in a second [that of audio, else 1]"},
	{"length", 0, "N", "samples of a segment [1024; 8192 where a density is asked for]"},
	{"count", 'n', "COUNT", "samples that are drawn where there is no input [1e6]"},
};

static const struct command command_spectrum = {
	.name = "plot spectrum",
	.summary = "power by Welch's method, beside the density that is asked for: plot spectrum --color pink",
	.usage = "[INPUT] [option ...]",
	.help = "Draw the spectrum of an input (a file, or - for stdin), or of coloured noise. The density that options ask for "
		"is drawn "
		"beside it; beside an input it has the input's standard deviation where no option states another.",
	.example = "plot spectrum speech.wav",
	ROWS(spectrum_rows),
	.operation = "colored",
	.hidden = " n shape rank size offset position layout ",
	.category = "draw",
	.n_operands = ANY_OPERANDS,
	.own = &make_spectrum,
	.run = plot_spectrum_of,
};

static const struct option_row distribution_rows[] = {
	{"output", 'o', "FILE", "a picture by gnuplot, .png or .svg [block characters in the terminal]"},
	{"title", 0, "TEXT", "what stands above it [the name of what is plotted]"},
	{"bins", 0, "N", "histogram: intervals [60]"},
	{"count", 'n', "COUNT", "histogram of a distribution: samples [100000]"},
};

/* A file of that name goes before a distribution. */
static const struct command command_distribution = {
	.name = "plot histogram",
	.summary = "of a distribution with its exact density, or of a file: plot histogram gamma --shape 2",
	.usage = "DIST [option ...]", .help = "Histogram of a distribution, and its exact density.",
	ROWS(distribution_rows), .hidden = "dtype rank size", .word = "DIST", .kind = "distribution", .category = "draw",
	.otherwise = &command_histogram, .run = histogram_of_distribution,
};

const struct command command_plot = {
	.name = "plot", .summary = "pictures of samples and signals: plot histogram gamma --shape 2",
	.usage = "KIND INPUT [option ...]", .help = "Draw a picture of samples or of a signal.",
	.example = "plot histogram gamma --shape 2 -n 1e6", ROWS(rows), .category = "draw", .word = "KIND",
	.kind = "kind",
	.inner = (const struct command *const[]){&command_distribution, &command_spectrum, &command_spectrogram, &command_waveform, &command_scatter, &command_field, NULL},
};
