/* SPDX-License-Identifier: Apache-2.0 */
/* fftfreq, next-fast-len and fftshift: what stands around transforms. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute.h"
#include "files/output.h"

static const uint64_t MAX_LENGTH = UINT64_C(1) << 30;

/* The one operand, or -n. */
static int read_length(const struct options *options, uint64_t *ret_n)
{
	const char *operand = options->n_operands == 1 ? options->operands[0] : NULL;
	uint64_t n = 0;

	if (options->n_operands > 1 || (operand && !parse_u64(operand, &n)) || n > MAX_LENGTH || n < 1)
		return complain(EXIT_USAGE, "N: %s, allowed one length, 1 to %" PRIu64,
				options->n_operands == 0 ? "not given" : options->operands[0], MAX_LENGTH);
	*ret_n = n;
	return EXIT_OK;
}

static int write_frequencies(const struct options *options, uint64_t n, double spacing)
{
	const bool real = options_get(options, "real");
	const uint64_t bins = real ? n / 2 + 1 : n;
	double *frequencies = malloc(bins * sizeof *frequencies);
	struct output output = {0};
	int code;

	if (!frequencies)
		return complain(EXIT_TRY_AGAIN, "no memory for %" PRIu64 " frequencies", bins);
	trnsci_fftfreq(n, spacing, real, frequencies);
	code = output_open(options, &output);
	if (code == EXIT_OK) {
		code = output_begin(&output, TRNSCI_F64, 1, &bins);
		if (code == EXIT_OK)
			code = output_write(&output, frequencies, (size_t)bins);
		code = output_close(&output, code);
	}
	free(frequencies);
	return code;
}

int command_fftfreq(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {
		OUTPUT_ROWS,
		SOUND_ROWS,
		{"spacing", 'd', "D", "between samples, such as 1 / rate [1]"},
		{"real", 0, NULL, "of half a spectrum: n/2 + 1 of them"},
	};
	static const struct option_set set = {
		"fftfreq N [option ...]", "Print the frequencies of a transform's bins.", rows, sizeof rows / sizeof *rows, NULL, NULL,
		"fftfreq 1024 --spacing 0.01 -f text"};
	struct options options;
	double spacing = 1;
	uint64_t n = 0;
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options_get(&options, "spacing")) {
		char *end;
		const char *text = options_get(&options, "spacing");

		spacing = strtod(text, &end);
		if (end == text || *end || !isfinite(spacing) || spacing == 0)
			return complain(EXIT_USAGE, "--spacing: '%s', allowed any number but 0", text);
	}
	code = read_length(&options, &n);
	return code == EXIT_OK ? write_frequencies(&options, n, spacing) : code;
}

int command_next_fast_len(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {{"real", 0, NULL, "of real transforms"}};
	static const struct option_set set = {
		"next-fast-len N [option ...]",
		"Print the least fast length that is at least N: a product of 2, 3, 5, 7, 11 and 13, even for real transforms.",
		rows,
		sizeof rows / sizeof *rows,
		NULL,
		NULL,
		"next-fast-len 1009"};
	struct options options;
	uint64_t n = 0;
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	code = read_length(&options, &n);
	if (code != EXIT_OK)
		return code;
	const uint64_t length = trnsci_next_fast_length(n, options_get(&options, "real"));

	printf(cli->json ? "{\"length\": %" PRIu64 "}\n" : "%" PRIu64 "\n", length);
	return EXIT_OK;
}

/* ---- fftshift ---- */

int command_fftshift(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {
		OUTPUT_ROWS,
		SOUND_ROWS,
		{"dtype", 0, "DTYPE", "of raw input, one row: f32, f64, c64, c128"},
	};
	static const struct option_set set = {"fftshift INPUT [option ...]",
					      "Move frequency 0 to the middle of each axis, or back.",
					      rows,
					      sizeof rows / sizeof *rows,
					      "fftshift",
					      " in out u64 timeout_ms ",
					      "fftshift spectrum.npy -o centred.npy"};
	struct options options;
	struct computation computation = {.options = &options, .n_inputs = 1, .names = {"in"}};
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands != 1)
		return complain(EXIT_USAGE, "fftshift: %d inputs, allowed one: a file or -", options.n_operands);
	computation.files[0] = options.operands[0];
	return compute(cli, &computation);
}
