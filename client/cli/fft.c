/* SPDX-License-Identifier: Apache-2.0 */
/* fft, dct, dst: transform an array piece by piece: a piece is as many transforms as fit two tiles of a few megabytes.
 *
 * The axes before the first transformed one only count transforms, so any number of them makes a piece; a transform's
 * bytes do not depend on its place in a batch. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "input.h"
#include "options.h"
#include "output.h"
#include "progress.h"

enum { PIECE_BYTES = 4 << 20, MAX_LENGTH = 1 << 30 };

struct transform {
	const struct options *options;
	struct trnsci_session *session;
	struct input input;
	bool is_series;	     /* dct or dst */
	bool halves, reals;	     /* the last axis becomes half a spectrum, or reals again from one */
	int64_t lengths[TRNSCI_MAX_DIMS]; /* -1: as it is */
	size_t n_lengths;
	int64_t axes[TRNSCI_MAX_DIMS]; /* negative, from the end */
	size_t n_axes;
	size_t trailing; /* dimensions from the first transformed one on */
	uint64_t in_shape[TRNSCI_MAX_DIMS], out_shape[TRNSCI_MAX_DIMS];
	uint64_t batch, in_count, out_count; /* transforms; elements of one, before and after */
	enum trnsci_dtype out_dtype;
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

/* What the transform makes of the shape, as the engine does. */
static void shape_result(struct transform *transform)
{
	const struct npy *array = &transform->input.array;
	uint64_t *last = &transform->out_shape[array->ndim - (size_t)-transform->axes[transform->n_axes - 1]];

	memcpy(transform->in_shape, array->shape, sizeof transform->in_shape);
	memcpy(transform->out_shape, array->shape, sizeof transform->out_shape);
	transform->trailing = 1;
	if (transform->reals)
		*last = *last > 1 ? 2 * (*last - 1) : 1;
	for (size_t i = 0; i < transform->n_axes; i++) {
		size_t from_end = (size_t)-transform->axes[i];

		if (from_end > transform->trailing)
			transform->trailing = from_end;
		if (length_of(transform, i) > 0)
			transform->out_shape[array->ndim - from_end] = (uint64_t)length_of(transform, i);
	}
	if (transform->halves)
		*last = *last / 2 + 1;
	transform->batch = transform->in_count = transform->out_count = 1;
	for (size_t i = 0; i < array->ndim; i++) {
		bool counts = i + transform->trailing < array->ndim;

		transform->batch *= counts ? array->shape[i] : 1;
		transform->in_count *= counts ? 1 : transform->in_shape[i];
		transform->out_count *= counts ? 1 : transform->out_shape[i];
	}
}

/* The first guess; where the engine decides otherwise (target_error), the other width is tried. */
static enum trnsci_dtype guess_dtype(const struct transform *transform, const char *dtype)
{
	const char *precision = options_get(transform->options, "precision");
	enum trnsci_dtype in = transform->input.array.dtype;
	bool wide = in == TRNSCI_F64 || in == TRNSCI_C128;

	if (dtype && trnsci_dtype_parse(dtype))
		wide = trnsci_dtype_parse(dtype) == TRNSCI_C128 || trnsci_dtype_parse(dtype) == TRNSCI_F64;
	else if (precision)
		wide = strcmp(precision, "double") == 0;
	if (transform->reals || (transform->is_series && (in == TRNSCI_F32 || in == TRNSCI_F64)))
		return wide ? TRNSCI_F64 : TRNSCI_F32;
	return wide ? TRNSCI_C128 : TRNSCI_C64;
}

/* Of the same kind, complex or real. */
static enum trnsci_dtype other_width(enum trnsci_dtype dtype)
{
	switch (dtype) {
	case TRNSCI_F32:
		return TRNSCI_F64;
	case TRNSCI_F64:
		return TRNSCI_F32;
	case TRNSCI_C64:
		return TRNSCI_C128;
	default:
		return TRNSCI_C64;
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
static int make_tile(struct transform *transform, enum trnsci_dtype dtype, const uint64_t *shape, uint64_t n,
		     struct trnsci_tile **tile)
{
	uint64_t dims[TRNSCI_MAX_DIMS + 1] = {n};
	size_t ndim = transform->input.array.ndim, trailing = transform->trailing;
	struct trnsci_error err;
	bool leading = trailing < ndim;

	memcpy(dims + leading, shape + ndim - trailing, trailing * sizeof *dims);
	if (trnsci_tile_new(transform->session, 0, dtype, trailing + leading, dims, tile, &err) < 0)
		return complain_error(&err, EXIT_DATA);
	return EXIT_OK;
}

static int make_piece(struct transform *transform, uint64_t n)
{
	free_piece(transform);
	int code = make_tile(transform, transform->input.array.dtype, transform->in_shape, n, &transform->in);

	if (code == EXIT_OK)
		code = make_tile(transform, transform->out_dtype, transform->out_shape, n, &transform->out);
	if (code == EXIT_OK) {
		trnsci_set_tile(trnsci_args(transform->call), "in", transform->in);
		trnsci_set_tile(trnsci_args(transform->call), "out", transform->out);
	}
	return code;
}

/* The first piece tells whether the dtype was guessed right. */
static int run_piece(struct transform *transform, bool first, uint64_t n, struct progress *progress)
{
	int r = progress_run(progress, transform->call), code;

	if (r == -TRNSCI_BAD_SHAPE && first) {
		trnsci_tile_free(transform->out);
		transform->out = NULL;
		transform->out_dtype = other_width(transform->out_dtype);
		code = make_tile(transform, transform->out_dtype, transform->out_shape, n, &transform->out);
		if (code != EXIT_OK)
			return code;
		trnsci_set_tile(trnsci_args(transform->call), "out", transform->out);
		r = progress_run(progress, transform->call);
	}
	if (r < 0)
		return complain_error(trnsci_call_error(transform->call),
				      r == -TRNSCI_BAD_SHAPE ? EXIT_DATA : EXIT_USAGE);
	return EXIT_OK;
}

/* Which arithmetic ran, and the bound of its error. */
static void tell(const struct transform *transform)
{
	const struct trnsci_value *reply = trnsci_reply(transform->call);
	double bound;
	size_t size;
	const char *mode = trnsci_to_bytes(trnsci_get(reply, "precision"), &size);

	if (mode && trnsci_to_f64(trnsci_get(reply, "bound"), &bound) == 0)
		fprintf(stderr, "trnsci-cli: precision %.*s, relative error at most %.2g\n", (int)size, mode, bound);
}

/* Only now is the dtype known; nothing is created for a request that was wrong. */
static int begin_output(struct transform *transform, struct output *output)
{
	int code = output_open(options_get(transform->options, "output"), options_get(transform->options, "format"),
			       output);

	if (code != EXIT_OK)
		return code;
	code = output_begin(output, transform->out_dtype, transform->input.array.ndim, transform->out_shape);
	return code == EXIT_OK ? EXIT_OK : output_close(output, code);
}

/* Counted as if every element took 16 bytes; a transform larger than a piece is a piece. */
static uint64_t piece_size(const struct transform *transform)
{
	uint64_t most = transform->in_count > transform->out_count ? transform->in_count : transform->out_count;
	uint64_t size = most ? PIECE_BYTES / (most * 16) : 1;

	size = size ? size : 1;
	return size < transform->batch ? size : transform->batch;
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
					  trnsci_tile_bytes(transform->in));
		if (code == EXIT_OK)
			code = run_piece(transform, at == 0, n, progress);
		if (code == EXIT_OK && at == 0) {
			if (verbose)
				tell(transform);
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
	trnsci_set_axes(args, "axes", transform->n_axes, transform->axes);
	if (transform->n_lengths)
		trnsci_set_axes(args, "length", transform->n_lengths, transform->lengths);
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

	transform->reals = flag(options, inverse ? "real" : "hermitian");
	transform->halves = flag(options, inverse ? "hermitian" : "real");
	if (length && (!options_list(length, -1, MAX_LENGTH, transform->lengths, &transform->n_lengths) ||
		       has_zero(transform)))
		return complain(EXIT_USAGE, "--length: '%s', allowed 1 to %d, or -1 for as it is, up to 8 of them",
				length, MAX_LENGTH);
	if (transform->n_lengths && transform->lengths[transform->n_lengths - 1] > 0)
		row = (uint64_t)transform->lengths[transform->n_lengths - 1];
	row = transform->reals && row ? row / 2 + 1 : row;
	code = input_open(name, options_get(options, "dtype"), row, &transform->input);
	if (code != EXIT_OK)
		return code;
	*dtype = options_get(options, "out-dtype");
	if (!*dtype && !transform->input.held) /* npy tells its own: --dtype is the result's */
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
	shape_result(transform);
	transform->out_dtype = guess_dtype(transform, dtype);
	size_t piece = (size_t)(piece_size(transform) * (transform->in_count + transform->out_count) * 16);

	code = connect_session(cli, piece + ((size_t)1 << 20), &transform->session);
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
	{"output", 'o', "FILE", "where to [stdout]"},
	{"format", 'f', "raw|npy|text|csv", "[npy for a FILE.npy, text on a terminal, raw otherwise]"},
	{"length", 0, "N,...", "pad or trim the (last) axis to N, or each of the axes; of raw input: elements of a row"},
	{"dtype", 0, "DTYPE", "raw input: its type, f32, f64, c64, c128; npy input: the result's"},
	{"out-dtype", 0, "DTYPE", "the result's type, complex64 or complex128; f32 or f64 where it is real"},
};

static int command(const struct option_set *set, struct cli *cli, int argc, char **argv)
{
	struct options options;
	struct transform transform = {.options = &options, .is_series = strcmp(set->operation, "fft") != 0};
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

#define COMMAND(name, help)                                                                                            \
	int command_##name(struct cli *cli, int argc, char **argv)                                                     \
	{                                                                                                              \
		static const struct option_set set = {                                                                 \
			#name " INPUT [option ...]", help, rows, sizeof rows / sizeof *rows, #name,                    \
			" in out length dtype u64 timeout_ms "};                                                                  \
                                                                                                                       \
		return command(&set, cli, argc, argv);                                                                 \
	}

COMMAND(fft, "Transform an array, npy or raw, or - for stdin, along its last axis.")
COMMAND(dct, "Cosine transform of an array, npy or raw, or - for stdin, along its last axis.")
COMMAND(dst, "Sine transform of an array, npy or raw, or - for stdin, along its last axis.")
