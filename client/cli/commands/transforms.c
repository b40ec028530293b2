/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths and dtypes of fft, dct and dst, options that mean more than the parameters of their names; and the reply of trace. */
#include <inttypes.h>
#include <stdio.h>

#include "figures.h"
#include "report.h"
#include "rules.h"

enum { MAX_LENGTH = 1 << 30 };

static int64_t lengths[TRNSCI_MAX_DIMS]; /* -1: as it is */
static size_t n_lengths;

static bool has_zero(void)
{
	for (size_t i = 0; i < n_lengths; i++)
		if (lengths[i] == 0)
			return true;
	return false;
}

/* A raw input has no shape: its rows are as long as the transform's input, of which a half may be all there is. */
int lengths_read_row(const struct options *options, uint64_t *ret)
{
	const char *text = options_get(options, "length");
	const bool halves = options_is(options, options_is(options, "inverse", "true") ? "real" : "hermitian", "true");

	n_lengths = 0;
	if (text && (!options_list(text, -1, MAX_LENGTH, lengths, &n_lengths) || has_zero()))
		return complain(EXIT_USAGE, "--length: '%s', allowed 1 to %d, or -1 for as it is, up to 8 of them", text, MAX_LENGTH);
	*ret = n_lengths && lengths[n_lengths - 1] > 0 ? (uint64_t)lengths[n_lengths - 1] : 0;
	if (halves && *ret)
		*ret = *ret / 2 + 1;
	return EXIT_OK;
}

/* The length asked for axis i of n, -1 where none is. */
static int64_t length_of(size_t i, size_t n)
{
	if (n_lengths == n)
		return lengths[i];
	return n_lengths == 1 && i + 1 == n ? lengths[0] : -1;
}

/* The elements of an item where each axis is as long as before or after, whichever is longer. */
static uint64_t most_elements(const struct pieces *pieces, const struct npy *array)
{
	uint64_t sizes[TRNSCI_MAX_DIMS], most = 1;
	size_t first = array->ndim;

	for (size_t i = 0; i < array->ndim; i++)
		sizes[i] = array->shape[i];
	for (size_t i = 0; i < pieces->n_axes; i++) {
		const int64_t length = length_of(i, pieces->n_axes), axis = pieces->axes[i];
		const size_t at = axis < 0 ? array->ndim - (size_t)-axis : (size_t)axis;

		sizes[at] = length > 0 && (uint64_t)length > sizes[at] ? (uint64_t)length : sizes[at];
		first = at < first ? at : first;
	}
	for (size_t i = first; i < array->ndim; i++)
		most *= sizes[i];
	return most;
}

/* Several lengths are of as many axes, the last ones if none are stated. A result that is longer than its input makes pieces
 * smaller. */
int lengths_prepare(struct pieces *pieces)
{
	const char *text = options_get(pieces->options, "axes");
	const struct npy *array = &pieces->inputs[0].array;
	const size_t ndim = array->ndim;
	size_t n_axes = n_lengths ? n_lengths : 1;

	if (text && !options_list(text, -(int64_t)ndim, (int64_t)ndim - 1, pieces->axes, &n_axes))
		return EXIT_OK; /* complained of with the axes of other operations */
	if (n_axes > ndim)
		return complain(EXIT_USAGE, "%s: %zu axes, the input has %zu", text ? "--axes" : "--length", n_axes, ndim);
	if (n_lengths > 1 && n_lengths != n_axes)
		return complain(EXIT_USAGE, "--length: %zu lengths for %zu axes, allowed one for each, or one for the last",
				n_lengths, n_axes);
	for (size_t i = 0; i < n_axes && !text; i++)
		pieces->axes[i] = (int64_t)i - (int64_t)n_axes;
	pieces->n_axes = n_axes;
	pieces->most_count = most_elements(pieces, array);
	return EXIT_OK;
}

/* --dtype is the result's where the file says its own. */
int lengths_set(struct pieces *pieces, struct trnsci_args *args)
{
	const char *dtype = options_get(pieces->options, "out-dtype");

	if (!dtype && !pieces->inputs[0].is_raw)
		dtype = options_get(pieces->options, "dtype");
	if (n_lengths)
		trnsci_set(args, trnsci_param_i64s("length", lengths, n_lengths));
	if (dtype)
		trnsci_set(args, trnsci_param_text("dtype", dtype));
	return EXIT_OK;
}

/* ---- trace: its reply is the result ---- */

int trace_read_row(const struct options *options, uint64_t *ret)
{
	return options_u64(options, "length", ret);
}

/* Prints "estimate=E standard_error=S" with all digits of the estimate, so that it can be read again without loss. */
void trace_print(const struct cli *cli, const struct trnsci_value *reply)
{
	double error;

	if (cli->json) {
		report_print(report_of_value(reply));
		return;
	}
	printf("estimate=%.17g", figure_f64(reply, "estimate"));
	if (trnsci_value_to_f64(trnsci_value_get(reply, "standard_error"), &error) == 0)
		printf(" standard_error=%.3g\n", error);
	else
		printf(" standard_error=unknown\n");
	if (cli->verbose)
		fprintf(stderr, "trace: %" PRIu64 " products with the matrix\n", figure_u64(reply, "products"));
}
