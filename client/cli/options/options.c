/* SPDX-License-Identifier: Apache-2.0 */
/* Options: one list for getopt_long, made of three. */
#include "options/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/suggest.h"
#include "help.h"
#include "rows.h"

/* ---- the list ---- */

#define NO "no-" /* before a yes or no, instead of =false behind it */

struct list {
	struct option rows[OPTIONS_MAX + 1];
	char names[OPTIONS_MAX][64];
	char letters[2 * OPTIONS_MAX + 2];
	size_t count;
};

/* Returned values from 256 up are places in the list, below are letters. */
static void add(struct list *list, const char *name, char letter, int has_value)
{
	size_t used = strlen(list->letters);

	if (list->count == OPTIONS_MAX)
		return;
	list->rows[list->count] =
		(struct option){parameter_spell(name, list->names[list->count]), has_value, NULL, 256 + (int)list->count};
	list->count++;
	if (letter) {
		list->letters[used] = letter;
		if (has_value)
			list->letters[used + 1] = ':';
	}
}

static void add_rows(struct list *list, const struct option_row *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++)
		add(list, rows[i].name, rows[i].letter, rows[i].value ? required_argument : no_argument);
}

static void make_list(const struct command *command, struct list *list)
{
	struct trnsci_parameter_info parameter;
	size_t index = 0;

	list->letters[0] = ':'; /* a missing value gets its own return */
	add_rows(list, command->rows, command->n_rows);
	add_rows(list, common_options, n_common_options);
	while (parameter_next(command, &index, &parameter)) {
		char negated[64 + sizeof NO];

		add(list, parameter.name, 0, strcmp(parameter.type, "bool") == 0 ? optional_argument : required_argument);
		snprintf(negated, sizeof negated, NO "%s", parameter.name);
		if (parameter_negates(&parameter))
			add(list, negated, 0, no_argument);
	}
}

/* ---- parsing ---- */

/* Reads 1 to `most`. An exit code. */
static int take_number(const char *name, const char *text, unsigned most, const char *unit, unsigned *ret)
{
	uint64_t number;

	if (!parse_u64(text, &number) || number < 1 || number > most)
		return complain(EXIT_USAGE, "--%s: '%s', allowed 1 to %u%s", name, text, most, unit);
	*ret = (unsigned)number;
	return EXIT_OK;
}

/* Options that every command has; true when it was one. */
static bool take_common(struct cli *cli, struct options *options, const char *name, const char *text, int *ret_code)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {{"embedded", &cli->embedded}, {"quiet", &cli->quiet}, {"verbose", &cli->verbose}, {"json", &cli->json},
		     {"help", &options->helped}};
	unsigned seconds = 0;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(name, flags[i].name) == 0)
			return *flags[i].flag = true;
	if (strcmp(name, "socket") == 0)
		cli->socket = text;
	else if (strcmp(name, "threads") == 0)
		*ret_code = take_number(name, text, 128, "", &cli->threads);
	else if (strcmp(name, "timeout") != 0)
		return false;
	else if ((*ret_code = take_number(name, text, 3600, " seconds", &seconds)) == EXIT_OK)
		cli->timeout_ms = (int)seconds * 1000;
	return true;
}

static const char *find_short(const struct option_row *rows, size_t n_rows, int letter)
{
	for (size_t i = 0; i < n_rows; i++)
		if (rows[i].letter == letter)
			return rows[i].name;
	return NULL;
}

/* The row of the list that getopt's answer stands for. */
static const char *name_of(const struct list *list, const struct command *command, int answer)
{
	if (answer >= 256)
		return list->rows[answer - 256].name;
	const char *own = find_short(command->rows, command->n_rows, answer);

	return own ? own : find_short(common_options, n_common_options, answer);
}

/* getopt names a letter in optopt; a long option is the word it has just passed. */
static int complain_option(const struct command *command, const struct list *list, int answer, char **argv, int index)
{
	char letter[3] = {'-', (char)optopt, 0};
	bool is_letter = optopt > 0 && optopt < 256;
	const char *of = *command->name ? command->name : command->word;

	struct suggestion suggestion = suggestion_of(is_letter ? "" : argv[index]);

	for (size_t i = 0; i < list->count && answer != ':'; i++) {
		char name[66];

		snprintf(name, sizeof name, "--%s", list->names[i]);
		suggestion_try(&suggestion, name);
	}
	return complain(EXIT_USAGE, "%s: %s%s; see trnsci-cli %.*s --help", is_letter ? letter : argv[index],
			answer == ':' ? "a value must follow" : "unknown or ambiguous option", suggestion_text(&suggestion),
			(int)strcspn(of, " "), of);
}

/* Returns whether an operation has a parameter that is spelt so. Tiles are no options. */
static bool is_parameter_of(const char *operation, const char *word)
{
	struct trnsci_parameter_info parameter;

	return parameter_find(operation, word, &parameter) && strcmp(parameter.type, "tile") != 0;
}

/* Refuses an abbreviation that is the whole name of another operation's parameter, since that may be what is meant. name: what
 * getopt takes it for; argument: the word that holds it. */
static int check_abbreviation(const struct command *command, const char *name, const char *argument)
{
	const char *const typed = argument + 2;
	const size_t size = strcspn(typed, "=");
	struct trnsci_operation_info operation;
	char word[64];

	if (size >= sizeof word || strlen(name) == size)
		return EXIT_OK;
	snprintf(word, sizeof word, "%.*s", (int)size, typed);
	for (size_t i = 0; trnsci_operation_at(i, &operation) == 0; i++)
		if (is_parameter_of(operation.name, word))
			return complain(EXIT_USAGE, "--%s: not a parameter of %s, but of %s; --%s is written in full", word,
					command->operation ? command->operation : "this command", operation.name, name);
	return EXIT_OK;
}

/* Notes an option by the name that the table or the row has: the list is gone when options_parse returns. */
static struct option_given *take_given(const struct command *command, struct options *options, const char *name, const char *text)
{
	struct option_given *given = &options->given[options->n_given++];
	struct trnsci_parameter_info parameter = {0};

	given->name = own_name(command, name);
	given->text = text ? text : "";
	if (given->name)
		return given;
	if (!parameter_find(command->operation, name, &parameter) && strncmp(name, NO, sizeof NO - 1) == 0) {
		parameter_find(command->operation, name + sizeof NO - 1, &parameter);
		given->text = "false";
	}
	given->name = parameter.name;
	return given;
}

/* --seed random is a new seed, printed so that the numbers can be had again. */
static int choose_seed(struct options *options, const struct cli *cli, struct option_given *given)
{
	uint64_t seed;

	if (!given->name || strcmp(given->name, "seed") != 0 || strcmp(given->text, "random") != 0)
		return EXIT_OK;
	if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
		return complain(EXIT_TRY_AGAIN, "--seed: the system has no random numbers");
	snprintf(options->seed, sizeof options->seed, "%" PRIu64, seed);
	given->text = options->seed;
	if (!cli->quiet)
		fprintf(stderr, "trnsci-cli: --seed %s\n", options->seed);
	return EXIT_OK;
}

int options_parse(const struct command *command, struct cli *cli, int argc, char **argv, struct options *ret)
{
	struct list list = {0};
	int answer, code = EXIT_OK;

	make_list(command, &list);
	*ret = (struct options){.command = command};
	opterr = 0;
	optind = 0;
	while (code == EXIT_OK && (answer = getopt_long(argc, argv, list.letters, list.rows, NULL)) != -1) {
		if (answer == '?' || answer == ':')
			return complain_option(command, &list, answer, argv, optind - 1);
		const char *name = name_of(&list, command, answer);
		const int apart = optarg && optarg == argv[optind - 1]; /* the value is a word of its own */

		if (answer >= 256)
			code = check_abbreviation(command, name, argv[optind - 1 - apart]);
		if (code != EXIT_OK || take_common(cli, ret, name, optarg, &code))
			continue;
		if (ret->n_given == OPTIONS_MAX)
			return complain(EXIT_USAGE, "--%s: more options than %d", name, OPTIONS_MAX);
		code = choose_seed(ret, cli, take_given(command, ret, name, optarg));
	}
	if (code == EXIT_OK && ret->helped)
		help_print(command);
	ret->quiet = cli->quiet;
	ret->operands = argv + optind;
	ret->n_operands = argc - optind;
	return code;
}

/* ---- reading ---- */

const char *options_get(const struct options *options, const char *name)
{
	for (size_t i = options->n_given; i-- > 0;)
		if (strcmp(options->given[i].name, name) == 0)
			return options->given[i].text;
	return NULL;
}

const char *options_value(const struct options *options, const char *name)
{
	struct trnsci_parameter_info parameter;
	const char *text = options_get(options, name);

	return text || !parameter_find(options->command->operation, name, &parameter) ? text : parameter.fallback;
}

bool options_is(const struct options *options, const char *name, const char *text)
{
	const char *value = options_value(options, name);
	bool on;

	if (value && strcmp(text, "true") == 0 && parse_bool(value, &on))
		return on;
	return value && strcmp(value, text) == 0;
}

const char *options_own(const struct options *options, const char *name)
{
	return own_name(options->command, name) ? options_get(options, name) : NULL;
}

bool options_has_parameter(const struct options *options, const char *name)
{
	struct trnsci_parameter_info parameter;

	return parameter_find(options->command->operation, name, &parameter);
}

int options_u64(const struct options *options, const char *name, uint64_t *ret)
{
	const char *text = options_get(options, name);

	if (text && !parse_u64(text, ret))
		return complain(EXIT_USAGE, "--%s: '%s', allowed " U64_ALLOWED, name, text);
	return EXIT_OK;
}
