/* SPDX-License-Identifier: Apache-2.0 */
/* ring: random numbers from a noise ring, written out from where the engine put them. Without a count, for as long as
 * somebody reads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "figures.h"
#include "options/options.h"
#include "files/output.h"
#include "printable.h"
#include "progress.h"

enum { DEFAULT_SAMPLES = 1 << 19 }; /* of the ring, 2 MiB of f32 */

/* What was asked for. Texts are argv's. */
struct ringing {
	const struct cli *cli;
	const struct options *options;
	const char *distribution;
	struct trnsci_source source;
	struct trnsci_param params[OPTIONS_MAX + 1]; /* ended by trnsci_param_end */
	double list[OPTIONS_NUMBERS]; /* the numbers of parameters */
	uint64_t count, samples; /* to write; of the ring */
	bool endless;            /* without a count */
};

static int read_options(struct ringing *ringing)
{
	static const char *const of_streams[] = {"seed", "stream", "position", "offset", "generator", "layout"};
	const struct options *options = ringing->options;
	struct trnsci_source *source = &ringing->source;
	int code;

	source->name = options_get(options, "name");
	for (size_t i = 0; source->name && i < sizeof of_streams / sizeof *of_streams; i++)
		if (options_get(options, of_streams[i]))
			return complain(EXIT_USAGE, "ring: --%s: not with --name, the stream has its own", of_streams[i]);
	source->generator = options_get(options, "generator");
	ringing->endless = !options_get(options, "count");
	if ((code = options_u64(options, "count", &ringing->count)) != EXIT_OK ||
	    (code = options_u64(options, "samples", &ringing->samples)) != EXIT_OK ||
	    (code = options_u64(options, "seed", &source->seed)) != EXIT_OK ||
	    (code = options_u64(options, "stream", &source->stream)) != EXIT_OK ||
	    (code = options_u64(options, "position", &source->position)) != EXIT_OK ||
	    (code = options_u64(options, "offset", &source->offset)) != EXIT_OK)
		return code;
	return options_list_parameters(options, NULL, " generator seed stream position offset ", ringing->params, ringing->list);
}

/* Where samples of a named stream lie, so that rand can repeat them. */
static void print_place(const struct ringing *ringing, const struct trnsci_reader_info *info, uint64_t offset, uint64_t n)
{
	const bool is_signal = strcmp(ringing->distribution, "colored") == 0;
	const uint64_t words = is_signal ? 1 : info->components * (trnsci_dtype_size(info->dtype) == 8 ? 2 : 1);
	char room[PRINTABLE_ROOM];

	if (ringing->cli->verbose)
		print_range(ringing->source.name, printable_string(info->generator, room), info->seed, info->stream,
			    is_signal ? "offset" : "position", offset * words, n);
}

/* A daemon that was stopped takes along what it had reserved of a named stream. */
static void report_skipped(const struct ringing *ringing, struct trnsci_reader *ring, uint64_t *skipped)
{
	struct trnsci_reader_info info;

	trnsci_reader_describe(ring, &info);
	if (info.skipped != *skipped)
		fprintf(stderr, "trnsci-cli: ring: the daemon was lost; %" PRIu64 " samples of %s that it had reserved are skipped\n",
			info.skipped - *skipped, ringing->source.name);
	*skipped = info.skipped;
}

/* Writes from the ring's own memory, a quarter of it at a time: the engine refills one part while another is written. */
static int write_samples(const struct ringing *ringing, struct trnsci_reader *ring, const struct trnsci_reader_info *info,
			 struct output *output, struct progress *progress)
{
	const uint64_t most = info->capacity / 4;
	struct trnsci_error err;
	uint64_t skipped = 0;
	int code = EXIT_OK;

	for (uint64_t at = 0; code == EXIT_OK && (ringing->endless || at < ringing->count);) {
		const uint64_t left = ringing->endless ? most : ringing->count - at, n = left < most ? left : most;
		struct trnsci_reader_span span;
		const void *samples;

		if (trnsci_reader_borrow(ring, n, -1, &samples, &span, &err) < 0)
			return complain_error(&err, EXIT_USAGE);
		report_skipped(ringing, ring, &skipped);
		/* A quarter of a ring begins on a multiple of a quarter, and so lies in one range. */
		if (ringing->source.name)
			print_place(ringing, info, span.offset, n);
		code = output_write(output, samples, (size_t)(n * info->components));
		trnsci_reader_release(ring, n, NULL);
		at += n;
		progress_at(progress, at);
	}
	return code;
}

/* Formats that state the number of samples first cannot go on for ever. */
static int write_out(const struct ringing *ringing, struct trnsci_reader *ring, const struct cli *cli)
{
	struct trnsci_reader_info info;
	struct progress progress;
	struct output output;
	int code = output_open(ringing->options, &output);

	if (code != EXIT_OK)
		return code;
	trnsci_reader_describe(ring, &info);
	if (ringing->endless && output_needs_count(&output))
		code = complain(EXIT_USAGE, "ring: -n COUNT is missing, which npy, wav and flac need");
	else
		code = output_begin(&output, info.dtype, info.components > 1 ? 2 : 1,
				    (uint64_t[]){ringing->count, info.components});
	progress_begin(&progress, cli, ringing->count, "samples");
	if (code == EXIT_OK)
		code = write_samples(ringing, ring, &info, &output, &progress);
	progress_end(&progress);
	return output_close(&output, code);
}

static int run(struct cli *cli, const struct options *options)
{
	struct ringing ringing = {.cli = cli, .options = options, .distribution = options->command->operation, .samples = DEFAULT_SAMPLES};
	struct trnsci_reader *ring;
	struct trnsci_error err;
	int code = read_options(&ringing);

	cli->outlasts = true;
	if (code == EXIT_OK)
		code = ringing.source.name ? connect_daemon(cli) : connect_session(cli);
	if (code == EXIT_OK && trnsci_ring_attach(cli->session, ringing.distribution, ringing.params, &ringing.source,
						  ringing.samples, &ring, &err) < 0)
		code = complain_error(&err, EXIT_USAGE);
	else if (code == EXIT_OK) {
		code = write_out(&ringing, ring, cli);
		trnsci_reader_detach(ring);
	}
	return code;
}

static const struct option_row rows[] = {
	{"count", 'n', "COUNT", "samples [as many as are read]"},
	{"name", 0, "NAME", "a named stream to take the samples from; -v prints where they lie"},
	{"samples", 0, "SAMPLES", "samples that the ring holds [524288]"},
	OUTPUT_ROWS,
	SOUND_ROWS,
};

const struct command command_ring = {
	.name = "ring", .summary = "random numbers from a ring that is kept full: ring normal -n 1000 --seed 1",
	.usage = "DIST [-n COUNT] [option ...]", .help = "Draw random numbers from a ring that the engine keeps full.",
	.example = "ring normal -n 1000 --seed 1 -f text", ROWS(rows), .hidden = "rank size", .word = "DIST",
	.kind = "distribution", .category = "draw", .run = run,
};
