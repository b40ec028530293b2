/* SPDX-License-Identifier: Apache-2.0 */
/* fft, dct, dst: transform an array piece by piece: a piece is as many transforms as fit two tiles of a few megabytes.
 *
 * The axes before the first transformed one only count transforms, so any number of them makes a piece; a transform's
 * bytes do not depend on its place in a batch. What becomes of a piece's shape and dtype is the engine's to say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "files/input.h"
#include "options/options.h"
#include "files/output.h"
#include "printable.h"
#include "progress.h"

enum { PIECE_BYTES = 4 << 20, MAX_LENGTH = 1 << 30 };

struct transform {
	const struct options *options;
	struct trnsci_session *session;
	struct input input;
	int64_t lengths[TRNSCI_MAX_DIMS]; /* -1: as it is */
	size_t n_lengths;
	int64_t axes[TRNSCI_MAX_DIMS]; /* negative, from the end */
	size_t n_axes;
	size_t trailing; /* dimensions from the first transformed one on */
	uint64_t batch, in_count, most_count; /* transforms; elements of one, before, and after at most */
	struct trnsci_tile *in, *out; /* of the piece at hand */
	struct trnsci_call *call;
};

/* ---- what is asked for ---- */

/* As options_set_parameters reads a bool; what is neither true nor false is complained of there. */
static bool flag(const struct options *options, const char *name)
{
	const char *text = options_get(options, name);

	return text && (!*text || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "1") == 0);
}

/* Counted from the end, axes mean the same in a piece as in the whole array. */
static int read_axes(struct transform *transform)
{
	const char *text = options_get(transform->options, "axes");
	int64_t ndim = (int64_t)transform->input.array.ndim;

	transform->n_axes = transform->n_lengths ? transform->n_lengths : 1;
	for (size_t i = 0; i < transform->n_axes; i++)
		transform->axes[i] = (int64_t)i - (int64_t)transform->n_axes;
	if (text && !options_list(text, -ndim, ndim - 1, transform->axes, &transform->n_axes))
		return complain(EXIT_USAGE, "--axes: '%s', allowed up to 8 axes, each %" PRId64 " to %" PRId64, text,
				-ndim, ndim - 1);
	for (size_t i = 0; i < transform->n_axes; i++)
		transform->axes[i] -= transform->axes[i] < 0 ? 0 : ndim;
	if (transform->n_axes > (size_t)ndim)
		return complain(EXIT_USAGE, "%s: %zu axes, the input has %" PRId64, text ? "--axes" : "--length",
				transform->n_axes, ndim);
	if (transform->n_lengths > 1 && transform->n_lengths != transform->n_axes)
		return complain(EXIT_USAGE, "--length: %zu lengths for %zu axes, allowed one for each, or one for the last",
				transform->n_lengths, transform->n_axes);
	return EXIT_OK;
}

/* The length asked for axis i, -1 where none is. */
static int64_t length_of(const struct transform *transform, size_t i)
{
	if (transform->n_lengths == transform->n_axes)
		return transform->lengths[i];
	return transform->n_lengths == 1 && i + 1 == transform->n_axes ? transform->lengths[0] : -1;
}

/* How many transforms there are. A real inverse makes twice as many elements, of half the size each. */
static void count_elements(struct transform *transform)
{
	const struct npy *array = &transform->input.array;

	transform->trailing = 1;
	for (size_t i = 0; i < transform->n_axes; i++)
		if ((size_t)-transform->axes[i] > transform->trailing)
			transform->trailing = (size_t)-transform->axes[i];
	transform->batch = transform->in_count = 1;
	for (size_t i = 0; i < array->ndim; i++)
		*(i + transform->trailing < array->ndim ? &transform->batch : &transform->in_count) *= array->shape[i];
	transform->most_count = transform->in_count;
	for (size_t i = 0; i < transform->n_axes; i++) {
		const int64_t length = length_of(transform, i);
		const uint64_t size = array->shape[array->ndim - (size_t)-transform->axes[i]];

		if (size > 0 && length > 0 && (uint64_t)length > size)
			transform->most_count = transform->most_count / size * (uint64_t)length;
	}
}

/* ---- pieces ---- */

static void free_piece(struct transform *transform)
{
	trnsci_tile_free(transform->in);
	trnsci_tile_free(transform->out);
	transform->in = transform->out = NULL;
}

/* n transforms: one leading dimension in place of those that only count, none where there are none. */
static int make_piece(struct transform *transform, uint64_t n)
{
	const struct trnsci_param out[] = {trnsci_new_tile("out"), trnsci_end()};
	const struct npy *array = &transform->input.array;
	const bool leading = transform->trailing < array->ndim;
	uint64_t dims[TRNSCI_MAX_DIMS + 1] = {n};
	struct trnsci_error err;

	free_piece(transform);
	memcpy(dims + leading, array->shape + array->ndim - transform->trailing, transform->trailing * sizeof *dims);
	if (trnsci_tile_new(transform->session, 0, array->dtype, transform->trailing + leading, dims, &transform->in,
			    &err) < 0)
		return complain_error(&err, EXIT_DATA);
	trnsci_set_tile(trnsci_args(transform->call), "in", transform->in);
	trnsci_set_params(trnsci_args(transform->call), out);
	return EXIT_OK;
}

/* The first piece of a size makes the tile that the others of that size take. */
static int run_piece(struct transform *transform, struct progress *progress)
{
	const int r = progress_run(progress, transform->call);

	if (r < 0)
		return complain_error(trnsci_call_error(transform->call),
				      r == -TRNSCI_BAD_SHAPE ? EXIT_DATA : EXIT_USAGE);
	if (transform->out)
		return EXIT_OK;
	if (trnsci_reply_tile(transform->call, NULL, &transform->out) < 0)
		return complain(EXIT_TRY_AGAIN, "the daemon went before its result was read");
	trnsci_set_tile(trnsci_args(transform->call), "out", transform->out);
	return EXIT_OK;
}

/* Which arithmetic ran, and the bound of its error. */
static void print_precision(const struct transform *transform)
{
	const struct trnsci_value *reply = trnsci_reply(transform->call);
	double bound;
	size_t size;
	const char *mode = trnsci_to_bytes(trnsci_get(reply, "precision"), &size);
	char room[PRINTABLE_ROOM];

	if (mode && trnsci_to_f64(trnsci_get(reply, "bound"), &bound) == 0)
		fprintf(stderr, "trnsci-cli: precision %s, relative error at most %.2g\n", printable(mode, size, room), bound);
}

/* Only now are dtype and shape known; nothing is created for a request that was wrong. */
static int begin_output(struct transform *transform, struct output *output)
{
	const struct npy *array = &transform->input.array;
	const struct trnsci_tile_info out = tile_info(transform->out);
	const size_t kept = array->ndim - transform->trailing;
	uint64_t shape[TRNSCI_MAX_DIMS];
	int code = output_open(transform->options, output);

	if (code != EXIT_OK)
		return code;
	output_set_audio(output, &transform->input.audio);
	memcpy(shape, array->shape, kept * sizeof *shape);
	memcpy(shape + kept, out.shape + out.ndim - transform->trailing, transform->trailing * sizeof *shape);
	code = output_begin(output, out.dtype, array->ndim, shape);
	return code == EXIT_OK ? EXIT_OK : output_close(output, code);
}

/* Counted as if every element took 16 bytes; a transform larger than a piece is a piece. */
static uint64_t piece_size(const struct transform *transform)
{
	uint64_t size = transform->most_count ? PIECE_BYTES / (transform->most_count * 16) : 1;

	size = size ? size : 1;
	return size < transform->batch ? size : transform->batch;
}

/* Bytes of an element of the result at most: float64 where the input, the arithmetic or --out-dtype may ask for it. */
static size_t most_element_size(const struct transform *transform, const char *dtype)
{
	const enum trnsci_dtype in = transform->input.array.dtype;
	const bool narrow = (in == TRNSCI_F32 || in == TRNSCI_C64) && !dtype && !options_get(transform->options, "precision") &&
			    !options_get(transform->options, "target_error");

	return trnsci_dtype_size(narrow ? TRNSCI_C64 : TRNSCI_C128);
}

/* Of the tiles of a piece. */
static size_t piece_bytes(const struct transform *transform, const char *dtype)
{
	const size_t in_bytes = (size_t)transform->in_count * trnsci_dtype_size(transform->input.array.dtype);
	const size_t most_bytes = (size_t)transform->most_count * most_element_size(transform, dtype);

	return (size_t)piece_size(transform) * (in_bytes + most_bytes);
}

/* An empty array has nothing to transform, but a header. */
static int transform_pieces(struct transform *transform, struct output *output, struct progress *progress, bool verbose)
{
	uint64_t most = piece_size(transform), n, have = 0;
	bool opened = false;
	int code = EXIT_OK;

	if (transform->batch == 0 || transform->in_count == 0)
		return complain(EXIT_DATA, "%s: its shape holds no element", transform->input.name);
	for (uint64_t at = 0; at < transform->batch && code == EXIT_OK; at += n) {
		n = transform->batch - at < most ? transform->batch - at : most;
		if (n != have)
			code = make_piece(transform, n);
		have = n;
		if (code == EXIT_OK)
			code = input_read(&transform->input, trnsci_tile_data(transform->in),
					  tile_info(transform->in).bytes);
		if (code == EXIT_OK)
			code = run_piece(transform, progress);
		if (code == EXIT_OK && at == 0) {
			if (verbose)
				print_precision(transform);
			code = begin_output(transform, output);
			if (code != EXIT_OK)
				return code;
			opened = true;
		}
		if (code == EXIT_OK)
			code = output_write_tile(output, transform->session, transform->out);
		progress_at(progress, at + n);
	}
	return opened ? output_close(output, code) : code;
}

/* ---- the command ---- */

/* Axes, length and dtype are ours to state: they were read before the table's parameters. */
static int set_parameters(struct transform *transform, const char *dtype)
{
	struct trnsci_args *args = trnsci_args(transform->call);
	int code = options_set_parameters(transform->options, args);

	if (code != EXIT_OK)
		return code;
	const struct trnsci_param params[] = {
		trnsci_i64s("axes", transform->axes, transform->n_axes),
		transform->n_lengths ? trnsci_i64s("length", transform->lengths, transform->n_lengths) : trnsci_end(),
		trnsci_end(),
	};

	trnsci_set_params(args, params);
	if (dtype)
		trnsci_set_text(args, "dtype", dtype);
	return EXIT_OK;
}

static bool has_zero(const struct transform *transform)
{
	for (size_t i = 0; i < transform->n_lengths; i++)
		if (transform->lengths[i] == 0)
			return true;
	return false;
}

/* A raw input has no shape: its rows are as long as the transform's input. */
static int open_input(struct transform *transform, const char *name, const char **dtype)
{
	const struct options *options = transform->options;
	const char *length = options_get(options, "length");
	bool inverse = flag(options, "inverse");
	uint64_t row = 0;
	int code;

	const bool halves = flag(options, inverse ? "real" : "hermitian"); /* of each row, half is in the input */

	if (length && (!options_list(length, -1, MAX_LENGTH, transform->lengths, &transform->n_lengths) ||
		       has_zero(transform)))
		return complain(EXIT_USAGE, "--length: '%s', allowed 1 to %d, or -1 for as it is, up to 8 of them",
				length, MAX_LENGTH);
	if (transform->n_lengths && transform->lengths[transform->n_lengths - 1] > 0)
		row = (uint64_t)transform->lengths[transform->n_lengths - 1];
	row = halves && row ? row / 2 + 1 : row;
	code = input_open(name, options_get(options, "dtype"), row, &transform->input);
	if (code != EXIT_OK)
		return code;
	*dtype = options_get(options, "out-dtype");
	input_make_floating(&transform->input);
	if (!*dtype && !transform->input.is_raw) /* a file that says its own dtype: --dtype is the result's */
		*dtype = options_get(options, "dtype");
	return EXIT_OK;
}

static int transform_input(struct transform *transform, struct cli *cli, const char *dtype)
{
	struct progress progress;
	struct output output = {0};
	int code = read_axes(transform);

	if (code != EXIT_OK)
		return code;
	count_elements(transform);
	code = connect_session(cli, piece_bytes(transform, dtype) + ((size_t)1 << 20), &transform->session);
	if (code != EXIT_OK)
		return code;
	int r = trnsci_call_new(transform->session, transform->options->set->operation, &transform->call);

	code = r < 0 ? complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r)) : set_parameters(transform, dtype);
	progress_begin(&progress, cli, transform->batch, "transforms");
	if (code == EXIT_OK)
		code = transform_pieces(transform, &output, &progress, cli->verbose);
	progress_end(&progress);
	free_piece(transform);
	trnsci_call_free(transform->call);
	trnsci_close(transform->session);
	return code;
}

static const struct option_row rows[] = {
	OUTPUT_ROWS,
	RATE_ROW,
	{"length", 0, "N,...", "pad or trim the (last) axis to N, or each of the axes; of raw input: elements of a row"},
	{"dtype", 0, "DTYPE", "raw input: its type, f32, f64, c64, c128; npy input: the result's"},
	{"out-dtype", 0, "DTYPE", "the result's type, complex64 or complex128, real ones too; of dct and dst f32 or f64"},
};

static int command(const struct option_set *set, struct cli *cli, int argc, char **argv)
{
	struct options options;
	struct transform transform = {.options = &options};
	const char *dtype = NULL;
	int code = options_parse(set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != 1)
		return complain(EXIT_USAGE, "%s: %d inputs, allowed one: a file or -", set->operation,
				options.n_operands);
	code = open_input(&transform, options.operands[0], &dtype);
	if (code != EXIT_OK)
		return code;
	code = transform_input(&transform, cli, dtype);
	input_close(&transform.input);
	return code;
}

#define COMMAND(name, help, example)                                                                                            \
	int command_##name(struct cli *cli, int argc, char **argv)                                                     \
	{                                                                                                              \
		static const struct option_set set = {                                                                 \
			#name " INPUT [option ...]", help, rows, sizeof rows / sizeof *rows, #name,                    \
			" in out length dtype u64 timeout_ms ", example};                                                                  \
                                                                                                                       \
		return command(&set, cli, argc, argv);                                                                 \
	}

COMMAND(fft, "Transform an array from a file, or - for stdin, along its last axis.", "fft signal.npy --real -o spectrum.npy")
COMMAND(dct, "Compute the cosine transform of an array from a file, or - for stdin, along its last axis.", "dct signal.npy --norm ortho -o d.npy")
COMMAND(dst, "Compute the sine transform of an array from a file, or - for stdin, along its last axis.", "dst signal.npy -o s.npy")
