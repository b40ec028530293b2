/* SPDX-License-Identifier: Apache-2.0 */
/* trace: estimates the trace of a square matrix from a file. */
#include <inttypes.h>
#include <stdio.h>

#include "cli.h"
#include "files/input.h"
#include "options/options.h"
#include "progress.h"
#include "report.h"

enum { PAGE = 4096 };

/* Reads the matrix into a new tile, which is the caller's, also on failure. */
static int read_matrix(struct input *input, struct trnsci_session *session, struct trnsci_tile **ret_tile)
{
	struct trnsci_error err;

	if (trnsci_tile_new(session, input->array.dtype, input->array.ndim, input->array.shape, ret_tile, &err) < 0)
		return complain_error(&err, EXIT_DATA);
	return input_read(input, trnsci_tile_data(*ret_tile), tile_info(*ret_tile).bytes);
}

/* Returns a number of the reply; 0 and not known if it is missing. */
static double number(const struct trnsci_value *reply, const char *name, bool *ret_known)
{
	double x = 0;

	*ret_known = trnsci_value_to_f64(trnsci_value_get(reply, name), &x) == 0;
	return x;
}

/* Prints "estimate error" with all digits of the estimate, so that it can be read again without loss. */
static void print_estimate(const struct trnsci_value *reply, const struct cli *cli)
{
	bool known;
	uint64_t products = 0;

	if (cli->json) {
		report_print(report_of_value(reply));
		return;
	}
	printf("%.17g", number(reply, "estimate", &known));
	const double error = number(reply, "standard_error", &known);

	if (known)
		printf(" %.3g\n", error);
	else
		printf(" unknown\n");
	trnsci_value_to_u64(trnsci_value_get(reply, "products"), &products);
	if (cli->verbose)
		fprintf(stderr, "trace: %" PRIu64 " products with the matrix\n", products);
}

/* A shape that is wrong is the file's fault (65), anything else that is wrong the options' (2). */
static int ask(const struct options *options, struct trnsci_session *session, const struct trnsci_tile *tile,
	       const struct cli *cli)
{
	struct trnsci_call *call;
	int r = trnsci_call_new(session, "trace", &call), code;

	if (r < 0)
		return complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r));
	trnsci_set(trnsci_call_args(call), trnsci_param_tile("in", tile));
	code = options_set_parameters(options, trnsci_call_args(call));
	if (code == EXIT_OK) {
		r = job_run(cli, call);
		if (r < 0)
			code = complain_error(trnsci_call_error(call), r == -TRNSCI_BAD_SHAPE ? EXIT_DATA : EXIT_USAGE);
		else
			print_estimate(trnsci_call_reply(call), cli);
	}
	trnsci_call_free(call);
	return code;
}

static int estimate(const struct options *options, const struct cli *cli, struct input *input)
{
	struct trnsci_session *session = NULL;
	struct trnsci_tile *tile = NULL;
	uint64_t count = 0, row = 0;
	int code = options_u64(options, "length", &row);

	if (code == EXIT_OK)
		code = input_open(options->operands[0], options_get(options, "dtype"), row, input);
	if (code != EXIT_OK)
		return code;
	input_make_floating(input);
	if (!input_count(input, &count) || count > SIZE_MAX / 32)
		return complain(EXIT_DATA, "%s: too large", input->name);
	code = connect_session(cli, &session);
	if (code == EXIT_OK)
		code = read_matrix(input, session, &tile);
	if (code == EXIT_OK)
		code = ask(options, session, tile, cli);
	trnsci_tile_free(tile);
	trnsci_close(session);
	input_close(input);
	return code;
}

int command_trace(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {
		{"dtype", 0, "DTYPE", "of raw input: f32, f64"},
		{"length", 0, "N", "of raw input: elements of a row"},
	};
	static const struct option_set set = {
		"trace MATRIX [option ...]",
		"Estimate the trace of a square matrix from products with random probes; prints the\n"
		"estimate and its standard error.",
		rows,
		sizeof rows / sizeof *rows,
		"trace",
		" in out u64 timeout_ms ",
		"trace matrix.npy --probes 300 --method hutchpp",
	};
	struct options options;
	struct input input = {0};
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != 1)
		return complain(EXIT_USAGE, "trace: %d inputs, allowed one file, or - for stdin", options.n_operands);
	return estimate(&options, cli, &input);
}
