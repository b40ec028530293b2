/* SPDX-License-Identifier: Apache-2.0 */
/* stream: named streams. Only a daemon has them, so that none of these commands computes here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "options/distributions.h"
#include "options/options.h"
#include "rand.h"

/* ---- what is told ---- */

static void print_line(const struct trnsci_stream_info *info)
{
	printf("%s generator=%s seed=%" PRIu64 " stream=%" PRIu64, info->name, info->generator, info->seed, info->stream);
	if (info->ended)
		printf(" position=end\n");
	else
		printf(" position=%" PRIu64 "\n", info->position);
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
	char when[32] = "";

	if (gmtime_r(&created, &utc))
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
	printf("name          %s\ngenerator     %s\n", info->name, info->generator);
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
	return code == EXIT_OK ? connect_daemon(cli, 0, ret_session) : code;
}

static int create(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {"stream create NAME [option ...]",
					      "Create a named stream, whose positions are never issued twice.",
					      NULL,
					      0,
					      "stream_create",
					      " name u64 timeout_ms "};
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
		print_line(&info);
	trnsci_close(session);
	return code;
}

static int show(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {
		"stream show NAME", "Tell where a named stream stands, and what crashes have skipped, in words.", NULL, 0,
		NULL,		    NULL};
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
	else
		print_all(&info);
	trnsci_close(session);
	return code;
}

static int delete(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {
		"stream delete NAME", "Forget a named stream; its numbers are not given to another.", NULL, 0, NULL, NULL};
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
					      " name u64 timeout_ms "};
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
			print_line(&info);
	}
	trnsci_close(session);
	return code;
}

static int list_one(void *arg, const struct trnsci_stream_info *info)
{
	(void)arg;
	print_line(info);
	return 0;
}

static int list(struct cli *cli, int argc, char **argv)
{
	static const struct option_set set = {
		"stream list", "List the named streams that you may see, one a line.", NULL, 0, NULL, NULL};
	struct trnsci_session *session = NULL;
	struct trnsci_error err = {0};
	struct options options;
	int code = options_parse(&set, cli, argc, argv, &options);

	if (code != EXIT_OK || options.helped)
		return code;
	if (options.n_operands > 0)
		return complain(EXIT_USAGE, "stream list: '%s': one word too many", options.operands[0]);
	code = connect_daemon(cli, 0, &session);
	if (code == EXIT_OK && trnsci_stream_list(session, list_one, NULL, &err) < 0)
		code = complain_error(&err, EXIT_USAGE);
	trnsci_close(session);
	return code;
}

/* Where it draws is the stream's to say. */
static int draw(struct cli *cli, int argc, char **argv)
{
	static const struct option_row rows[] = {RAND_ROWS};
	struct trnsci_operation_info distribution = {0};
	char usage[128], distributions[512], hidden[160];
	const bool helps = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);

	distributions_list(distributions, sizeof distributions, ", ");
	if (helps)
		return printf("usage: trnsci-cli stream draw NAME DIST -n COUNT [option ...]\n\n"
			      "Draw from the position of a named stream. With -v the range is printed on stderr, for rand to "
			      "repeat.\n"
			      "DIST is one of %s.\n\ntrnsci-cli stream draw NAME DIST --help lists its parameters.\n",
			      distributions) < 0;
	if (argc < 3 || argv[1][0] == '-')
		return complain(EXIT_USAGE, "stream draw: NAME DIST -n COUNT are needed");
	if (!distribution_find(argv[2], &distribution))
		return complain(EXIT_USAGE, "stream draw: '%s': unknown distribution, allowed are %s", argv[2],
				distributions);
	snprintf(usage, sizeof usage, "stream draw NAME %s -n COUNT [option ...]", distribution.name);
	snprintf(hidden, sizeof hidden,
		 " n %s out u64 seed stream offset position rank size generator key_layout timeout_ms ",
		 rand_has_shape(distribution.name) ? "dims" : "shape");
	const struct option_set set = {usage, distribution.help, rows, sizeof rows / sizeof *rows, distribution.name,
				       hidden};

	return rand_run_distribution(cli, &set, argv[1], argc - 2, argv + 2);
}

static const struct command commands[] = {
	{"create", "a new stream: stream create NAME", create},
	{"draw", "numbers from it: stream draw NAME DIST -n COUNT", draw},
	{"show", "where it stands: stream show NAME", show},
	{"list", "all streams that you may see", list},
	{"advance", "skip numbers, after a restored snapshot: stream advance NAME --by WORDS", advance},
	{"delete", "forget it: stream delete NAME", delete},
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(void)
{
	printf("usage: trnsci-cli stream COMMAND ...\n\nNamed streams of a daemon, whose numbers are never given twice.\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].help);
	printf("\ntrnsci-cli stream COMMAND --help lists a command's options.\n");
}

int command_stream(struct cli *cli, int argc, char **argv)
{
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		print_usage();
		return EXIT_OK;
	}
	for (size_t i = 0; argc > 1 && i < N_COMMANDS; i++)
		if (strcmp(commands[i].name, argv[1]) == 0)
			return commands[i].run(cli, argc - 1, argv + 1);
	return complain(EXIT_USAGE, "stream: '%s': no such command, allowed create, draw, show, list, advance, delete",
			argc > 1 ? argv[1] : "");
}
