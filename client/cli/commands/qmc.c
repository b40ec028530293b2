/* SPDX-License-Identifier: Apache-2.0 */
/* qmc: quasi-random points, in pieces, so that any number of them needs little memory.
 *
 * Part r of P is cut into k parts by asking for parts r k .. r k + k - 1 of P k, which join without a gap. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "options/options.h"
#include "files/output.h"
#include "progress.h"

enum { PIECE_BYTES = 4 << 20 }; /* of one reply, below the default limit of inline results, 16 MiB */

struct points {
	const struct options *options;
	const char *kind;
	uint64_t n, dims, rank, size;
	uint64_t pieces; /* of this part */
};

/* Reads which part of the set to make, and cuts it into pieces. The bounds keep rank and size of a piece below 2^64. */
static int read_part(struct points *points)
{
	const struct options *options = points->options;
	uint64_t begin, end;
	int code = EXIT_OK;

	if (!options_get(options, "count") || !options_get(options, "dims"))
		return complain(EXIT_USAGE, "qmc: -n POINTS or -d DIMS is missing");
	if ((code = options_u64(options, "count", &points->n)) != EXIT_OK ||
	    (code = options_u64(options, "dims", &points->dims)) != EXIT_OK ||
	    (code = options_u64(options, "rank", &points->rank)) != EXIT_OK ||
	    (code = options_u64(options, "size", &points->size)) != EXIT_OK)
		return code;
	if (!trnsci_rank_part(points->n, points->rank, points->size, &begin, &end))
		return complain(EXIT_USAGE, "--rank: %" PRIu64 ", allowed 0 up to --size - 1", points->rank);
	if (points->size > UINT32_MAX)
		return complain(EXIT_USAGE, "--size: %" PRIu64 ", allowed 1 to 2^32 - 1", points->size);
	/* Float64 is the larger dtype; a point too many in a piece does no harm. */
	if (points->dims > 0)
		points->pieces = (end - begin) / (PIECE_BYTES / sizeof(double) / points->dims + 1) + 1;
	else
		points->pieces = 1;
	return points->pieces > UINT32_MAX ? complain(EXIT_USAGE, "-n: %" PRIu64 ", allowed fewer", points->n)
					   : EXIT_OK;
}

/* Makes a piece. The array lies in the call's reply, until its next run. */
static int run_piece(const struct points *points, struct trnsci_call *call, uint64_t piece, struct progress *progress,
		     struct trnsci_array *ret)
{
	struct trnsci_args *args = trnsci_call_args(call);

	trnsci_set(args, trnsci_param_u64("rank", points->rank * points->pieces + piece));
	trnsci_set(args, trnsci_param_u64("size", points->size * points->pieces));
	if (progress_run(progress, call) < 0)
		return complain_error(trnsci_call_error(call), EXIT_USAGE);
	if (trnsci_value_to_array(trnsci_call_reply(call), ret) < 0 || ret->ndim != 2 || ret->shape[1] != points->dims)
		return complain(EXIT_NO_DAEMON, "%s: the reply is not the array asked for", points->kind);
	return EXIT_OK;
}

/* The first piece is made before the output is opened: it checks all parameters and returns the dtype. */
static int write_pieces(const struct points *points, const struct cli *cli, struct trnsci_call *call)
{
	struct trnsci_array array;
	struct progress progress;
	struct output output;
	uint64_t begin, end, shape[2] = {0, points->dims};
	int code;

	progress_begin(&progress, cli, points->pieces, "pieces");
	code = run_piece(points, call, 0, &progress, &array);
	if (code != EXIT_OK) {
		progress_end(&progress);
		return code;
	}
	trnsci_rank_part(points->n, points->rank, points->size, &begin, &end);
	shape[0] = end - begin;
	code = output_open(points->options, &output);
	if (code != EXIT_OK)
		return code;
	code = output_begin(&output, array.dtype, 2, shape);
	for (uint64_t piece = 0; piece < points->pieces && code == EXIT_OK; piece++) {
		if (piece > 0)
			code = run_piece(points, call, piece, &progress, &array);
		if (code == EXIT_OK)
			code = output_write(&output, array.data, (size_t)array.count);
		progress_at(&progress, piece + 1);
	}
	progress_end(&progress);
	return output_close(&output, code);
}

static int run(struct cli *cli, const struct options *options)
{
	struct points points = {.options = options, .kind = options->command->operation, .size = 1};
	struct trnsci_call *call = NULL;
	int code = read_part(&points);

	if (code == EXIT_OK)
		code = connect_session(cli);
	if (code != EXIT_OK)
		return code;
	if (trnsci_call_new(cli->session, points.kind, &call) < 0) {
		code = complain(EXIT_TRY_AGAIN, "%s: no call could be made", points.kind);
	} else {
		code = options_set_parameters(options, trnsci_call_args(call));
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", points.n));
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("d", points.dims));
	}
	if (code == EXIT_OK)
		code = write_pieces(&points, cli, call);
	trnsci_call_free(call);
	return code;
}

static const struct option_row rows[] = {
	{"count", 'n', "POINTS", "points of the whole set"},
	{"dims", 'd', "DIMS", "dimensions of a point"},
	OUTPUT_ROWS,
	SOUND_ROWS,
};

const struct command command_qmc = {
	.name = "qmc", .summary = "quasi-random points: qmc sobol -n 1024 -d 3",
	.usage = "KIND -n POINTS -d DIMS [option ...]", .help = "Make quasi-random points.",
	.example = "qmc sobol -n 1024 -d 2 -f text", ROWS(rows), .hidden = "d", .word = "KIND", .kind = "kind of points",
	.category = "points", .run = run,
};
