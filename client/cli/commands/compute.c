/* SPDX-License-Identifier: Apache-2.0 */
/* Whole arrays in, one array out. */
#include "compute.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/input.h"
#include "files/output.h"
#include "progress.h"

enum { PAGE = 4096 };

/* Memory for the result: its size is the engine's to say, so that a first session may have too little. */
static const size_t ROOM_FIRST = (size_t)64 << 20, ROOM_MOST = (size_t)1 << 44, ROOM_FACTOR = 16;

struct run {
	struct cli cli;
	const struct options *options;
	const struct computation *computation;
	struct input inputs[COMPUTE_INPUTS];
	void *data[COMPUTE_INPUTS]; /* of the inputs */
	size_t n_open;
	struct trnsci_session *session;
	struct trnsci_call *call;
	struct trnsci_tile *tiles[COMPUTE_INPUTS];
	struct audio_format audio; /* of the first input that is audio */
};

static int read_inputs(struct run *run)
{
	const struct computation *computation = run->computation;

	while (run->n_open < computation->n_inputs) {
		struct input *input = &run->inputs[run->n_open];
		uint64_t count, bytes;
		int code = input_open(computation->files[run->n_open], options_get(run->options, "dtype"), 0, input);

		if (code != EXIT_OK)
			return code;
		void **data = &run->data[run->n_open++];

		input_make_floating(input);
		if (run->audio.rate == 0)
			run->audio = input->audio;

		if (!input_count(input, &count) ||
		    __builtin_mul_overflow(count, trnsci_dtype_size(input->array.dtype), &bytes) ||
		    bytes > SIZE_MAX / 2)
			return complain(EXIT_DATA, "%s: more elements than memory can have", input->name);
		*data = malloc(bytes ? (size_t)bytes : 1);
		if (!*data)
			return complain(EXIT_TRY_AGAIN, "%s: no memory for %" PRIu64 " bytes", input->name, bytes);
		code = input_read(input, *data, (size_t)bytes);
		if (code != EXIT_OK)
			return code;
	}
	return EXIT_OK;
}

/* A page more for each, and room for the result. */
static size_t arena_bytes(const struct run *run, size_t room)
{
	size_t bytes = room;
	uint64_t count;

	for (size_t i = 0; i < run->n_open; i++)
		if (input_count(&run->inputs[i], &count))
			bytes += (size_t)count * trnsci_dtype_size(run->inputs[i].array.dtype) + PAGE;
	return bytes;
}

static int fill_tiles(struct run *run)
{
	struct trnsci_args *args = trnsci_args(run->call);
	struct trnsci_error err;

	for (size_t i = 0; i < run->n_open; i++) {
		const struct npy *array = &run->inputs[i].array;

		if (trnsci_tile_new(run->session, 0, array->dtype, array->ndim, array->shape, &run->tiles[i], &err) < 0)
			return complain_error(&err, EXIT_DATA);
		memcpy(trnsci_tile_data(run->tiles[i]), run->data[i], tile_info(run->tiles[i]).bytes);
		trnsci_set_tile(args, run->computation->names[i], run->tiles[i]);
	}
	return EXIT_OK;
}

static int begin(struct run *run, size_t room)
{
	const struct trnsci_param out[] = {trnsci_new_tile("out"), trnsci_end()};
	int code = connect_session(&run->cli, arena_bytes(run, room), &run->session), r;

	if (code != EXIT_OK)
		return code;
	r = trnsci_call_new(run->session, run->options->set->operation, &run->call);
	if (r < 0)
		return complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r));
	code = options_set_parameters(run->options, trnsci_args(run->call));
	if (code == EXIT_OK && run->computation->set_parameters)
		code = run->computation->set_parameters(run->options, &run->inputs[0], run->data[0], trnsci_args(run->call));
	if (options_has_parameter(run->options, "fs") && !options_get(run->options, "fs") && run->audio.rate > 0)
		trnsci_set_f64(trnsci_args(run->call), "fs", run->audio.rate);
	trnsci_set_params(trnsci_args(run->call), out);
	return code == EXIT_OK ? fill_tiles(run) : code;
}

static void end(struct run *run)
{
	for (size_t i = 0; i < COMPUTE_INPUTS; i++) {
		trnsci_tile_free(run->tiles[i]);
		run->tiles[i] = NULL;
	}
	trnsci_call_free(run->call);
	trnsci_close(run->session);
	run->call = NULL;
	run->session = NULL;
}

static int write_array(const struct run *run, struct output *output, const struct trnsci_tile *tile)
{
	const struct trnsci_tile_info info = tile_info(tile);
	int code = output_begin(output, info.dtype, info.ndim, info.shape);

	if (code == EXIT_OK && info.count > 0)
		code = output_write_tile(output, run->session, tile);
	return code;
}

static int write_text(const struct run *run, struct output *output, const struct trnsci_tile *tile)
{
	const struct trnsci_tile_info info = tile_info(tile);
	uint64_t restarts = 0;
	int code = tile_begin_read(run->session, tile, &restarts);

	if (code == EXIT_OK)
		code = run->computation->write_text(output, run->options, &run->inputs[0], &info, trnsci_tile_data(tile));
	return code == EXIT_OK ? tile_end_read(run->session, restarts, output->target.name) : code;
}

static int write_result(const struct run *run)
{
	struct trnsci_tile *tile = NULL;
	struct output output = {0};
	int code;

	if (trnsci_reply_tile(run->call, NULL, &tile) < 0)
		return complain(EXIT_TRY_AGAIN, "the daemon went before its result was read");

	code = output_open(run->options, &output);
	if (code == EXIT_OK) {
		output_set_audio(&output, &run->audio);
		if (output_is_text(&output) && run->computation->write_text)
			code = write_text(run, &output, tile);
		else
			code = write_array(run, &output, tile);
		code = output_close(&output, code);
	}
	trnsci_tile_free(tile);
	return code;
}

/* The arena was too small for the result. */
static bool lacks_room(const struct run *run, int r)
{
	return r == -TRNSCI_LIMIT && strncmp(trnsci_call_error(run->call)->text, "limit: tile: ", 13) == 0;
}

static int run_once(struct run *run, size_t room, bool *ret_again)
{
	int code = begin(run, room), r;

	*ret_again = false;
	if (code != EXIT_OK)
		return code;
	r = job_run(&run->cli, run->call);
	*ret_again = lacks_room(run, r) && room < ROOM_MOST;
	if (r < 0)
		return *ret_again ? EXIT_OK
				  : complain_error(trnsci_call_error(run->call),
						   r == -TRNSCI_BAD_SHAPE ? EXIT_DATA : EXIT_USAGE);
	if (run->cli.verbose && run->computation->report)
		run->computation->report(trnsci_reply(run->call));
	return write_result(run);
}

int compute(const struct cli *cli, const struct options *options, const struct computation *computation)
{
	struct run run = {.cli = *cli, .options = options, .computation = computation};
	bool again = true;
	int code = read_inputs(&run);

	for (size_t room = ROOM_FIRST; code == EXIT_OK && again; room *= ROOM_FACTOR) {
		code = run_once(&run, room, &again);
		end(&run);
		run.cli.quiet = true; /* which engine it is has been said */
	}
	for (size_t i = 0; i < run.n_open; i++) {
		input_close(&run.inputs[i]);
		free(run.data[i]);
	}
	return code;
}
