/* SPDX-License-Identifier: Apache-2.0 */
/* plot: pictures of samples and signals, in the terminal or by gnuplot. */
#include "kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blocks.h"
#include "gnuplot.h"
#include "options/distributions.h"
#include "options/suggest.h"

static const uint64_t DEFAULT_SAMPLES = 100000, MOST_SAMPLES = 100000000;

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

/* ---- histogram ---- */

/* Draws in float64; what counts or is of another dtype is drawn in its own and read as that. */
static int draw_samples(const struct cli *cli, const struct options *options, uint64_t n, double **ret_samples)
{
	struct trnsci_session *session = NULL;
	struct trnsci_call *call = NULL;
	struct trnsci_array array = {0};
	int code = connect_session(cli, &session);

	if (code != EXIT_OK)
		return code;
	if (trnsci_call_new(session, options->set->operation, &call) < 0)
		code = complain(EXIT_TRY_AGAIN, "plot: no memory for a request");
	if (code == EXIT_OK)
		code = options_set_parameters(options, trnsci_call_args(call));
	if (code == EXIT_OK) {
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", n));
		if (trnsci_run(call, NULL) < 0)
			code = complain_error(trnsci_call_error(call), EXIT_USAGE);
		else if (trnsci_value_to_array(trnsci_call_reply(call), &array) < 0 || array.ndim > 1)
			code = complain(EXIT_USAGE, "plot: %s gives vectors, allowed distributions of numbers", options->set->operation);
	}
	*ret_samples = code == EXIT_OK ? malloc((size_t)array.count * sizeof(double)) : NULL;
	if (code == EXIT_OK && !*ret_samples)
		code = complain(EXIT_TRY_AGAIN, "plot: no memory for %" PRIu64 " samples", array.count);
	if (code == EXIT_OK)
		numbers_widen(array.dtype, array.data, (size_t)array.count, *ret_samples);
	trnsci_call_free(call);
	trnsci_close(session);
	return code;
}

static int histogram_of_distribution(struct cli *cli, const struct options *options)
{
	uint64_t n = DEFAULT_SAMPLES;
	struct picture picture = {0};
	double *samples = NULL;
	char title[120];
	int code = options_u64(options, "count", &n);

	if (code == EXIT_OK && (n < 1 || n > MOST_SAMPLES))
		code = complain(EXIT_USAGE, "--count: %" PRIu64 ", allowed 1 to %" PRIu64, n, MOST_SAMPLES);
	if (code == EXIT_OK)
		code = draw_samples(cli, options, n, &samples);
	if (code == EXIT_OK)
		code = plot_histogram(options, options->set->operation, samples, (size_t)n, &picture);
	snprintf(title, sizeof title, "%s, %" PRIu64 " samples", options->set->operation, n);
	if (code == EXIT_OK)
		code = show(&picture, options, title);
	picture_free(&picture);
	free(samples);
	return code;
}

/* ---- files ---- */

enum kind { HISTOGRAM, SPECTRUM, SPECTROGRAM, WAVEFORM, SCATTER };

static const struct {
	const char *name, *help;
} kinds[] = {
	[HISTOGRAM] = {"histogram", "of a distribution with its exact density, or of a file: plot histogram gamma --shape 2"},
	[SPECTRUM] = {"spectrum", "power by Welch's method: plot spectrum speech.wav"},
	[SPECTROGRAM] = {"spectrogram", "power over time and frequency: plot spectrogram speech.wav -o speech.png"},
	[WAVEFORM] = {"waveform", "a signal over time: plot waveform speech.wav"},
	[SCATTER] = {"scatter", "two columns as points: plot scatter points.csv"},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

static int plot_file(const struct cli *cli, const struct options *options, enum kind kind, const char *file)
{
	struct picture picture = {0};
	struct numbers numbers = {0};
	int code = numbers_read(options, file, &numbers);

	if (code != EXIT_OK)
		return code;
	switch (kind) {
	case HISTOGRAM:
		code = plot_histogram(options, NULL, numbers.values, numbers.rows * numbers.columns, &picture);
		break;
	case SPECTRUM:
		code = plot_spectrum(cli, options, &numbers, &picture);
		break;
	case SPECTROGRAM:
		code = plot_spectrogram(cli, options, &numbers, &picture);
		break;
	case WAVEFORM:
		code = plot_waveform(options, &numbers, &picture);
		break;
	case SCATTER:
		code = plot_scatter(options, &numbers, &picture);
		break;
	}
	if (code == EXIT_OK)
		code = show(&picture, options, numbers.name);
	picture_free(&picture);
	numbers_free(&numbers);
	return code;
}

/* ---- the command ---- */

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

enum { N_ROWS = sizeof rows / sizeof *rows, DISTRIBUTION_ROWS = 4 };

static int print_kinds(void)
{
	printf("usage: trnsci-cli plot KIND INPUT [option ...]\n\nDraw a picture of samples or of a signal. KIND is one of\n");
	for (size_t i = 0; i < N_KINDS; i++)
		printf("  %-16s %s\n", kinds[i].name, kinds[i].help);
	printf("\ntrnsci-cli plot KIND --help lists its options.\n\nexample: trnsci-cli plot histogram gamma --shape 2 -n 1e6\n");
	return EXIT_OK;
}

/* A file of that name goes before a distribution. */
static bool is_distribution(const char *word, struct trnsci_operation_info *ret)
{
	return access(word, F_OK) < 0 && distribution_find(word, ret);
}

static int run_histogram_of(struct cli *cli, const struct trnsci_operation_info *distribution, int argc, char **argv)
{
	const struct option_row own[DISTRIBUTION_ROWS] = {rows[0], rows[1], rows[N_ROWS - 2], rows[N_ROWS - 1]};
	char usage[96], hidden[96];

	snprintf(hidden, sizeof hidden, " n %s out u64 timeout_ms dtype rank size ", distribution_shape(distribution->name));
	snprintf(usage, sizeof usage, "plot histogram %s [option ...]", distribution->name);
	const struct option_set set = {usage, "Histogram of a distribution, and its exact density.", own, DISTRIBUTION_ROWS,
				       distribution->name, hidden, NULL};
	struct options options;
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	return histogram_of_distribution(cli, &options);
}

static int complain_of_kind(const char *word)
{
	struct suggestion suggestion = suggestion_of(word);

	for (size_t i = 0; i < N_KINDS; i++)
		suggestion_try(&suggestion, kinds[i].name);
	if (!*word)
		return complain(EXIT_USAGE, "plot: KIND is missing, allowed histogram, spectrum, spectrogram, waveform, scatter");
	return complain(EXIT_USAGE, "plot: '%s': unknown kind%s, allowed histogram, spectrum, spectrogram, waveform, scatter", word,
			suggestion_text(&suggestion));
}

int command_plot(struct cli *cli, int argc, char **argv)
{
	const int found = options_lead_operands(rows, N_ROWS, "draw", argc, argv, 2);
	struct trnsci_operation_info distribution;
	struct options options;
	char usage[64], example[128];
	size_t kind = 0;

	if (found == 0 && options_ask_for_help(argc, argv))
		return print_kinds();
	while (kind < N_KINDS && (found == 0 || strcmp(kinds[kind].name, argv[1]) != 0))
		kind++;
	if (kind == N_KINDS)
		return complain_of_kind(found ? argv[1] : "");
	if (kind == HISTOGRAM && found == 2 && is_distribution(argv[2], &distribution))
		return run_histogram_of(cli, &distribution, argc - 2, argv + 2);
	snprintf(usage, sizeof usage, "plot %s INPUT [option ...]", kinds[kind].name);
	snprintf(example, sizeof example, "%s", strstr(kinds[kind].help, ": ") + 2);
	const struct option_set set = {usage, "Draw a picture; the input is a file, or - for stdin.", rows, N_ROWS, NULL, NULL, example};
	int code = options_parse(&set, cli, argc - 1, argv + 1, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != 1)
		return complain(EXIT_USAGE, "plot %s: %d inputs, allowed one: a file or -", kinds[kind].name, options.n_operands);
	return plot_file(cli, &options, (enum kind)kind, options.operands[0]);
}
