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

#define EXAMPLE "qmc sobol -n 1024 -d 2 -f text"

struct points {
	struct trnsci_session *session;
	const struct options *options;
	const char *kind;
	uint64_t n, dims, rank, size;
	uint64_t pieces; /* of this part */
};

/* Finds the points of that name in the operation table. */
static bool find_kind(const char *name, struct trnsci_operation_info *ret)
{
	for (size_t i = 0; trnsci_operation_at(i, ret) == 0; i++)
		if (strcmp(ret->category, "points") == 0 && strcmp(ret->name, name) == 0)
			return true;
	return false;
}

static int print_kinds(void)
{
	struct trnsci_operation_info operation;

	printf("usage: trnsci-cli qmc KIND -n POINTS -d DIMS [option ...]\n\nMake quasi-random points. KIND is one "
	       "of\n");
	for (size_t i = 0; trnsci_operation_at(i, &operation) == 0; i++)
		if (strcmp(operation.category, "points") == 0)
			printf("  %-16s %s\n", operation.name, operation.help);
	printf("\ntrnsci-cli qmc KIND --help lists its parameters.\n\nexample: trnsci-cli %s\n", EXAMPLE);
	return EXIT_OK;
}

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
	if (!trnsci_partition(points->n, points->rank, points->size, &begin, &end))
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
	trnsci_partition(points->n, points->rank, points->size, &begin, &end);
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

static int run_kind(struct cli *cli, const struct option_set *set, int argc, char **argv)
{
	struct options options;
	struct points points = {.options = &options, .kind = set->operation, .size = 1};
	struct trnsci_call *call = NULL;
	int code = options_parse(set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands > 0)
		return complain(EXIT_USAGE, "qmc: '%s': unexpected argument", options.operands[0]);
	code = read_part(&points);
	if (code == EXIT_OK)
		code = connect_session(cli, &points.session);
	if (code != EXIT_OK)
		return code;
	if (trnsci_call_new(points.session, points.kind, &call) < 0) {
		code = complain(EXIT_TRY_AGAIN, "%s: no call could be made", points.kind);
	} else {
		code = options_set_parameters(&options, trnsci_call_args(call));
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", points.n));
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("d", points.dims));
	}
	if (code == EXIT_OK)
		code = write_pieces(&points, cli, call);
	trnsci_call_free(call);
	trnsci_close(points.session);
	return code;
}

int command_qmc(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {
		{"count", 'n', "POINTS", "points of the whole set"},
		{"dims", 'd', "DIMS", "dimensions of a point"},
		OUTPUT_ROWS,
		SOUND_ROWS,
	};
	struct trnsci_operation_info kind;
	char usage[128];

	const bool given = options_lead_operands(rows, sizeof rows / sizeof *rows, "points", argc, argv, 1) > 0;

	if (!given && options_ask_for_help(argc, argv))
		return print_kinds();
	if (!given || !find_kind(argv[1], &kind))
		return complain(EXIT_USAGE, "qmc: '%s': no such points, allowed sobol, halton, lattice, lhs",
				given ? argv[1] : "");
	snprintf(usage, sizeof usage, "qmc %s -n POINTS -d DIMS [option ...]", kind.name);
	const struct option_set set = {usage, kind.help, rows, sizeof rows / sizeof *rows, kind.name, " n d out u64 timeout_ms ",
				       EXAMPLE};

	return run_kind(cli, &set, argc - 1, argv + 1);
}
