/* SPDX-License-Identifier: Apache-2.0 */
/* stft, istft, convolve, correlate, welch, csd, window: whole arrays in and out. */
#include "signal.h"

#include <stdlib.h>

#include "output.h"
#include "progress.h"

enum { PAGE = 4096 };

struct signal_command {
	struct option_set set;
	size_t n_inputs;
	const char *inputs[SIGNAL_INPUTS]; /* their names in the table */
	int (*shape)(const struct options *options, const struct npy *inputs, struct signal_result *ret);
};

struct run {
	const struct signal_command *command;
	const struct options *options;
	struct trnsci_session *session;
	struct trnsci_call *call;
	struct input inputs[SIGNAL_INPUTS];
	struct trnsci_tile *tiles[SIGNAL_INPUTS], *out;
	size_t n_open;
	struct signal_result result;
};

static int open_inputs(struct run *run)
{
	for (; run->n_open < run->command->n_inputs; run->n_open++) {
		const int code = input_open(run->options->operands[run->n_open], options_get(run->options, "dtype"), 0,
					    &run->inputs[run->n_open]);

		if (code != EXIT_OK)
			return code;
	}
	return EXIT_OK;
}

static int find_shape(struct run *run)
{
	struct npy arrays[SIGNAL_INPUTS];

	for (size_t i = 0; i < run->n_open; i++)
		arrays[i] = run->inputs[i].array;
	return run->command->shape(run->options, arrays, &run->result);
}

/* Of all tiles, a page more each; a result beyond all memory is refused when its tile is made. */
static size_t arena_bytes(const struct run *run)
{
	size_t bytes = (size_t)1 << 20, result = trnsci_dtype_size(run->result.dtype);
	uint64_t count;

	for (size_t i = 0; i < run->n_open; i++)
		if (input_count(&run->inputs[i], &count))
			bytes += (size_t)count * trnsci_dtype_size(run->inputs[i].array.dtype) + PAGE;
	for (size_t i = 0; i < run->result.ndim; i++)
		if (__builtin_mul_overflow(result, (size_t)run->result.shape[i], &result))
			return bytes;
	return bytes + result + PAGE;
}

static int fill_tiles(struct run *run)
{
	struct trnsci_args *args = trnsci_args(run->call);
	struct trnsci_error err;

	for (size_t i = 0; i < run->n_open; i++) {
		struct input *input = &run->inputs[i];
		int code;

		if (trnsci_tile_new(run->session, 0, input->array.dtype, input->array.ndim, input->array.shape,
				    &run->tiles[i], &err) < 0)
			return complain_error(&err, EXIT_DATA);
		code = input_read(input, trnsci_tile_data(run->tiles[i]), trnsci_tile_bytes(run->tiles[i]));
		if (code != EXIT_OK)
			return code;
		trnsci_set_tile(args, run->command->inputs[i], run->tiles[i]);
	}
	return EXIT_OK;
}

/* Without elements there is no tile: the request, which is wrong then, says why. */
static int make_result(struct run *run)
{
	struct trnsci_error err;

	for (size_t i = 0; i < run->result.ndim; i++)
		if (run->result.shape[i] == 0)
			return EXIT_OK;
	if (trnsci_tile_new(run->session, 0, run->result.dtype, run->result.ndim, run->result.shape, &run->out, &err) <
	    0)
		return complain_error(&err, EXIT_DATA);
	trnsci_set_tile(trnsci_args(run->call), "out", run->out);
	return EXIT_OK;
}

static int write_result(const struct run *run)
{
	struct output output = {0};
	int code = output_open(options_get(run->options, "output"), options_get(run->options, "format"), &output);

	if (code != EXIT_OK)
		return code;
	code = output_begin(&output, run->result.dtype, run->result.ndim, run->result.shape);
	if (code == EXIT_OK && run->out)
		code = output_write_tile(&output, run->session, run->out);
	return output_close(&output, code);
}

static int compute(struct run *run, const struct cli *cli)
{
	int r = trnsci_call_new(run->session, run->command->set.operation, &run->call);
	int code = r < 0 ? complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r))
			 : options_set_parameters(run->options, trnsci_args(run->call));

	if (code == EXIT_OK)
		code = fill_tiles(run);
	if (code == EXIT_OK)
		code = make_result(run);
	if (code != EXIT_OK)
		return code;
	r = job_run(cli, run->call);
	if (r < 0)
		return complain_error(trnsci_call_error(run->call), r == -TRNSCI_BAD_SHAPE ? EXIT_DATA : EXIT_USAGE);
	return write_result(run);
}

static int run_connected(struct run *run, const struct cli *cli)
{
	int code = connect_session(cli, arena_bytes(run), &run->session);

	if (code != EXIT_OK)
		return code;
	code = compute(run, cli);
	for (size_t i = 0; i < SIGNAL_INPUTS; i++)
		trnsci_tile_free(run->tiles[i]);
	trnsci_tile_free(run->out);
	trnsci_call_free(run->call);
	trnsci_close(run->session);
	return code;
}

static int run_command(const struct signal_command *command, struct cli *cli, int argc, char **argv)
{
	struct options options;
	struct run run = {.command = command, .options = &options};
	int code = options_parse(&command->set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != (int)command->n_inputs)
		return complain(EXIT_USAGE, "%s: %d inputs, allowed %s", argv[0], options.n_operands,
				command->n_inputs == 0   ? "none"
				: command->n_inputs == 1 ? "one: a file or -"
							 : "two files");
	code = open_inputs(&run);
	if (code == EXIT_OK)
		code = find_shape(&run);
	if (code == EXIT_OK)
		code = run_connected(&run, cli);
	for (size_t i = 0; i < run.n_open; i++)
		input_close(&run.inputs[i]);
	return code;
}

/* ---- the commands ---- */

static const struct option_row rows[] = {
	{"output", 'o', "FILE", "where to [stdout]"},
	{"format", 'f', "raw|npy|text|csv", "[npy for a FILE.npy, text on a terminal, raw otherwise]"},
	{"dtype", 0, "DTYPE", "of raw inputs, each one signal: f32, f64, c64, c128"},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

#define HIDDEN " in a b y out u64 window_values timeout_ms "

int command_stft(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"stft INPUT --n-fft N [option ...]", "Transform signals frame by frame, as torch.stft.", rows, N_ROWS,
		 "stft", HIDDEN},
		1,
		{"in"},
		signal_shape_stft,
	};

	return run_command(&command, cli, argc, argv);
}

int command_istft(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"istft INPUT --n-fft N [option ...]", "Put signals together from short-time spectra, as torch.istft.",
		 rows, N_ROWS, "istft", HIDDEN},
		1,
		{"in"},
		signal_shape_istft,
	};

	return run_command(&command, cli, argc, argv);
}

int command_convolve(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"convolve A B [option ...]", "Convolve signals along an axis.", rows, N_ROWS, "convolve", HIDDEN},
		2,
		{"a", "b"},
		signal_shape_convolve,
	};

	return run_command(&command, cli, argc, argv);
}

int command_correlate(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"correlate A B [option ...]", "Correlate signals along an axis.", rows, N_ROWS, "correlate", HIDDEN},
		2,
		{"a", "b"},
		signal_shape_convolve,
	};

	return run_command(&command, cli, argc, argv);
}

int command_welch(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"welch INPUT [option ...]", "Power spectrum of signals by Welch's method.", rows, N_ROWS, "welch",
		 HIDDEN},
		1,
		{"in"},
		signal_shape_welch,
	};

	return run_command(&command, cli, argc, argv);
}

int command_csd(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"csd X Y [option ...]", "Cross power spectrum of signals by Welch's method.", rows, N_ROWS, "csd",
		 HIDDEN},
		2,
		{"in", "y"},
		signal_shape_csd,
	};

	return run_command(&command, cli, argc, argv);
}

int command_window(struct cli *cli, int argc, char **argv)
{
	static const struct signal_command command = {
		{"window --n N [option ...]", "A window by name.", rows, N_ROWS - 1, "window", HIDDEN},
		0,
		{NULL},
		signal_shape_window,
	};

	return run_command(&command, cli, argc, argv);
}
