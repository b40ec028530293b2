/* SPDX-License-Identifier: Apache-2.0 */
/* stream: named streams. Only a daemon has them, so that none of these commands computes here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "options/distributions.h"
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
		printf(" position=end\n");
	else
		printf(" position=%" PRIu64 "\n", info->position);
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

/* One operand, the name. */
static int read_name(const struct options *options, const char *command, const char **ret_name)
{
	if (options->n_operands != 1)
		return complain(EXIT_USAGE, "stream %s: %d names, allowed is one", command, options->n_operands);
	*ret_name = options->operands[0];
	return EXIT_OK;
}

/* Parses, connects, runs method with the name and the given parameters. EXIT_OK with helped: nothing was done. */
static int call_method(struct cli *cli, const struct option_set *set, const char *method, int argc, char **argv,
		       struct trnsci_session **ret_session, struct options *options, const char **ret_name)
{
	int code = options_parse(set, cli, argc, argv, options);

	if (code != EXIT_OK || options->helped)
		return code;
	code = read_name(options, method, ret_name);
	return code == EXIT_OK ? connect_daemon(cli, ret_session) : code;
}

static int create(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {"stream create NAME [option ...]",
					      "Create a named stream, whose positions are never issued twice.",
					      NULL,
					      0,
					      "stream_create",
					      " name u64 timeout_ms ",
					      "stream create noise --seed 7"};
	struct trnsci_stream_options wanted = {0};
	struct trnsci_session *session = NULL;
	struct trnsci_stream_info info;
	struct trnsci_error err = {0};
	struct options options;
	const char *name = NULL;
	uint64_t group = 0;
	int code = call_method(cli, &set, "create", argc, argv, &session, &options, &name);

	if (code != EXIT_OK || options.helped)
		return code;
	wanted.generator = options_get(&options, "generator");
	wanted.mode = options_get(&options, "mode");
	wanted.has_stream = options_get(&options, "stream");
	wanted.has_group = options_get(&options, "group");
	wanted.has_seed = options_get(&options, "seed");
	if ((code = options_u64(&options, "seed", &wanted.seed)) == EXIT_OK &&
	    (code = options_u64(&options, "stream", &wanted.stream)) == EXIT_OK &&
	    (code = options_u64(&options, "group", &group)) == EXIT_OK && group > UINT32_MAX)
		code = complain(EXIT_USAGE, "--group: %" PRIu64 ", allowed 0 to 2^32-1", group);
	wanted.group = (uint32_t)group;
	if (code == EXIT_OK && trnsci_stream_create(session, name, &wanted, &info, &err) < 0)
		code = complain_error(&err, EXIT_USAGE);
	else if (code == EXIT_OK)
		code = print_line(cli, &info);
	trnsci_close(session);
	return code;
}

static int show(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {
		"stream show NAME", "Show the position of a named stream, and how many words crashes have skipped.", NULL, 0,
		NULL, NULL, "stream show noise"};
	struct trnsci_session *session = NULL;
	struct trnsci_stream_info info;
	struct trnsci_error err = {0};
	struct options options;
	const char *name = NULL;
	int code = call_method(cli, &set, "show", argc, argv, &session, &options, &name);

	if (code != EXIT_OK || options.helped)
		return code;
	if (trnsci_stream_show(session, name, &info, &err) < 0)
		code = complain_error(&err, EXIT_USAGE);
	else if (cli->json)
		code = report_print(report_stream(&info));
	else
		print_all(&info);
	trnsci_close(session);
	return code;
}

static int delete(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {
		"stream delete NAME", "Delete a named stream; its numbers are not given to another.", NULL, 0, NULL, NULL,
		"stream delete noise"};
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	struct options options;
	const char *name = NULL;
	int code = call_method(cli, &set, "delete", argc, argv, &session, &options, &name);

	if (code != EXIT_OK || options.helped)
		return code;
	if (trnsci_stream_delete(session, name, NULL, &err) < 0)
		code = complain_error(&err, EXIT_USAGE);
	trnsci_close(session);
	return code;
}

static int advance(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {"stream advance NAME --by WORDS | --to POSITION",
					      "Move a named stream on, after a restored snapshot of the machine.",
					      NULL,
					      0,
					      "stream_advance",
					      " name u64 timeout_ms ",
					      "stream advance noise --by 1e6"};
	struct trnsci_session *session = NULL;
	struct trnsci_stream_info info;
	struct trnsci_error err = {0};
	struct options options;
	const char *name = NULL;
	uint64_t words = 0;
	int r, code = call_method(cli, &set, "advance", argc, argv, &session, &options, &name);

	if (code != EXIT_OK || options.helped)
		return code;
	const bool to = options_get(&options, "to"), by = options_get(&options, "by");

	if (to == by)
		code = complain(EXIT_USAGE, "stream advance: one of --by and --to is needed");
	else
		code = options_u64(&options, to ? "to" : "by", &words);
	if (code == EXIT_OK) {
		r = trnsci_stream_advance(session, name, to ? 0 : words, to ? words : 0, &info, &err);
		if (r < 0)
			code = complain_error(&err, EXIT_USAGE);
		else
			code = print_line(cli, &info);
	}
	trnsci_close(session);
	return code;
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

static int list(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {
		"stream list", "List the named streams that you may see, one a line.", NULL, 0, NULL, NULL,
		"stream list --json"};
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	struct options options;
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands > 0)
		return complain(EXIT_USAGE, "stream list: '%s': unexpected argument", options.operands[0]);
	struct listing listing = {cli, cli->json ? json_object_new_array() : NULL};

	code = connect_daemon(cli, &session);
	if (code == EXIT_OK && trnsci_stream_list(session, list_one, &listing, &err) < 0)
		code = complain_error(&err, EXIT_USAGE);
	if (code == EXIT_OK && listing.report)
		code = report_print(json_object_get(listing.report));
	json_object_put(listing.report);
	trnsci_close(session);
	return code;
}

/* The stream says where it draws. */
static int draw(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {RAND_ROWS};
	static const struct draw_command command = {
		"stream draw", "NAME ", "-n COUNT [option ...]",
		"Draw from the position of a named stream. With -v the range is printed on stderr, for rand to repeat.",
		"stream draw noise normal -n 5",
		"seed stream offset position rank size generator key_layout",
		rows, sizeof rows / sizeof *rows,
	};
	struct draw_options drawing;
	int code = draw_options_find(&command, argc, argv, &drawing);

	if (code != EXIT_OK || !drawing.set.operation)
		return code;
	return rand_run_distribution(cli, &drawing.set, argv[1], argc - drawing.n_before, argv + drawing.n_before);
}

static const struct command commands[] = {
	{"create", "create a stream: stream create NAME", create},
	{"draw", "draw numbers from it: stream draw NAME DIST -n COUNT", draw},
	{"show", "show its position and owner: stream show NAME", show},
	{"list", "list the streams that you may see", list},
	{"advance", "skip numbers, after a restored snapshot: stream advance NAME --by WORDS", advance},
	{"delete", "delete it: stream delete NAME", delete},
};

int command_stream(struct cli *cli, int argc, char **argv)
{
	return commands_run("stream", "Manage the named streams of a daemon, which issues each of their numbers once.", commands,
			    sizeof commands / sizeof *commands, cli, argc, argv);
}
