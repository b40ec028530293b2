/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of arrays through an operation. */
#include "pieces.h"

#include <string.h>

#include "progress.h"

/* A request of CHECKED_BYTES is checked by the engine before its input is read, which takes longer than CHECK_MS. */
enum { PIECE_BYTES = 4 << 20, CHECKED_BYTES = 64 << 20, CHECK_MS = 30 };

struct run {
	struct pieces *pieces;
	struct cli *cli;
	struct trnsci_call *call;
	struct progress progress;
	uint64_t batch, item_count; /* items; elements of one */
	size_t leading;             /* 1 where a piece has an axis that counts items */
	bool repeated[PIECES_INPUTS]; /* the input is the same for each piece */
	struct trnsci_tile *in[PIECES_INPUTS], *out; /* of the piece at hand */
	bool opened;
	struct output output;

	/* Items that slide. */
	bool slides;
	struct slide slide;
	struct cut cut; /* of the piece at hand */
	/* Addresses of the inputs' tiles. They are asked for once: after that a tile that is lost stays so (trnsci.h). */
	char *data[PIECES_INPUTS];
	struct trnsci_tile *before; /* result of the stretch before, where the last one gives all of it */
};

/* ---- how the inputs are cut ---- */

static uint64_t count_elements(const uint64_t *shape, size_t ndim)
{
	uint64_t count = 1;

	for (size_t i = 0; i < ndim; i++)
		count *= shape[i];
	return count;
}

/* Returns whether another input is used whole for every item: it has no more axes than an item, or one element of an operation
 * on elements. */
static bool is_repeated(const struct pieces *pieces, size_t i)
{
	const struct npy *other = &pieces->inputs[i].array;

	return other->ndim <= pieces->trailing || (pieces->trailing == 0 && count_elements(other->shape, other->ndim) == 1);
}

/* Returns whether another input can be cut as the first one is, or is used whole. */
static bool follows(const struct pieces *pieces, size_t i)
{
	const struct npy *first = &pieces->inputs[0].array, *other = &pieces->inputs[i].array;

	return is_repeated(pieces, i) ||
	       (other->ndim == first->ndim &&
		memcmp(first->shape, other->shape, (first->ndim - pieces->trailing) * sizeof *first->shape) == 0);
}

bool pieces_write_text(const struct pieces *pieces)
{
	return pieces->rules->write_text && !options_is(pieces->options, "average", "sums"); /* sums are no spectrum */
}

/* Text needs all items at once where it is more than the array: a line for each bin has a column for each signal. What becomes
 * of an array without elements is the engine's to say, and so is how inputs go together whose leading axes do not agree. */
static int choose_item(struct pieces *pieces)
{
	const struct npy *array = &pieces->inputs[0].array;
	const size_t ndim = pieces->n_inputs ? array->ndim : 0;
	bool text = false;
	const int code = pieces->rules->print ? EXIT_OK : output_wants_text(pieces->options, &text);

	if ((text && pieces_write_text(pieces)) || pieces->trailing > ndim || count_elements(array->shape, ndim) == 0)
		pieces->trailing = ndim;
	for (size_t i = 1; i < pieces->n_inputs; i++)
		if (!follows(pieces, i))
			pieces->trailing = ndim;
	return code;
}

static void cut_inputs(struct run *run)
{
	const struct pieces *pieces = run->pieces;
	const struct npy *array = &pieces->inputs[0].array;
	const size_t ndim = pieces->n_inputs ? array->ndim : 0, trailing = pieces->trailing;

	run->leading = trailing < ndim;
	run->batch = count_elements(array->shape, ndim - trailing);
	run->item_count = count_elements(array->shape + ndim - trailing, trailing);
	for (size_t i = 1; i < pieces->n_inputs; i++)
		run->repeated[i] = run->leading && is_repeated(pieces, i);
}

/* Counted as if every element took 16 bytes; an item larger than a piece is a piece. */
static uint64_t piece_size(const struct run *run)
{
	const uint64_t known = run->pieces->most_count, count = known > run->item_count ? known : run->item_count;
	uint64_t size = count ? PIECE_BYTES / 16 / count : 1;

	size = size ? size : 1;
	return size < run->batch ? size : run->batch;
}

static const struct audio_format *first_audio(const struct pieces *pieces)
{
	size_t i = 0;

	while (i + 1 < pieces->n_inputs && pieces->inputs[i].audio.rate == 0)
		i++;
	return &pieces->inputs[i].audio;
}

/* ---- a piece ---- */

/* An axis of an item: how many elements there are before it, on it and behind it. */
struct split {
	uint64_t before, length, behind;
};

/* axis counts from the end of the shape. */
static struct split split_at(const uint64_t *shape, size_t ndim, size_t axis)
{
	const size_t at = ndim - axis;

	return (struct split){count_elements(shape, at), shape[at], count_elements(shape + at + 1, axis - 1)};
}

/* Returns the axis of an input's item that slides. */
static struct split split_input(const struct run *run, size_t i)
{
	const struct npy *array = &run->pieces->inputs[i].array;
	const size_t trailing = run->pieces->trailing;

	return split_at(array->shape + array->ndim - trailing, trailing, run->slide.axis);
}

static void free_piece(struct run *run, bool all)
{
	for (size_t i = 0; i < PIECES_INPUTS; i++)
		if (all || !run->repeated[i]) {
			trnsci_tile_free(run->in[i]);
			run->in[i] = NULL;
		}
	if (all)
		trnsci_tile_free(run->before);
	trnsci_tile_free(run->out);
	run->out = NULL;
}

/* Where the next result goes; NULL: to a new tile. */
static void set_out(struct run *run)
{
	if (run->pieces->rules->print)
		return;
	trnsci_set(trnsci_call_args(run->call), run->out ? trnsci_param_tile("out", run->out) : trnsci_param_new_tile("out"));
}

/* A piece of n items has one leading axis in the place of those that only count. */
static int make_piece(struct run *run, uint64_t n)
{
	const struct pieces *pieces = run->pieces;
	struct trnsci_args *args = trnsci_call_args(run->call);
	struct trnsci_error err;

	free_piece(run, false);
	for (size_t i = 0; i < pieces->n_inputs; i++) {
		const struct npy *array = &pieces->inputs[i].array;
		const size_t leading = run->repeated[i] ? 0 : run->leading, kept = leading ? pieces->trailing : array->ndim;
		uint64_t dims[TRNSCI_MAX_DIMS + 1] = {n};

		if (run->in[i])
			continue;
		memcpy(dims + leading, array->shape + array->ndim - kept, kept * sizeof *dims);
		if (run->slides)
			dims[leading + kept - run->slide.axis] = run->cut.end - run->cut.begin;
		if (trnsci_tile_new(run->cli->session, array->dtype, kept + leading, dims, &run->in[i], &err) < 0)
			return complain_error(&err, EXIT_DATA);
		trnsci_set(args, trnsci_param_tile(pieces->names[i], run->in[i]));
	}
	set_out(run);
	return EXIT_OK;
}

/* A file without elements is bad data, whichever parameter the engine names. */
static int complain_call(const struct run *run, int r)
{
	const bool is_data = r == -TRNSCI_BAD_SHAPE || run->batch == 0 || run->item_count == 0;

	return complain_error(trnsci_call_error(run->call), is_data ? EXIT_DATA : EXIT_USAGE);
}

static size_t tile_bytes(const struct run *run)
{
	size_t bytes = 0;

	for (size_t i = 0; i < run->pieces->n_inputs; i++)
		bytes += tile_info(run->in[i]).bytes;
	return bytes;
}

/* The engine checks a request, and its memory, when it arrives; a daemon is asked for another arena first. A request that is
 * cancelled then costs little. One that is refused later is refused after its input was read. */
static int check_request(struct run *run)
{
	struct trnsci_tile *made = NULL;
	int r = trnsci_submit(run->call, NULL, NULL);

	if (r == 0)
		r = trnsci_wait(run->call, CHECK_MS);
	if (r == -TRNSCI_TIMEOUT && !trnsci_call_done(run->call)) {
		trnsci_cancel(run->call);
		r = trnsci_wait(run->call, -1);
	}
	if (r == 0 && trnsci_call_tile(run->call, NULL, &made) == 0)
		trnsci_tile_free(made);
	return r == 0 || r == -TRNSCI_CANCELLED ? EXIT_OK : complain_call(run, r);
}

/* Reads elements [from, cut.end) of the axis, which stand behind those that the stretch before had too. */
static int read_stretch(struct run *run, size_t i, uint64_t item, uint64_t from)
{
	struct input *input = &run->pieces->inputs[i];
	const struct split split = split_input(run, i);
	const size_t element = trnsci_dtype_size(input->array.dtype) * split.behind;
	const size_t size = (size_t)(run->cut.end - from) * element;
	char *to = run->data[i] + (from - run->cut.begin) * element;
	int code = EXIT_OK;

	for (uint64_t row = 0; row < split.before && code == EXIT_OK && size > 0; row++) {
		if (split.before > 1)
			code = input_seek(input, ((item * split.before + row) * split.length + from) * split.behind);
		if (code == EXIT_OK)
			code = input_read(input, to + row * (run->cut.end - run->cut.begin) * element, size);
	}
	return code;
}

/* Copies what two stretches share; from may be the stretch's own tile. */
static void carry_over(const struct run *run, size_t i, const struct cut *last, const char *from)
{
	const struct split split = split_input(run, i);
	const size_t element = trnsci_dtype_size(run->pieces->inputs[i].array.dtype) * split.behind;
	const char *at = from + (run->cut.begin - last->begin) * element;
	char *to = run->data[i];

	for (uint64_t row = 0; row < split.before; row++)
		memmove(to + row * (run->cut.end - run->cut.begin) * element, at + row * (last->end - last->begin) * element,
			(size_t)(last->end - run->cut.begin) * element);
}

static int read_piece(struct run *run, uint64_t at)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < run->pieces->n_inputs && code == EXIT_OK; i++)
		if (at == 0 || !run->repeated[i])
			code = input_read(&run->pieces->inputs[i], trnsci_tile_data(run->in[i]), tile_info(run->in[i]).bytes);
	return code;
}

/* The first piece of a size makes the tile that the others of that size take. */
static int run_piece(struct run *run)
{
	const int r = progress_run(&run->progress, run->call);

	if (r < 0)
		return complain_call(run, r);
	if (run->out || run->pieces->rules->print)
		return EXIT_OK;
	if (trnsci_call_tile(run->call, NULL, &run->out) < 0)
		return complain(EXIT_TRY_AGAIN, "the daemon ended before its result was read");
	set_out(run);
	return EXIT_OK;
}

/* ---- the result ---- */

static bool writes_text(const struct run *run)
{
	return pieces_write_text(run->pieces) && output_is_text(&run->output);
}

static int begin_array(struct run *run)
{
	const struct npy *array = &run->pieces->inputs[0].array;
	const struct trnsci_tile_info out = tile_info(run->out);
	const size_t kept = run->leading ? array->ndim - run->pieces->trailing : 0, own = out.ndim - run->leading;
	uint64_t shape[2 * TRNSCI_MAX_DIMS];

	if (kept + own > TRNSCI_MAX_DIMS)
		return complain(EXIT_DATA, "the result has %zu axes, allowed %d", kept + own, TRNSCI_MAX_DIMS);
	memcpy(shape, array->shape, kept * sizeof *shape);
	memcpy(shape + kept, out.shape + run->leading, own * sizeof *shape);
	if (run->slides && run->slide.out_axis)
		shape[kept + own - run->slide.out_axis] = run->slide.out_length;
	return output_begin(&run->output, out.dtype, kept + own, shape);
}

/* Only now are dtype and shape known; nothing is created for a request that was wrong. */
static int begin_output(struct run *run)
{
	const struct pieces *pieces = run->pieces;
	int code;

	if (run->cli->verbose && pieces->rules->report && !run->slides)
		pieces->rules->report(trnsci_call_reply(run->call));
	code = output_open(pieces->options, &run->output);
	if (code != EXIT_OK)
		return code;
	run->opened = true;
	output_set_audio(&run->output, first_audio(pieces));
	return writes_text(run) ? EXIT_OK : begin_array(run);
}

/* Writes what the stretch gives of its item's result: of each row before the result's axis, at the place that the stretches
 * so far have come to. */
static int write_stretch(struct run *run, const struct trnsci_tile_info *out, const char *data, uint64_t item, uint64_t done)
{
	const struct split split = split_at(out->shape, out->ndim, run->slide.out_axis);
	const size_t element = trnsci_dtype_size(out->dtype) * split.behind;
	int code = EXIT_OK;

	for (uint64_t row = 0; row < split.before && code == EXIT_OK; row++) {
		if (split.before > 1)
			code = output_seek(&run->output,
					   ((item * split.before + row) * run->slide.out_length + done) * split.behind);
		if (code == EXIT_OK)
			code = output_write(&run->output, data + (row * split.length + run->cut.skip) * element,
					    (size_t)(run->cut.keep * split.behind));
	}
	return code;
}

/* Writes the result at hand: of a stretch what is kept of it. */
static int write_piece(struct run *run, uint64_t item, uint64_t done)
{
	const struct rules *rules = run->pieces->rules;
	uint64_t restarts = 0;
	int code = EXIT_OK;

	if (rules->print) {
		rules->print(run->cli, trnsci_call_reply(run->call));
		return EXIT_OK;
	}
	if (!run->opened)
		code = begin_output(run);
	if (code == EXIT_OK)
		code = tile_begin_read(run->cli->session, run->out, &restarts);
	if (code != EXIT_OK)
		return code;
	const struct trnsci_tile_info out = tile_info(run->out);
	const char *data = trnsci_tile_data(run->out);

	if (rules->look)
		rules->look(&run->output, run->in[0], run->out);
	if (writes_text(run))
		code = rules->write_text(&run->output, run->pieces, &out, data);
	else if (run->slides && run->slide.out_axis)
		code = write_stretch(run, &out, data, item, done);
	else if (out.count)
		code = output_write(&run->output, data, (size_t)out.count);
	return code == EXIT_OK ? tile_end_read(run->cli->session, restarts, run->output.target.name) : code;
}

/* ---- all of them ---- */

static int run_pieces(struct run *run)
{
	const struct pieces *pieces = run->pieces;
	const uint64_t most = piece_size(run);
	uint64_t n, have = 0;
	int code = EXIT_OK;

	for (uint64_t at = 0; at < run->batch && code == EXIT_OK; at += n) {
		n = run->batch - at < most ? run->batch - at : most;
		if (n != have)
			code = make_piece(run, n);
		have = n;
		if (code == EXIT_OK && pieces->rules->move)
			pieces->rules->move(at);
		if (code == EXIT_OK && at == 0 && tile_bytes(run) >= CHECKED_BYTES)
			code = check_request(run);
		if (code == EXIT_OK)
			code = read_piece(run, at);
		if (code == EXIT_OK)
			code = run_piece(run);
		if (code == EXIT_OK)
			code = write_piece(run, at, 0);
		progress_at(&run->progress, at + n);
	}
	return code;
}

/* ---- items that slide ---- */

/* Makes the call of an item: parameters of the one before do not stay. What counted its axes from the begin counts them from the
 * end, so that it means the same in a piece. */
static int begin_call(struct run *run)
{
	const struct pieces *pieces = run->pieces;
	struct trnsci_args *args;
	int code, r;

	trnsci_call_free(run->call);
	run->call = NULL;
	r = trnsci_call_new(run->cli->session, pieces->options->command->operation, &run->call);
	if (r < 0)
		return complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r));
	args = trnsci_call_args(run->call);
	code = options_set_parameters(pieces->options, args);
	if (first_audio(pieces)->rate > 0 && options_has_parameter(pieces->options, "fs") && !options_get(pieces->options, "fs"))
		trnsci_set(args, trnsci_param_f64("fs", first_audio(pieces)->rate));
	if (pieces->n_axes && options_has_parameter(pieces->options, "axes"))
		trnsci_set(args, trnsci_param_i64s("axes", pieces->axes, pieces->n_axes));
	else if (pieces->n_axes)
		trnsci_set(args, trnsci_param_i64("axis", pieces->axes[0]));
	return code == EXIT_OK && pieces->rules->set ? pieces->rules->set(run->pieces, args) : code;
}

/* Fills the tiles of a stretch: with what it shares with the one before, and what comes next in the inputs. */
static int fill_stretch(struct run *run, uint64_t item, const struct cut *last)
{
	struct trnsci_tile *from[PIECES_INPUTS];
	char *data[PIECES_INPUTS];
	const bool shares = run->cut.begin > 0;
	uint64_t restarts = 0;
	int code = EXIT_OK;

	memcpy(from, run->in, sizeof from);
	memcpy(data, run->data, sizeof data);
	/* Tiles have the shapes of the stretch before, or are made anew. */
	if (!shares || run->cut.end - run->cut.begin != last->end - last->begin ||
	    run->cut.skip + run->cut.keep != last->skip + last->keep) {
		memset(run->in, 0, sizeof run->in);
		code = make_piece(run, 1);
		for (size_t i = 0; i < run->pieces->n_inputs && code == EXIT_OK; i++)
			run->data[i] = trnsci_tile_data(run->in[i]);
	}
	for (size_t i = 0; i < run->pieces->n_inputs && code == EXIT_OK; i++) {
		if (shares) {
			carry_over(run, i, last, data[i]);
			code = tile_begin_read(run->cli->session, from[i], &restarts); /* it was there */
		}
		if (code == EXIT_OK)
			code = read_stretch(run, i, item, shares ? last->end : 0);
	}
	for (size_t i = 0; i < PIECES_INPUTS; i++)
		if (from[i] != run->in[i])
			trnsci_tile_free(from[i]);
	return code;
}

/* The result of a stretch goes into the next one, which writes the result before that: so no call writes what it reads, and a
 * daemon that is started again is sent it once more. Those of another item have other shapes. */
static void exchange_results(struct run *run, bool first)
{
	struct trnsci_tile *older = run->before;

	run->before = run->out;
	run->out = older;
	if (first) {
		trnsci_tile_free(run->before);
		trnsci_tile_free(run->out);
		run->before = run->out = NULL;
	}
	set_out(run);
}

static int run_stretches(struct run *run, uint64_t item)
{
	struct cut last = {0};
	uint64_t done = 0;
	int code = begin_call(run);

	run->cut = last;
	for (bool first = true; code == EXIT_OK && !run->cut.last; first = false) {
		last = run->cut;
		if (run->slide.out_axis == 0)
			exchange_results(run, first);
		run->slide.next(trnsci_call_args(run->call), first ? NULL : run->slide.out_axis ? run->out : run->before, &run->cut);
		code = fill_stretch(run, item, &last);
		if (code == EXIT_OK)
			code = run_piece(run);
		if (code == EXIT_OK && run->cut.keep > 0)
			code = write_piece(run, item, done);
		done += run->cut.keep;
		progress_at(&run->progress, item * run->slide.length + run->cut.end);
	}
	return code;
}

static int run_sliding(struct run *run)
{
	int code = EXIT_OK;

	for (uint64_t item = 0; item < run->batch && code == EXIT_OK; item++)
		code = run_stretches(run, item);
	return code;
}

/* Asks whether items slide: where they are larger than a piece, and all inputs have one shape. */
static void choose_slide(struct run *run)
{
	const struct pieces *pieces = run->pieces;
	const struct npy *first = &pieces->inputs[0].array;

	run->slides = pieces->rules->slide && run->item_count > PIECE_BYTES / 16 && run->batch > 0;
	for (size_t i = 1; i < pieces->n_inputs && run->slides; i++)
		run->slides = pieces->inputs[i].array.ndim == first->ndim &&
			      memcmp(pieces->inputs[i].array.shape, first->shape, first->ndim * sizeof *first->shape) == 0;
	run->slides = run->slides && pieces->rules->slide(pieces, PIECE_BYTES / 16, &run->slide);
}

static int run_session(struct run *run)
{
	int code = connect_session(run->cli);

	if (code == EXIT_OK)
		code = begin_call(run);
	/* The time is all that is known of a job of one item. */
	progress_begin(&run->progress, run->cli, run->slides ? run->batch * run->slide.length : run->batch > 1 ? run->batch : 0, "items");
	if (code == EXIT_OK)
		code = run->slides ? run_sliding(run) : run_pieces(run);
	if (run->opened)
		code = output_close(&run->output, code);
	progress_end(&run->progress);
	free_piece(run, true);
	trnsci_call_free(run->call);
	return code;
}

int pieces_run(struct pieces *pieces, struct cli *cli)
{
	struct run run = {.pieces = pieces, .cli = cli};
	const int code = choose_item(pieces);

	if (code != EXIT_OK)
		return code;
	cut_inputs(&run);
	choose_slide(&run);
	return run_session(&run);
}
