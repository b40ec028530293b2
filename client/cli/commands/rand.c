/* SPDX-License-Identifier: Apache-2.0 */
/* rand: draws, in pieces by offset, so that a draw of any length needs little memory.
 *
 * Two tiles in turn: one is written out while the other is drawn. What is left at the end comes with the reply. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "figures.h"
#include "options/numbers.h"
#include "options/options.h"
#include "files/input.h"
#include "files/output.h"
#include "printable.h"
#include "progress.h"
#include "rand.h"

enum { PIECE_BYTES = 4 << 20 };

enum { RAND_ARRAYS = 4 }; /* no distribution has more parameters that take arrays */

struct rand_arrays {
	size_t n;
	struct rand_array {
		const char *name;
		struct input input;
		uint64_t count;
		struct trnsci_tile *tile; /* NULL until read_arrays */
	} at[RAND_ARRAYS];
};

struct draw {
	struct trnsci_session *session;
	const struct options *options;
	const char *distribution;
	const char *name; /* of a named stream that it draws from; NULL: none */
	struct rand_arrays arrays;
	struct trnsci_span range; /* what it took of that */
	struct trnsci_call *learned; /* whose reply has the noise, if the named stream is one signal; NULL */
	enum trnsci_dtype dtype;
	size_t components;      /* elements of a sample */
	uint64_t count, offset; /* of the whole draw, in samples */
	uint64_t begin, end;    /* of this rank's part */
	uint64_t piece;         /* samples of a whole piece */
	struct trnsci_call *calls[2];
	struct trnsci_tile *tiles[2];
};

/* ---- parameters that are arrays in files, "--lam @image.npy": an element for each sample ---- */

/* Opens the file of "@FILE". What is open by then is closed by close_arrays. */
static int open_one(struct rand_arrays *arrays, const struct option_given *given)
{
	struct rand_array *array = &arrays->at[arrays->n];
	int code;

	if (arrays->n == RAND_ARRAYS)
		return complain(EXIT_USAGE, "--%s: more than %d files of parameters", given->name, RAND_ARRAYS);
	code = input_open(given->text + 1, NULL, 0, &array->input);
	if (code != EXIT_OK)
		return code;
	array->name = given->name;
	arrays->n++;
	if (!input_count(&array->input, &array->count) || array->count == 0)
		return complain(EXIT_DATA, "%s: no elements, allowed is one or more", array->input.name);
	return EXIT_OK;
}

static void close_arrays(struct rand_arrays *arrays)
{
	for (size_t i = 0; i < arrays->n; i++) {
		input_close(&arrays->at[i].input);
		trnsci_tile_free(arrays->at[i].tile);
	}
	arrays->n = 0;
}

/* Opens the files of all options whose value is "@FILE". */
static int open_arrays(const struct options *options, struct rand_arrays *ret_arrays)
{
	int code = EXIT_OK;

	*ret_arrays = (struct rand_arrays){.n = 0};
	for (size_t i = 0; i < options->n_given && code == EXIT_OK; i++)
		if (options_is_file(options, i))
			code = open_one(ret_arrays, &options->given[i]);
	if (code != EXIT_OK)
		close_arrays(ret_arrays);
	return code;
}

/* Returns the array with the most elements, of several the first; NULL: there are none. */
static const struct rand_array *longest_array(const struct rand_arrays *arrays)
{
	const struct rand_array *longest = arrays->n ? arrays->at : NULL;

	for (size_t i = 1; i < arrays->n; i++)
		if (arrays->at[i].count > longest->count)
			longest = &arrays->at[i];
	return longest;
}

/* Reads the files into tiles of one dimension: a draw takes the elements in row order, whatever the file's shape. */
static int read_arrays(struct trnsci_session *session, struct rand_arrays *arrays)
{
	struct trnsci_error err;
	int code = EXIT_OK;

	for (size_t i = 0; i < arrays->n && code == EXIT_OK; i++) {
		struct rand_array *array = &arrays->at[i];
		const enum trnsci_dtype dtype = array->input.array.dtype;

		if (trnsci_tile_new(session, dtype, 1, &array->count, &array->tile, &err) < 0)
			code = complain_error(&err, EXIT_USAGE);
		else
			code = input_read(&array->input, trnsci_tile_data(array->tile),
					  (size_t)array->count * trnsci_dtype_size(dtype));
	}
	return code;
}

static void set_arrays(const struct rand_arrays *arrays, struct trnsci_args *args)
{
	for (size_t i = 0; i < arrays->n; i++)
		trnsci_set(args, trnsci_param_tile_elements(arrays->at[i].name, arrays->at[i].tile));
}

/* ---- what is asked for ---- */

/* The part of a rank is computed here, so that it can be drawn in pieces. */
static int read_part(struct draw *draw, const char *command)
{
	uint64_t rank = 0, size = 1;
	const struct rand_array *array = longest_array(&draw->arrays);
	int code = EXIT_OK;

	if (!options_get(draw->options, "count") && !array)
		return complain(EXIT_USAGE, "%s: -n COUNT is missing", command);
	draw->count = array ? array->count : 0;
	if ((code = options_u64(draw->options, "count", &draw->count)) != EXIT_OK ||
	    (code = options_u64(draw->options, "offset", &draw->offset)) != EXIT_OK ||
	    (code = options_u64(draw->options, "rank", &rank)) != EXIT_OK ||
	    (code = options_u64(draw->options, "size", &size)) != EXIT_OK)
		return code;
	if (!trnsci_rank_part(draw->count, rank, size, &draw->begin, &draw->end))
		return complain(EXIT_USAGE, "--rank: %" PRIu64 ", allowed 0 up to --size - 1", rank);
	return EXIT_OK;
}

/* ---- drawing ---- */

/* Sets the noise of the signal that the named stream is. Returns false if it is none. */
static bool set_signal(const struct draw *draw, struct trnsci_args *args)
{
	const struct trnsci_value *noise = draw->learned ? trnsci_value_get(trnsci_call_reply(draw->learned), "noise") : NULL;
	struct trnsci_parameter_info parameter;

	for (size_t i = 0; noise && trnsci_operation_parameter("colored", i, &parameter) == 0; i++)
		trnsci_set_value(args, parameter.name, trnsci_value_get(noise, parameter.name));
	return noise;
}

static int set_parameters(const struct draw *draw, struct trnsci_args *args)
{
	if (set_signal(draw, args))
		return EXIT_OK;
	int code = options_set_parameters(draw->options, args);
	const char *fs = options_has_parameter(draw->options, "fs") ? options_get(draw->options, "fs") : NULL;
	uint64_t items = 0;
	const char *layout = options_has_parameter(draw->options, "layout") ? options_get(draw->options, "layout") : NULL;
	double rate;

	set_arrays(&draw->arrays, args);
	/* Another framework's numbers depend on how many its whole call has. */
	if (layout && strcmp(layout, "plain") != 0 && strcmp(layout, "trn24") != 0 && !options_get(draw->options, "call_n"))
		trnsci_set(args, trnsci_param_u64("call_n", draw->offset + draw->count));
	if (code == EXIT_OK && fs) { /* of the noise, and of the file where that is sound */
		if (!parse_f64(fs, &rate))
			return complain(EXIT_USAGE, "--fs: '%s', allowed a number", fs);
		trnsci_set(args, trnsci_param_f64("fs", rate));
	}
	if (code == EXIT_OK && strcmp(draw->distribution, "permutation") == 0) {
		code = options_u64(draw->options, "items", &items);
		trnsci_set(args, trnsci_param_u64("items", items ? items : draw->count));
	}
	return code;
}

/* The part that a rank draws is cut into pieces here: a piece is a whole draw of its own; but a permutation is of the
 * whole draw's samples, whatever is drawn of it. */
static int make_call(const struct draw *draw, struct trnsci_call **ret_call)
{
	const int r = trnsci_call_new(draw->session, draw->distribution, ret_call);

	if (r < 0)
		return complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r));
	struct trnsci_args *args = trnsci_call_args(*ret_call);
	const int code = set_parameters(draw, args);

	if (draw->name && *draw->range.generator)
		trnsci_set_params(
			args, (const struct trnsci_param[]){
				      trnsci_param_text("generator", draw->range.generator),
				      trnsci_param_u64("seed", draw->range.seed), trnsci_param_u64("stream", draw->range.stream),
				      trnsci_param_u64("position", draw->learned ? 0 : draw->range.position), trnsci_param_end()});
	trnsci_set(args, trnsci_param_u64("rank", 0));
	trnsci_set(args, trnsci_param_u64("size", 1));
	return code;
}

/* An empty part of the whole draw: every parameter is checked, and where the draw ends, before anything is written.
 * The reply states the dtype, and the components of a vector. */
static int check(struct draw *draw)
{
	struct trnsci_array array = {0};
	struct trnsci_call *call = NULL;
	int code = make_call(draw, &call);

	if (code != EXIT_OK) {
		trnsci_call_free(call);
		return code;
	}
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", draw->count));
	trnsci_set(trnsci_call_args(call), trnsci_param_u64("size", UINT64_MAX));
	if (trnsci_run(call, NULL) < 0)
		code = complain_error(trnsci_call_error(call), EXIT_USAGE);
	else if (trnsci_value_to_array(trnsci_call_reply(call), &array) < 0)
		code = complain(EXIT_NO_DAEMON, "%s: the reply is no array", draw->distribution);
	draw->dtype = array.dtype;
	draw->components = code == EXIT_OK && array.ndim > 1 ? (size_t)array.shape[1] : 1;
	trnsci_call_free(call);
	return code;
}

/* One for the piece that is written out, one for the piece that is drawn. */
static int make_tiles(struct draw *draw)
{
	const uint64_t elements = draw->piece * draw->components;
	struct trnsci_error err;

	for (size_t i = 0; i < 2; i++) {
		if (trnsci_tile_new(draw->session, draw->dtype, 1, &elements, &draw->tiles[i], &err) < 0)
			return complain_error(&err, EXIT_USAGE);
		trnsci_set(trnsci_call_args(draw->calls[i]), trnsci_param_tile("out", draw->tiles[i]));
	}
	return EXIT_OK;
}

/* offset + at cannot wrap: check() has seen the whole draw pass. */
static int start_piece(struct draw *draw, uint64_t at)
{
	size_t which = (at - draw->begin) / draw->piece % 2;
	struct trnsci_args *args = trnsci_call_args(draw->calls[which]);

	trnsci_set(args, trnsci_param_u64("offset", draw->offset + at));
	if (trnsci_submit(draw->calls[which], NULL, NULL) < 0)
		return complain_error(trnsci_call_error(draw->calls[which]), EXIT_USAGE);
	return EXIT_OK;
}

static int finish_piece(struct draw *draw, uint64_t at, struct output *output, struct progress *progress)
{
	size_t which = (at - draw->begin) / draw->piece % 2;

	if (progress_wait(progress, draw->calls[which]) < 0)
		return complain_error(trnsci_call_error(draw->calls[which]), EXIT_USAGE);
	return output_write_tile(output, draw->session, draw->tiles[which]);
}

/* The samples [at, end), fewer than a piece. */
static int draw_rest(struct draw *draw, uint64_t at, struct output *output, struct progress *progress)
{
	struct trnsci_array array;
	struct trnsci_call *call = NULL;
	int code = make_call(draw, &call);

	if (code == EXIT_OK) {
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("offset", draw->offset + at));
		trnsci_set(trnsci_call_args(call), trnsci_param_u64("n", draw->end - at));
		if (progress_run(progress, call) < 0)
			code = complain_error(trnsci_call_error(call), EXIT_USAGE);
		else if (trnsci_value_to_array(trnsci_call_reply(call), &array) < 0 ||
			 array.count != (draw->end - at) * draw->components || array.dtype != draw->dtype)
			code = complain(EXIT_NO_DAEMON, "%s: the reply is not the array asked for", draw->distribution);
		else
			code = output_write(output, array.data, (size_t)array.count);
	}
	trnsci_call_free(call);
	return code;
}

static int draw_pieces(struct draw *draw, struct output *output, struct progress *progress)
{
	uint64_t whole = draw->begin + (draw->end - draw->begin) / draw->piece * draw->piece, at = draw->begin;
	int code = EXIT_OK;

	if (whole > at)
		code = make_tiles(draw);
	if (code == EXIT_OK && whole > at)
		code = start_piece(draw, at);
	for (; code == EXIT_OK && at < whole; at += draw->piece) {
		if (whole - at > draw->piece)
			code = start_piece(draw, at + draw->piece);
		if (code == EXIT_OK)
			code = finish_piece(draw, at, output, progress);
		progress_at(progress, at + draw->piece - draw->begin);
	}
	if (code == EXIT_OK && draw->end > whole)
		code = draw_rest(draw, whole, output, progress);
	return code;
}

/* Reserves n samples of the named stream. */
static int run_reserve(const struct draw *draw, uint64_t n, struct trnsci_call **ret_call)
{
	struct trnsci_call *call;
	int r = trnsci_call_new(draw->session, "stream_draw", &call), code;

	if (r < 0)
		return complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r));
	trnsci_set(trnsci_call_args(call), trnsci_param_text("name", draw->name));
	trnsci_set(trnsci_call_args(call), trnsci_param_bool("reserve", true));
	struct trnsci_args *args = trnsci_set_map(trnsci_call_args(call), "draw");

	trnsci_set(args, trnsci_param_text("op", draw->distribution));
	code = set_parameters(draw, args);
	trnsci_set(args, trnsci_param_u64("n", n));
	if (code == EXIT_OK && trnsci_run(call, NULL) < 0)
		code = complain_error(trnsci_call_error(call), EXIT_USAGE);
	if (code == EXIT_OK)
		*ret_call = call;
	else
		trnsci_call_free(call);
	return code;
}

/* Learns by a reservation of no samples whether the named stream is one signal, and of which noise: it decides about the dtype,
 * and the draw need not state it. */
static int learn_signal(struct draw *draw)
{
	struct trnsci_call *call = NULL;
	const int code = draw->name && strcmp(draw->distribution, "colored") == 0 ? run_reserve(draw, 0, &call) : EXIT_OK;

	if (call && !trnsci_value_get(trnsci_call_reply(call), "noise"))
		trnsci_call_free(call);
	else
		draw->learned = call;
	return code;
}

/* Takes the range of the whole draw from its named stream, and says so: from here on it is used up. The first sample of a signal's
 * part need not begin a group of words, so it is the offset that says where the part lies. */
static int reserve(struct draw *draw, const struct cli *cli)
{
	struct trnsci_call *call = NULL;
	int code = run_reserve(draw, draw->count, &call);

	if (code == EXIT_OK && trnsci_call_span(call, &draw->range) < 0)
		code = complain(EXIT_NO_DAEMON, "stream draw: the reply does not say where the draw lies");
	trnsci_call_free(call);
	if (code != EXIT_OK)
		return code;
	if (draw->learned)
		draw->offset = draw->range.offset;
	if (cli->verbose) {
		char room[PRINTABLE_ROOM];

		print_range(draw->name, printable_string(draw->range.generator, room), draw->range.seed, draw->range.stream,
			    draw->learned ? "offset" : "position", draw->learned ? draw->offset : draw->range.position,
			    draw->count);
	}
	return EXIT_OK;
}

/* ---- the command ---- */

/* Samples that a file's elements count are of the file's shape. */
static int begin_output(const struct draw *draw, uint64_t n, struct output *output)
{
	const struct rand_array *array = longest_array(&draw->arrays);

	if (array && draw->components == 1 && n == array->count && !options_get(draw->options, "count"))
		return output_begin(output, draw->dtype, array->input.array.ndim, array->input.array.shape);
	return output_begin(output, draw->dtype, draw->components > 1 ? 2 : 1, (uint64_t[]){n, draw->components});
}

/* Nothing is created before the request is known to be right. */
static int draw_out(struct draw *draw, const struct cli *cli)
{
	const uint64_t n = draw->end - draw->begin;
	struct progress progress;
	struct output output;
	int code = check(draw);

	if (code != EXIT_OK)
		return code;
	draw->piece = PIECE_BYTES / trnsci_dtype_size(draw->dtype) / draw->components;
	code = output_open(draw->options, &output);
	if (code != EXIT_OK)
		return code;
	if (draw->name)
		code = reserve(draw, cli);
	for (size_t i = 0; i < 2 && code == EXIT_OK; i++)
		code = make_call(draw, &draw->calls[i]);
	if (code != EXIT_OK)
		return output_close(&output, code);
	code = begin_output(draw, n, &output);
	progress_begin(&progress, cli, n, "samples");
	if (code == EXIT_OK)
		code = draw_pieces(draw, &output, &progress);
	progress_end(&progress);
	return output_close(&output, code);
}

int rand_run(struct cli *cli, const struct options *options)
{
	const char *const name = options->name;
	struct draw draw = {.options = options, .distribution = options->command->operation, .name = name};
	int code = open_arrays(options, &draw.arrays);

	if (code != EXIT_OK)
		return code;
	if (!name && !options_get(options, "seed") && !cli->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "trnsci-cli: --seed 0, which gives the same numbers every time; --seed random gives others\n");
	code = read_part(&draw, options->command->name);
	if (code == EXIT_OK)
		code = name ? connect_daemon(cli) : connect_session(cli);
	draw.session = cli->session;
	if (code == EXIT_OK)
		code = read_arrays(draw.session, &draw.arrays);
	if (code == EXIT_OK)
		code = learn_signal(&draw);
	if (code == EXIT_OK)
		code = draw_out(&draw, cli);
	trnsci_call_free(draw.learned);
	close_arrays(&draw.arrays);
	for (size_t i = 0; i < 2; i++) {
		trnsci_call_free(draw.calls[i]);
		trnsci_tile_free(draw.tiles[i]);
	}
	return code;
}

static const struct option_row rows[] = {RAND_ROWS};

const struct command command_rand = {
	.name = "rand", .summary = "draw random numbers: rand normal -n 1000 --seed 1",
	.usage = "DIST -n COUNT [option ...]", .help = "Draw random numbers.",
	.example = "rand normal -n 1000 --seed 1 -o noise.npy", ROWS(rows), .hidden = "", .takes_arrays = true,
	.word = "DIST", .kind = "distribution", .category = "draw", .run = rand_run,
};
