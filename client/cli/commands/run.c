/* SPDX-License-Identifier: Apache-2.0 */
/* run: a program of several steps, PROGRAM.json: the wire's map written in JSON, with arrays in files.
 *
 *   {"seed": 7, "steps": [
 *     {"op": "normal", "n": 4096, "as": "noise"},
 *     {"op": "add", "a": {"file": "speech.npy"}, "b": "noise", "as": "noisy"},
 *     {"op": "fft", "in": "noisy", "real": true, "as": "spectrum"}],
 *    "results": ["noisy", "spectrum"]}
 *
 * An input may be {"file": NAME.npy}, or {"dtype", "shape", "data": [numbers]}; "out" may be {"file": NAME.npy,
 * "dtype", "shape"}, which is written when the program is done. Results go to NAME.npy, a single one to -o FILE. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "figures.h"
#include "files/convert.h"
#include "files/input.h"
#include "files/json.h"
#include "files/output.h"
#include "options/options.h"
#include "progress.h"

enum { TILES_MAX = 256 };

struct program {
	struct json_reader reader; /* first: take() finds the program by it */
	struct trnsci_session *session;
	struct trnsci_call *call;
	struct trnsci_tile *tiles[TILES_MAX];
	const char *files[TILES_MAX]; /* where an output tile goes; NULL: an input */
	size_t n_tiles;
	struct audio_format audio; /* of the first input that is audio */
};

/* The program keeps every tile until it has run. */
static int new_tile(struct program *program, const struct npy *array, struct trnsci_tile **ret_tile)
{
	struct trnsci_error err;

	if (program->n_tiles == TILES_MAX)
		return complain(EXIT_DATA, "%s: more than %d files", program->reader.file, TILES_MAX);
	if (trnsci_tile_new(program->session, array->dtype, array->ndim, array->shape, ret_tile, &err) < 0)
		return complain_error(&err, EXIT_DATA);
	program->tiles[program->n_tiles++] = *ret_tile;
	return EXIT_OK;
}

static int read_tile(struct program *program, const char *name, struct trnsci_tile **ret_tile)
{
	struct input input;
	int code = input_open(name, NULL, 0, &input);

	if (code != EXIT_OK)
		return code;
	if (program->audio.rate == 0)
		program->audio = input.audio;
	code = new_tile(program, &input.array, ret_tile);
	if (code == EXIT_OK)
		code = input_read(&input, trnsci_tile_data(*ret_tile), tile_info(*ret_tile).bytes);
	input_close(&input);
	return code;
}

/* dtype and shape of a map; an exit code. */
static int read_shape(const struct program *program, struct json_object *map, struct npy *ret)
{
	struct json_object *dtype = json_object_object_get(map, "dtype");
	struct json_object *shape = json_object_object_get(map, "shape");

	ret->dtype = dtype ? trnsci_dtype_parse(json_object_get_string(dtype)) : TRNSCI_DTYPE_NONE;
	ret->ndim = json_object_is_type(shape, json_type_array) ? json_object_array_length(shape) : 0;
	if (!ret->dtype || ret->ndim < 1 || ret->ndim > TRNSCI_MAX_DIMS)
		return complain(EXIT_DATA, "%s: an array needs dtype and shape, such as \"f32\" and [4096]",
				program->reader.file);
	for (size_t i = 0; i < ret->ndim; i++)
		ret->shape[i] = json_object_get_uint64(json_object_array_get_idx(shape, i));
	return EXIT_OK;
}

/* {dtype, shape, data: [numbers]}; complex numbers as pairs re, im. */
static int take_numbers(struct program *program, struct trnsci_args *args, const char *name, struct json_object *map,
			struct json_object *data)
{
	struct npy array;
	struct trnsci_tile *tile;
	int code = read_shape(program, map, &array);

	if (code == EXIT_OK && (array.dtype < TRNSCI_U32 || array.dtype > TRNSCI_C128))
		code = complain(EXIT_DATA, "%s: numbers of %s, allowed u32, u64, f32, f64, c64, c128",
				program->reader.file, trnsci_dtype_name(array.dtype));
	if (code == EXIT_OK)
		code = new_tile(program, &array, &tile);
	if (code != EXIT_OK)
		return code;
	size_t parts = array.dtype == TRNSCI_C64 || array.dtype == TRNSCI_C128 ? 2 : 1;
	size_t count = json_object_array_length(data);

	if (count / parts != tile_info(tile).count || count % parts)
		return complain(EXIT_DATA, "%s: %zu numbers for an array of %llu elements", program->reader.file, count,
				(unsigned long long)tile_info(tile).count);
	for (size_t i = 0; i < count; i++) {
		struct json_object *value = json_object_array_get_idx(data, i);

		convert_number(json_object_get_double(value), json_object_get_uint64(value), array.dtype, trnsci_tile_data(tile), i);
	}
	trnsci_set(args, trnsci_param_tile(name, tile));
	return EXIT_OK;
}

/* Takes a file's name: under `out` the file is written, anywhere else it is read. */
static int take_file(struct program *program, struct trnsci_args *args, const char *name, struct json_object *map,
		     const char *file)
{
	struct npy array;
	struct trnsci_tile *tile;
	bool writes = name && strcmp(name, "out") == 0;
	int code = writes ? read_shape(program, map, &array) : read_tile(program, file, &tile);

	if (code == EXIT_OK && writes) {
		code = new_tile(program, &array, &tile);
		if (code == EXIT_OK)
			program->files[program->n_tiles - 1] = file;
	}
	if (code == EXIT_OK)
		trnsci_set(args, trnsci_param_tile(name, tile));
	return code;
}

/* A map with `file`, or with a list of numbers as `data`, stands for a tile; any other is the wire's own. */
static int take(struct json_reader *reader, struct trnsci_args *args, const char *name, struct json_object *map,
		bool *ret_taken)
{
	struct program *program = (struct program *)(void *)reader;
	struct json_object *file = json_object_object_get(map, "file");
	struct json_object *data = json_object_object_get(map, "data");

	*ret_taken = true;
	if (json_object_is_type(file, json_type_string))
		return take_file(program, args, name, map, json_object_get_string(file));
	if (json_object_is_type(data, json_type_array))
		return take_numbers(program, args, name, map, data);
	*ret_taken = false;
	return EXIT_OK;
}

/* ---- what comes out ---- */

/* Writes an array to NAME.npy, or (name NULL) where the options say. tile: whose elements they are, or NULL. */
static int write_array(const char *name, const struct options *options, const struct trnsci_array *array,
		       const struct program *program, const struct trnsci_tile *tile)
{
	struct output output;
	int code = name ? output_open_named(name, "npy", &output) : output_open(options, &output);

	if (code != EXIT_OK)
		return code;
	output_set_audio(&output, &program->audio);
	code = output_begin(&output, array->dtype, array->ndim, array->shape);
	if (code == EXIT_OK)
		code = tile ? output_write_tile(&output, program->session, tile)
			    : output_write(&output, array->data, (size_t)array->count);
	return output_close(&output, code);
}

/* Outputs are written only when all steps have succeeded. */
static int write_tiles(const struct program *program)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < program->n_tiles && code == EXIT_OK; i++) {
		const struct trnsci_tile *tile = program->tiles[i];
		const struct trnsci_tile_info info = tile_info(tile);
		const struct trnsci_array array = trnsci_array_of(info.dtype, info.ndim, info.shape, NULL);

		if (!program->files[i])
			continue;
		code = write_array(program->files[i], NULL, &array, program, tile);
	}
	return code;
}

/* The only result goes where -o says; several go to files of their names. */
static int write_results(const struct program *program, const struct options *options)
{
	const struct trnsci_value *results = trnsci_value_get(trnsci_call_reply(program->call), "results");
	size_t count = trnsci_value_count(results), size;
	const char *output = options_get(options, "output");
	int code = EXIT_OK;

	if (count != 1 && output)
		return complain(EXIT_USAGE, "--output: %zu results, allowed with one; they go to NAME.npy", count);
	for (size_t i = 0; i < count && code == EXIT_OK; i++) {
		char name[256 + 5];
		struct trnsci_array array;
		const char *as = trnsci_value_name_at(results, i, &size);

		if (trnsci_value_to_array(trnsci_value_at(results, i), &array) < 0)
			return complain(EXIT_NO_DAEMON, "run: results: the reply is no array");
		if (size > 256 || memchr(as, '/', size) || memchr(as, '\0', size) || as[0] == '.')
			return complain(EXIT_DATA, "run: results: a name that is no file name");
		memcpy(name, as, size);
		strcpy(name + size, ".npy");
		code = write_array(count == 1 ? NULL : name, options, &array, program, NULL);
	}
	return code;
}

/* ---- the command ---- */

static int fill(struct program *program, struct json_object *root)
{
	int code = EXIT_OK;

	if (!json_object_is_type(root, json_type_object))
		return complain(EXIT_DATA, "%s: not a map, allowed {\"steps\": [...], ...}", program->reader.file);
	json_object_object_foreach(root, key, value)
	{
		code = json_set(&program->reader, trnsci_call_args(program->call), key, value);
		if (code != EXIT_OK)
			return code;
	}
	return EXIT_OK;
}

/* What it took of named streams, in words: with these and offset = position it gives the same again. */
static void print_ranges(const struct program *program)
{
	const struct trnsci_value *ranges = trnsci_value_get(trnsci_call_reply(program->call), "ranges");

	for (size_t i = 0; i < trnsci_value_count(ranges); i++) {
		const struct trnsci_value *range = trnsci_value_at(ranges, i);
		char name_room[PRINTABLE_ROOM], generator_room[PRINTABLE_ROOM];
		const char *name = figure_text(range, "name", name_room), *generator = figure_text(range, "generator", generator_room);

		if (name && generator)
			print_range(name, generator, figure_u64(range, "seed"), figure_u64(range, "stream"), "position",
				    figure_u64(range, "position"), figure_u64(range, "words"));
	}
}

/* A program that is wrong is bad data: it came from a file. */
static int run_program(struct program *program, struct json_object *root, const struct options *options,
		       const struct cli *cli)
{
	int r = trnsci_call_new(program->session, "run", &program->call);
	int code = r < 0 ? complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r)) : fill(program, root);

	if (code == EXIT_OK && job_run(cli, program->call) < 0)
		code = complain_error(trnsci_call_error(program->call), EXIT_DATA);
	if (code == EXIT_OK && cli->verbose)
		print_ranges(program);
	if (code == EXIT_OK)
		code = write_tiles(program);
	return code == EXIT_OK ? write_results(program, options) : code;
}

static int run(struct cli *cli, const struct options *options)
{
	struct json_object *root;
	struct program program = {.reader = {.take = take, .file = options->operands[0]}};
	int code = json_load(options->operands[0], &root);

	if (code != EXIT_OK)
		return code;
	code = connect_session(cli);
	program.session = cli->session;
	if (code == EXIT_OK)
		code = run_program(&program, root, options, cli);
	for (size_t i = 0; i < program.n_tiles; i++)
		trnsci_tile_free(program.tiles[i]);
	trnsci_call_free(program.call);
	json_object_put(root);
	return code;
}

static const struct option_row rows[] = {
	{"output", 'o', "FILE", "where a single result goes [stdout]; several go to NAME.npy"},
	{"format", 'f', FORMATS, "of a single result [by the ending of FILE; else text on a terminal, else raw]"},
	SOUND_ROWS,
};

const struct command command_run = {
	.name = "run", .summary = "run a program of several steps: run PROGRAM.json",
	.usage = "PROGRAM.json [option ...]",
	.help = "Run a program of several steps, - for stdin; inputs may be {\"file\": \"x.npy\"}.",
	.example = "run program.json -o result.npy", ROWS(rows), .n_operands = 1, .operands = "programs",
	.allowed = "one: a file or -", .run = run,
};
