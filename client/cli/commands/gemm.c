/* SPDX-License-Identifier: Apache-2.0 */
/* gemm: multiplies matrices, or batches of them, from npy files. */
#include <stdio.h>

#include "compute.h"
#include "printable.h"

/* Which arithmetic ran, and the bound of its error. */
static void report(const struct trnsci_value *reply)
{
	double bound;
	size_t size;
	const char *mode = trnsci_value_to_bytes(trnsci_value_get(reply, "precision"), &size);
	char room[PRINTABLE_ROOM];

	if (!mode)
		return;
	fprintf(stderr, "trnsci-cli: precision %s, ", printable(mode, size, room));
	if (trnsci_value_to_f64(trnsci_value_get(reply, "bound"), &bound) == 0)
		fprintf(stderr, "each element's error at most %.2g of |alpha| ||row of a|| ||column of b|| + |beta c|\n",
			bound);
	else
		fprintf(stderr, "no bound below 1 for sums of this length\n");
}

/* A matrix; those before it are a batch. */
static size_t last_two(const struct options *options, size_t ndim)
{
	(void)options;
	(void)ndim;
	return 2;
}

int command_gemm(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {
		OUTPUT_ROWS,
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
		"gemm a.npy b.npy --precision ozaki -o product.npy",
	};
	struct options options;
	struct computation computation = {.options = &options, .n_inputs = 2, .names = {"a", "b", "c"}, .trailing = last_two, .report = report};
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != 2)
		return complain(EXIT_USAGE, "gemm: %d inputs, allowed two files, a and b", options.n_operands);
	computation.files[0] = options.operands[0];
	computation.files[1] = options.operands[1];
	computation.files[2] = options_get(&options, "addend");
	computation.n_inputs += computation.files[2] != NULL;
	return compute(cli, &computation);
}
