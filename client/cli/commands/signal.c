/* SPDX-License-Identifier: Apache-2.0 */
/* stft, istft, convolve, correlate, welch, csd, window: arrays in and out. The commands differ only in a row of data; their
 * parameters come from the operation table. */
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "slides.h"
#include "spectrum.h"

struct signal_command {
	struct option_set set;
	size_t n_inputs;
	const char *inputs[PIECES_INPUTS]; /* their names in the table */
	write_text_fn *write_text; /* NULL: as any array */
	size_t (*trailing)(const struct options *options, size_t ndim); /* as in struct computation */
	bool (*slide)(void *computation, uint64_t room, struct slide *ret); /* as in struct computation */
};

/* The commands work along the last axes; along another axis, the array is taken as it is. */
static size_t last_axis(const struct options *options, size_t ndim)
{
	return options_axis(options, ndim) == 1 ? 1 : ndim;
}

static size_t last_two(const struct options *options, size_t ndim)
{
	(void)options;
	(void)ndim;
	return 2;
}

static int run_command(const struct signal_command *command, struct cli *cli, int argc, char **argv)
{
	struct options options;
	struct computation computation = {.options = &options, .n_inputs = command->n_inputs, .write_text = command->write_text,
					  .trailing = command->trailing, .slide = command->slide};
	int code = options_parse(&command->set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != (int)command->n_inputs)
		return complain(EXIT_USAGE, "%s: %d inputs, allowed %s", argv[0], options.n_operands,
				command->n_inputs == 0   ? "none"
				: command->n_inputs == 1 ? "one: a file or -"
							 : "two files");
	if (options_get(&options, "average") && strcmp(options_get(&options, "average"), "sums") == 0)
		computation.write_text = NULL; /* sums are no spectrum */
	for (size_t i = 0; i < command->n_inputs; i++) {
		computation.names[i] = command->inputs[i];
		computation.files[i] = options.operands[i];
	}
	return compute(cli, &computation);
}

/* ---- the commands ---- */

/* fs stands first: welch and csd have a parameter of this name. The dtype stands last: a window has no input. */
static const struct option_row rows[] = {
	SOUND_ROWS,
	OUTPUT_ROWS,
	{"dtype", 0, "DTYPE", "of raw inputs, each one signal: f32, f64, c64, c128"},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

/* Parameters that are no options: inputs and outputs are files, and the others make no sense here. */
#define HIDDEN " in a b y out u64 window_values sums segments timeout_ms "

int command_stft(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"stft INPUT --n-fft N [option ...]", "Transform signals frame by frame, as torch.stft.", rows, N_ROWS,
		 "stft", HIDDEN, "stft signal.npy --n-fft 512 --window hann -o spectra.npy"},
		1,
		{"in"},
		spectrum_write_frames,
		last_axis,
		slide_stft,
	};

	return run_command(&command, cli, argc, argv);
}

int command_istft(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"istft INPUT --n-fft N [option ...]", "Compute signals from short-time spectra, as torch.istft.",
		 rows, N_ROWS, "istft", HIDDEN, "istft spectra.npy --n-fft 512 --window hann -o again.npy"},
		1,
		{"in"},
		NULL,
		last_two,
		slide_istft,
	};

	return run_command(&command, cli, argc, argv);
}

int command_convolve(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"convolve A B [option ...]", "Convolve signals along an axis.", rows, N_ROWS, "convolve", HIDDEN, "convolve signal.npy filter.npy --mode same -o smooth.npy"},
		2,
		{"a", "b"},
		NULL,
		last_axis,
		NULL,
	};

	return run_command(&command, cli, argc, argv);
}

int command_correlate(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"correlate A B [option ...]", "Correlate signals along an axis.", rows, N_ROWS, "correlate", HIDDEN, "correlate signal.npy filter.npy -o lags.npy"},
		2,
		{"a", "b"},
		NULL,
		last_axis,
		NULL,
	};

	return run_command(&command, cli, argc, argv);
}

int command_welch(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"welch INPUT [option ...]", "Estimate the power spectrum of signals by Welch's method.", rows + 1, N_ROWS - 1, "welch",
		 HIDDEN, "welch signal.npy --fs 48000 -f csv"},
		1,
		{"in"},
		spectrum_write_bins,
		last_axis,
		slide_welch,
	};

	return run_command(&command, cli, argc, argv);
}

int command_csd(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"csd X Y [option ...]", "Estimate the cross power spectrum of two signals by Welch's method.", rows + 1, N_ROWS - 1, "csd",
		 HIDDEN, "csd signal.npy other.npy --fs 48000 -f csv"},
		2,
		{"in", "y"},
		spectrum_write_bins,
		last_axis,
		slide_welch,
	};

	return run_command(&command, cli, argc, argv);
}

int command_window(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"window --n N [option ...]", "Compute a window by name.", rows, N_ROWS - 1, "window", HIDDEN, "window --n 512 --window hann -f text"},
		0,
		{NULL},
		NULL,
		NULL,
		NULL,
	};

	return run_command(&command, cli, argc, argv);
}
