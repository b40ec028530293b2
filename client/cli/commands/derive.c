/* SPDX-License-Identifier: Apache-2.0 */
/* derive: streams from a stream, printed one a line as seed=S stream=ID. Needs no engine. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "options/options.h"

/* The library refuses generators that it does not know, and stream ids beyond those of the generator. */
static int complain_stream(const struct trnsci_source *stream)
{
	const char *name = stream->generator ? stream->generator : "threefry4x32";
	struct trnsci_generator_info info;
	char names[256] = "";

	for (size_t i = 0; trnsci_generator_at(i, &info) == 0; i++) {
		if (strcmp(info.name, name) == 0)
			return complain(EXIT_USAGE, "derive: %s has no stream %" PRIu64 ", allowed are 0 to %" PRIu64, name,
					stream->stream, info.most_stream);
		snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", info.name);
	}
	return complain(EXIT_USAGE, "derive: generator: got %s, allowed are %s", name, names);
}

/* One line for each, also of JSON. */
static void print_stream(const struct cli *cli, const struct trnsci_source *stream)
{
	printf(cli->json ? "{\"seed\": %" PRIu64 ", \"stream\": %" PRIu64 "}\n" : "seed=%" PRIu64 " stream=%" PRIu64 "\n", stream->seed,
	       stream->stream);
}

static int derive(struct cli *cli, const struct options *options)
{
	const char *label = options_get(options, "label"), *number = options_get(options, "fold_in");
	struct trnsci_source stream = {.generator = options_get(options, "generator")};
	uint64_t fold_in = 0, split = 0;
	int code;

	if ((code = options_u64(options, "seed", &stream.seed)) != EXIT_OK ||
	    (code = options_u64(options, "stream", &stream.stream)) != EXIT_OK ||
	    (code = options_u64(options, "fold_in", &fold_in)) != EXIT_OK ||
	    (code = options_u64(options, "split", &split)) != EXIT_OK)
		return code;
	if (options_get(options, "split") && split == 0)
		return complain(EXIT_USAGE, "--split: 0 streams, allowed 1 to 2^64-1");
	if (!label && !number && !options_get(options, "split"))
		return complain(EXIT_USAGE, "derive: nothing to derive by, allowed --label, --fold-in, --split");
	if ((label && trnsci_source_label(&stream, label, strlen(label), &stream) < 0) ||
	    (number && trnsci_source_fold_in(&stream, fold_in, &stream) < 0))
		return complain_stream(&stream);
	if (!options_get(options, "split"))
		print_stream(cli, &stream);
	for (uint64_t i = 0; i < split; i++) {
		struct trnsci_source child;

		if (trnsci_source_split(&stream, i, &child) < 0)
			return complain_stream(&stream);
		print_stream(cli, &child);
	}
	return EXIT_OK;
}

const struct command command_derive = {
	.reports = true, .name = "derive", .summary = "new streams from old: derive --seed 1 --label weights",
	.usage = "[--seed S] [--stream ID] --label TEXT | --fold-in N | --split COUNT",
	.help = "Derive streams from a stream; each is printed as seed=S stream=ID.",
	.example = "derive --seed 1 --label weights", .operation = "derive", .run = derive,
};
