/* SPDX-License-Identifier: Apache-2.0 */
/* gemm: multiplies matrices, or batches of them, from npy files. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "input.h"
#include "options.h"
#include "output.h"
#include "progress.h"

enum { PAGE = 4096, MATRICES = 3 };

struct product {
	const struct options *options;
	struct trnsci_session *session;
	struct trnsci_call *call;
	struct input inputs[MATRICES]; /* a, b, c */
	struct trnsci_tile *tiles[MATRICES], *out;
	size_t n_inputs, ndim;
	uint64_t shape[TRNSCI_MAX_DIMS]; /* of the result */
	enum trnsci_dtype dtype;
};

static bool is_turned(const struct product *product, const char *name)
{
	const char *op = options_get(product->options, name);

	return op && (strcmp(op, "transpose") == 0 || strcmp(op, "conjugate_transpose") == 0);
}

/* Rows and columns of an array; with one dimension, a is a row and b a column. */
static void sides(const struct npy *array, bool is_row, uint64_t ret_sides[2])
{
	if (array->ndim > 1) {
		memcpy(ret_sides, array->shape + array->ndim - 2, 2 * sizeof *ret_sides);
	} else {
		ret_sides[is_row] = array->ndim ? array->shape[0] : 1;
		ret_sides[!is_row] = 1;
	}
}

/* What the engine makes of the shapes; what does not fit is complained of there. */
static void shape_result(struct product *product)
{
	const struct npy *a = &product->inputs[0].array, *b = &product->inputs[1].array;
	const struct npy *more = a->ndim >= b->ndim ? a : b;
	uint64_t of_a[2], of_b[2];

	sides(a, true, of_a);
	sides(b, false, of_b);
	product->ndim = more->ndim > 2 ? more->ndim : 2;
	memcpy(product->shape, more->shape, sizeof product->shape);
	product->shape[product->ndim - 2] = of_a[is_turned(product, "op_a")];
	product->shape[product->ndim - 1] = of_b[!is_turned(product, "op_b")];
}

static bool is_wide(enum trnsci_dtype dtype)
{
	return dtype == TRNSCI_F64 || dtype == TRNSCI_C128;
}

static enum trnsci_dtype result_dtype(const struct product *product)
{
	const char *precision = options_get(product->options, "precision");
	bool wide = is_wide(product->inputs[0].array.dtype) || is_wide(product->inputs[1].array.dtype);

	if (precision)
		wide = strcmp(precision, "double") == 0 || strcmp(precision, "ozaki_hq") == 0 ||
		       strcmp(precision, "ozaki_fp64") == 0;
	return wide ? TRNSCI_C128 : TRNSCI_C64;
}

static int open_inputs(struct product *product)
{
	const char *names[MATRICES] = {product->options->operands[0], product->options->operands[1],
				       options_get(product->options, "addend")};

	for (size_t i = 0; i < MATRICES && names[i]; i++) {
		int code = input_open(names[i], options_get(product->options, "dtype"), 0, &product->inputs[i]);

		if (code != EXIT_OK)
			return code;
		product->n_inputs++;
	}
	return EXIT_OK;
}

/* Of all tiles, a page more each. */
static size_t arena_bytes(const struct product *product)
{
	size_t bytes = (size_t)1 << 20, result = trnsci_dtype_size(product->dtype);
	uint64_t count;

	for (size_t i = 0; i < product->n_inputs; i++)
		if (input_count(&product->inputs[i], &count))
			bytes += (size_t)count * trnsci_dtype_size(product->inputs[i].array.dtype) + PAGE;
	for (size_t i = 0; i < product->ndim; i++)
		result *= (size_t)product->shape[i];
	return bytes + result + PAGE;
}

static int fill_tiles(struct product *product)
{
	static const char *const names[MATRICES] = {"a", "b", "c"};
	struct trnsci_error err;

	for (size_t i = 0; i < product->n_inputs; i++) {
		struct input *input = &product->inputs[i];
		struct trnsci_tile **tile = &product->tiles[i];
		int code;

		if (trnsci_tile_new(product->session, 0, input->array.dtype, input->array.ndim, input->array.shape,
				    tile, &err) < 0)
			return complain_error(&err, EXIT_DATA);
		code = input_read(input, trnsci_tile_data(*tile), trnsci_tile_bytes(*tile));
		if (code != EXIT_OK)
			return code;
		trnsci_set_tile(trnsci_args(product->call), names[i], *tile);
	}
	if (trnsci_tile_new(product->session, 0, product->dtype, product->ndim, product->shape, &product->out, &err) <
	    0)
		return complain_error(&err, EXIT_DATA);
	trnsci_set_tile(trnsci_args(product->call), "out", product->out);
	return EXIT_OK;
}

static int write_result(const struct product *product)
{
	struct output output = {0};
	int code =
		output_open(options_get(product->options, "output"), options_get(product->options, "format"), &output);

	if (code != EXIT_OK)
		return code;
	code = output_begin(&output, product->dtype, product->ndim, product->shape);
	if (code == EXIT_OK)
		code = output_write_tile(&output, product->session, product->out);
	return output_close(&output, code);
}

/* Which arithmetic ran, and the bound of its error. */
static void tell(const struct product *product)
{
	const struct trnsci_value *reply = trnsci_reply(product->call);
	double bound;
	size_t size;
	const char *mode = trnsci_to_bytes(trnsci_get(reply, "precision"), &size);

	if (!mode)
		return;
	fprintf(stderr, "trnsci-cli: precision %.*s, ", (int)size, mode);
	if (trnsci_to_f64(trnsci_get(reply, "bound"), &bound) == 0)
		fprintf(stderr, "each element's error at most %.2g of |alpha| ||row of a|| ||column of b|| + |beta c|\n",
			bound);
	else
		fprintf(stderr, "no bound below 1 for sums of this length\n");
}

static int multiply(struct product *product, const struct cli *cli)
{
	int code = connect_session(cli, arena_bytes(product), &product->session);
	int r;

	if (code != EXIT_OK)
		return code;
	r = trnsci_call_new(product->session, "gemm", &product->call);
	code = r < 0 ? complain(EXIT_TRY_AGAIN, "%s", trnsci_strerror(r))
		     : options_set_parameters(product->options, trnsci_args(product->call));
	if (code == EXIT_OK)
		code = fill_tiles(product);
	if (code == EXIT_OK) {
		r = job_run(cli, product->call);
		code = r < 0 ? complain_error(trnsci_call_error(product->call),
					      r == -TRNSCI_BAD_SHAPE ? EXIT_DATA : EXIT_USAGE)
			     : write_result(product);
		if (r >= 0 && cli->verbose)
			tell(product);
	}
	for (size_t i = 0; i < MATRICES; i++)
		trnsci_tile_free(product->tiles[i]);
	trnsci_tile_free(product->out);
	trnsci_call_free(product->call);
	trnsci_close(product->session);
	return code;
}

int command_gemm(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {
		{"output", 'o', "FILE", "where to [stdout]"},
		{"format", 'f', "raw|npy|text|csv", "[npy for a FILE.npy, text on a terminal, raw otherwise]"},
		{"addend", 'c', "FILE", "c, which beta multiplies; of the result's shape"},
		{"dtype", 0, "DTYPE", "of raw inputs, each one row or column: f32, f64, c64, c128"},
	};
	static const struct option_set set = {
		"gemm A B [option ...]",
		"Multiply complex matrices, alpha op(a) op(b) + beta c, or batches of them.",
		rows,
		sizeof rows / sizeof *rows,
		"gemm",
		" a b c out u64 timeout_ms ",
	};
	struct options options;
	struct product product = {.options = &options};
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != 2)
		return complain(EXIT_USAGE, "gemm: %d inputs, allowed two files, a and b", options.n_operands);
	code = open_inputs(&product);
	if (code == EXIT_OK) {
		shape_result(&product);
		product.dtype = result_dtype(&product);
		code = multiply(&product, cli);
	}
	for (size_t i = 0; i < product.n_inputs; i++)
		input_close(&product.inputs[i]);
	return code;
}
