/* SPDX-License-Identifier: Apache-2.0 */
/* fftfreq and next-fast-len: what stands around transforms. Needs no engine. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
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
	double *frequencies = allocate(bins, sizeof *frequencies);
	struct output output = {0};
	int code;

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

static int print_frequencies(struct cli *cli, const struct options *options)
{
	const char *text = options_get(options, "spacing");
	double spacing = 1;
	uint64_t n = 0;
	int code;

	(void)cli;
	if (text && (!parse_f64(text, &spacing) || !isfinite(spacing) || spacing == 0))
		return complain(EXIT_USAGE, "--spacing: '%s', allowed any number but 0", text);
	code = read_length(options, &n);
	return code == EXIT_OK ? write_frequencies(options, n, spacing) : code;
}

static const struct option_row frequency_rows[] = {
	OUTPUT_ROWS,
	SOUND_ROWS,
	{"spacing", 'd', "D", "between samples, such as 1 / rate [1]"},
	{"real", 0, NULL, "of half a spectrum: n/2 + 1 of them"},
};

const struct command command_fftfreq = {
	.name = "fftfreq", .summary = "frequencies of a transform's bins: fftfreq 1024 -d 0.01",
	.usage = "N [option ...]", .help = "Print the frequencies of a transform's bins.",
	.example = "fftfreq 1024 --spacing 0.01 -f text", ROWS(frequency_rows), .n_operands = ANY_OPERANDS,
	.run = print_frequencies,
};

static int print_fast_length(struct cli *cli, const struct options *options)
{
	uint64_t n = 0;
	const int code = read_length(options, &n);

	if (code != EXIT_OK)
		return code;
	const uint64_t length = trnsci_next_fast_length(n, options_get(options, "real"));

	printf(cli->json ? "{\"length\": %" PRIu64 "}\n" : "%" PRIu64 "\n", length);
	return EXIT_OK;
}

static const struct option_row length_rows[] = {{"real", 0, NULL, "of real transforms"}};

const struct command command_next_fast_len = {
	.reports = true, .name = "next-fast-len", .summary = "the next length that is fast: next-fast-len 1009", .usage = "N [option ...]",
	.help = "Print the least fast length that is at least N: a product of 2, 3, 5, 7, 11 and 13, even for real transforms.",
	.example = "next-fast-len 1009", ROWS(length_rows), .n_operands = ANY_OPERANDS, .run = print_fast_length,
};
