/* SPDX-License-Identifier: Apache-2.0 */
/* stream: named streams. Only a daemon has them, so that none of these commands computes here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "options/options.h"
#include "printable.h"
#include "rand.h"
#include "report.h"

/* ---- what is printed ---- */

/* A position at the end of its stream is null: it is 2^64, beyond u64. */
static struct json_object *report_stream(const struct trnsci_stream_info *info)
{
	struct json_object *report = json_object_new_object();

	report_add_text(report, "name", info->name);
	report_add_text(report, "generator", info->generator);
	report_add_u64(report, "seed", info->seed);
	report_add_u64(report, "stream", info->stream);
	json_object_object_add(report, "position", info->ended ? NULL : json_object_new_uint64(info->position));
	report_add_u64(report, "reserved", info->reserved);
	report_add_u64(report, "skips", info->skips);
	report_add_u64(report, "skipped", info->skipped);
	report_add_u64(report, "uid", info->uid);
	report_add_u64(report, "gid", info->gid);
	report_add_u64(report, "mode", info->mode);
	report_add_u64(report, "created_s", info->created_s);
	if (*info->noise)
		report_add_text(report, "noise", info->noise);
	return report;
}

static int print_line(const struct cli *cli, const struct trnsci_stream_info *info)
{
	if (cli->json)
		return report_print(report_stream(info));
	char name[PRINTABLE_ROOM], generator[PRINTABLE_ROOM];

	printf("%s generator=%s seed=%" PRIu64 " stream=%" PRIu64, printable_string(info->name, name),
	       printable_string(info->generator, generator), info->seed, info->stream);
	if (info->ended)
		printf(" position=end");
	else
		printf(" position=%" PRIu64, info->position);
	printf(*info->noise ? " signal=\"%s\"\n" : "\n", printable_string(info->noise, name));
	return EXIT_OK;
}

static void print_position(const char *name, uint64_t position, bool end)
{
	if (end)
		printf("%-13s end\n", name);
	else
		printf("%-13s %" PRIu64 "\n", name, position);
}

static void print_all(const struct trnsci_stream_info *info)
{
	const time_t created = (time_t)info->created_s;
	struct tm utc = {0};
	char when[32] = "", name[PRINTABLE_ROOM], generator[PRINTABLE_ROOM];

	if (gmtime_r(&created, &utc))
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
	printf("name          %s\ngenerator     %s\n", printable_string(info->name, name),
	       printable_string(info->generator, generator));
	print_position("seed", info->seed, false);
	print_position("stream", info->stream, false);
	if (*info->noise)
		printf("signal        %s; positions count samples\n", printable_string(info->noise, name));
	print_position("position", info->position, info->ended);
	print_position("reserved", info->reserved, false);
	print_position("skips", info->skips, false);
	print_position("skipped", info->skipped, false);
	if (info->skips) {
		print_position("skipped-from", info->skipped_from, false);
		print_position("skipped-until", info->skipped_until, info->skipped_until == UINT64_MAX);
	}
	printf("uid           %" PRIu32 "\ngid           %" PRIu32 "\nmode          %04o\ncreated       %s\n", info->uid,
	       info->gid, info->mode, when);
}

/* ---- the commands ---- */

/* Reports what became of a call that gives the stream as it is: an error, or its line. */
static int report(const struct cli *cli, int r, const struct trnsci_error *err, const struct trnsci_stream_info *info)
{
	return r < 0 ? complain_error(err, EXIT_USAGE) : print_line(cli, info);
}

/* Reads the noise that the stream is to be one signal of. n: how many parameters it has; the first is the color. */
static int read_noise(const struct options *options, struct trnsci_param noise[OPTIONS_MAX + 2], double *numbers, size_t *ret_n)
{
	const char *color = options_get(options, "noise");
	const int code = options_list_parameters(options, "colored", " seed stream generator ", noise + (color != NULL), numbers);

	if (color)
		noise[0] = trnsci_param_text("color", color);
	for (*ret_n = 0; code == EXIT_OK && noise[*ret_n].name; ++*ret_n)
		;
	return code;
}

static int create(struct cli *cli, const struct options *options)
{
	struct trnsci_param noise[OPTIONS_MAX + 2];
	double numbers[OPTIONS_NUMBERS];
	size_t n_noise = 0;
	struct trnsci_stream_options wanted = {.generator = options_get(options, "generator"),
					       .mode = options_get(options, "mode"),
					       .has_stream = options_get(options, "stream"),
					       .has_group = options_get(options, "group"),
					       .has_seed = options_get(options, "seed")};
	struct trnsci_stream_info info;
	struct trnsci_error err = {0};
	uint64_t group = 0;
	int code;

	if ((code = options_u64(options, "seed", &wanted.seed)) != EXIT_OK ||
	    (code = options_u64(options, "stream", &wanted.stream)) != EXIT_OK ||
	    (code = options_u64(options, "group", &group)) != EXIT_OK ||
	    (code = read_noise(options, noise, numbers, &n_noise)) != EXIT_OK)
		return code;
	if (group > UINT32_MAX)
		return complain(EXIT_USAGE, "--group: %" PRIu64 ", allowed 0 to 2^32-1", group);
	wanted.group = (uint32_t)group;
	wanted.noise = n_noise ? noise : NULL;
	return report(cli, trnsci_stream_create(cli->session, options->operands[0], &wanted, &info, &err), &err, &info);
}

static int show(struct cli *cli, const struct options *options)
{
	struct trnsci_stream_info info;
	struct trnsci_error err = {0};

	if (trnsci_stream_show(cli->session, options->operands[0], &info, &err) < 0)
		return complain_error(&err, EXIT_USAGE);
	if (cli->json)
		return report_print(report_stream(&info));
	print_all(&info);
	return EXIT_OK;
}

static int delete(struct cli *cli, const struct options *options)
{
	struct trnsci_error err = {0};

	return trnsci_stream_delete(cli->session, options->operands[0], NULL, &err) < 0 ? complain_error(&err, EXIT_USAGE) : EXIT_OK;
}

static int advance(struct cli *cli, const struct options *options)
{
	const bool to = options_get(options, "to"), by = options_get(options, "by");
	struct trnsci_stream_info info;
	struct trnsci_error err = {0};
	uint64_t words = 0;
	const int code = to == by ? complain(EXIT_USAGE, "stream advance: one of --by and --to is needed")
				  : options_u64(options, to ? "to" : "by", &words);

	if (code != EXIT_OK)
		return code;
	return report(cli, trnsci_stream_advance(cli->session, options->operands[0], to ? 0 : words, to ? words : 0, &info, &err),
		      &err, &info);
}

/* With --json the list is printed at the end. */
struct listing {
	const struct cli *cli;
	struct json_object *report; /* NULL: a line for each */
};

static int list_one(void *arg, const struct trnsci_stream_info *info)
{
	const struct listing *listing = arg;

	if (listing->report)
		return json_object_array_add(listing->report, report_stream(info));
	print_line(listing->cli, info);
	return 0;
}

static int list(struct cli *cli, const struct options *options)
{
	struct listing listing = {cli, cli->json ? json_object_new_array() : NULL};
	struct trnsci_error err = {0};
	int code = EXIT_OK;

	(void)options;
	if (trnsci_stream_list(cli->session, list_one, &listing, &err) < 0)
		code = complain_error(&err, EXIT_USAGE);
	if (code == EXIT_OK && listing.report)
		code = report_print(json_object_get(listing.report));
	json_object_put(listing.report);
	return code;
}

#define ONE_NAME .n_operands = 1, .operands = "names", .allowed = "is one", .needs = NEEDS_DAEMON

static const struct option_row create_rows[] = {
	{"noise", 0, "COLOR", "one signal of coloured noise: white|pink|brown|blue|violet, or by one of the next three"},
	{"exponent", 0, "A", "of such a signal: its density falls as 1/f^A, -4 to 4"},
	{"psd", 0, "F,P,...", "of such a signal: frequencies and one-sided densities"},
	{"taps", 0, "H,...", "of such a signal: its filter"},
	{"dtype", 0, "DTYPE", "of such a signal: f32|f64 [f32]"},
	{"fs", 0, "HZ", "of such a signal: samples in a second [1]"},
	{"flat_below", 0, "F", "of such a signal: as of rand colored"},
	{"band", 0, "F,F", "of such a signal: as of rand colored"},
	{"length", 0, "N", "of such a signal: as of rand colored"},
	{"std", 0, "S", "of such a signal: as of rand colored"},
	{"density", 0, "P", "of such a signal: as of rand colored"},
};

static const struct command command_create = {
	.reports = true,
	.name = "stream create",
	.summary = "create a stream: stream create NAME",
	.usage = "NAME [option ...]",
	.help = "Create a named stream, whose positions are never issued twice. With --noise it is one signal, of which each draw "
		"is the next part.",
	.example = "stream create noise --seed 7",
	.operation = "stream_create",
	.hidden = " name noise ",
	ROWS(create_rows),
	ONE_NAME,
	.run = create,
};

static const struct option_row draw_rows[] = {RAND_ROWS};

/* The stream says where it draws. */
static const struct command command_draw = {
	.names_stream = true, .name = "stream draw", .summary = "draw numbers from it: stream draw NAME DIST -n COUNT",
	.usage = "NAME DIST -n COUNT [option ...]",
	.help = "Draw from the position of a named stream. With -v the range is printed on stderr, for rand to repeat.",
	.example = "stream draw noise normal -n 5", ROWS(draw_rows),
	.hidden = "seed stream offset position rank size generator layout device blocks call_n", .takes_arrays = true, .word = "DIST",
	.kind = "distribution", .category = "draw", .run = rand_run,
};

static const struct command command_show = {
	.reports = true, .names_stream = true, .name = "stream show", .summary = "show its position and owner: stream show NAME", .usage = "NAME",
	.help = "Show the position of a named stream, and how many words crashes have skipped.",
	.example = "stream show noise", ONE_NAME, .run = show,
};

static const struct command command_list = {
	.reports = true, .name = "stream list", .summary = "list the streams that you may see", .usage = "",
	.help = "List the named streams that you may see, one a line.", .example = "stream list --json",
	.needs = NEEDS_DAEMON, .run = list,
};

static const struct command command_advance = {
	.reports = true, .names_stream = true, .name = "stream advance", .summary = "skip numbers, after a restored snapshot: stream advance NAME --by WORDS",
	.usage = "NAME --by WORDS | --to POSITION",
	.help = "Move a named stream on, after a restored snapshot of the machine.",
	.example = "stream advance noise --by 1e6", .operation = "stream_advance", .hidden = " name ", ONE_NAME,
	.run = advance,
};

static const struct command command_delete = {
	.names_stream = true, .name = "stream delete", .summary = "delete it: stream delete NAME", .usage = "NAME",
	.help = "Delete a named stream; its numbers are not given to another.", .example = "stream delete noise",
	ONE_NAME, .run = delete,
};

const struct command command_stream = {
	.name = "stream", .summary = "named streams of a daemon: stream create NAME, stream draw NAME normal -n 5",
	.usage = "COMMAND ...", .help = "Manage the named streams of a daemon, which issues each of their numbers once.",
	.word = "COMMAND",
	.inner = (const struct command *const[]){&command_create, &command_draw, &command_show, &command_list, &command_advance, &command_delete, NULL},
};
