/* SPDX-License-Identifier: Apache-2.0 */
/* fft, dct, dst: transform an array piece by piece. The axes before the first transformed one only count transforms. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pieces.h"
#include "printable.h"

enum { MAX_LENGTH = 1 << 30 };

struct transform {
	struct pieces pieces; /* its one input is transformed */
	const char *dtype;    /* the result's; NULL: not stated */
	int64_t lengths[TRNSCI_MAX_DIMS]; /* -1: as it is */
	size_t n_lengths;
	int64_t axes[TRNSCI_MAX_DIMS]; /* negative, from the end */
	size_t n_axes;
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
	const char *text = options_get(transform->pieces.options, "axes");
	int64_t ndim = (int64_t)transform->pieces.inputs[0].array.ndim;

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

/* A real inverse makes twice as many elements, of half the size each. */
static void set_item(struct transform *transform)
{
	const struct npy *array = &transform->pieces.inputs[0].array;
	uint64_t sizes[TRNSCI_MAX_DIMS], most = 1;

	transform->pieces.trailing = 1;
	for (size_t i = 0; i < transform->n_axes; i++)
		if ((size_t)-transform->axes[i] > transform->pieces.trailing)
			transform->pieces.trailing = (size_t)-transform->axes[i];
	memcpy(sizes, array->shape, array->ndim * sizeof *sizes);
	for (size_t i = 0; i < transform->n_axes; i++) {
		const int64_t length = length_of(transform, i);
		uint64_t *size = &sizes[array->ndim - (size_t)-transform->axes[i]];

		*size = length > 0 && (uint64_t)length > *size ? (uint64_t)length : *size;
	}
	for (size_t i = array->ndim - transform->pieces.trailing; i < array->ndim; i++)
		most *= sizes[i];
	transform->pieces.most_count = most;
}

/* Which arithmetic ran, and the bound of its error. */
static void print_precision(const struct trnsci_value *reply)
{
	double bound;
	size_t size;
	const char *mode = trnsci_value_to_bytes(trnsci_value_get(reply, "precision"), &size);
	char room[PRINTABLE_ROOM];

	if (mode && trnsci_value_to_f64(trnsci_value_get(reply, "bound"), &bound) == 0)
		fprintf(stderr, "trnsci-cli: precision %s, relative error at most %.2g\n", printable(mode, size, room), bound);
}

/* ---- the command ---- */

/* Axes, length and dtype are ours to state: they were read before the table's parameters. */
static int set_parameters(void *arg, struct trnsci_args *args)
{
	const struct transform *transform = arg;
	int code = options_set_parameters(transform->pieces.options, args);

	if (code != EXIT_OK)
		return code;
	const struct trnsci_param params[] = {
		trnsci_param_i64s("axes", transform->axes, transform->n_axes),
		transform->n_lengths ? trnsci_param_i64s("length", transform->lengths, transform->n_lengths) : trnsci_param_end(),
		trnsci_param_end(),
	};

	trnsci_set_params(args, params);
	if (transform->dtype)
		trnsci_set(args, trnsci_param_text("dtype", transform->dtype));
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
static int open_input(struct transform *transform, const char *name)
{
	const struct options *options = transform->pieces.options;
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
	code = input_open(name, options_get(options, "dtype"), row, &transform->pieces.inputs[0]);
	if (code != EXIT_OK)
		return code;
	transform->dtype = options_get(options, "out-dtype");
	input_make_floating(&transform->pieces.inputs[0]);
	if (!transform->dtype && !transform->pieces.inputs[0].is_raw) /* a file that says its own dtype: --dtype is the result's */
		transform->dtype = options_get(options, "dtype");
	return EXIT_OK;
}

static int transform_input(struct transform *transform, const struct cli *cli)
{
	int code = read_axes(transform);

	if (code != EXIT_OK)
		return code;
	set_item(transform);
	return pieces_run(&transform->pieces, cli);
}

static const struct option_row rows[] = {
	OUTPUT_ROWS,
	SOUND_ROWS,
	{"length", 0, "N,...", "pad or trim the (last) axis to N, or each of the axes; of raw input: elements of a row"},
	{"dtype", 0, "DTYPE", "raw input: its type, f32, f64, c64, c128; npy input: the result's"},
	{"out-dtype", 0, "DTYPE", "the result's type, complex64 or complex128, real ones too; of dct and dst f32 or f64"},
};

static int command(const struct option_set *set, struct cli *cli, int argc, char **argv)
{
	struct options options;
	struct transform transform = {.pieces = {.options = &options, .set_parameters = set_parameters, .arg = &transform,
						 .names = {"in"}, .n_inputs = 1, .unit = "transforms",
						 .report = print_precision}};
	int code = options_parse(set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != 1)
		return complain(EXIT_USAGE, "%s: %d inputs, allowed one: a file or -", set->operation,
				options.n_operands);
	code = open_input(&transform, options.operands[0]);
	if (code != EXIT_OK)
		return code;
	code = transform_input(&transform, cli);
	input_close(&transform.pieces.inputs[0]);
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
