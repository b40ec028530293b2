/* SPDX-License-Identifier: Apache-2.0 */
/* describe: the commands, their options, and the operations with their parameters, as JSON. Completion and the manuals are made
 * from it, and programs may be. Needs no engine. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "figures.h"
#include "files/output.h"
#include "options/help.h"
#include "options/options.h"
#include "report.h"

static void add(struct json_object *map, const char *name, struct json_object *member)
{
	json_object_object_add(map, name, member);
}

static struct json_object *add_list(struct json_object *map, const char *name)
{
	struct json_object *list = json_object_new_array();

	add(map, name, list);
	return list;
}

/* A text that is missing leaves its member out. */
static void add_text(struct json_object *map, const char *name, const char *text)
{
	if (text && *text)
		report_add_text(map, name, text);
}

/* "a|b" as a list; what is in capitals, or a list itself, is no choice. */
static void add_choices(struct json_object *map, const char *choices)
{
	struct json_object *list;

	if (!choices || strpbrk(choices, "ABCDEFGHIJKLMNOPQRSTUVWXYZ,"))
		return;
	list = add_list(map, "choices");
	for (size_t size; *choices; choices += size + (choices[size] == '|')) {
		size = strcspn(choices, "|");
		json_object_array_add(list, json_object_new_string_len(choices, (int)size));
	}
}

/* ---- commands ---- */

static void add_option(struct json_object *list, const struct option_text *option)
{
	struct json_object *map = json_object_new_object();

	report_add_text(map, "name", option->name);
	add_text(map, "letter", option->letter ? (char[]){option->letter, '\0'} : NULL);
	add_text(map, "value", option->value);
	add_choices(map, option->value);
	add_text(map, "default", option->fallback);
	if (option->required)
		add(map, "required", json_object_new_boolean(true));
	report_add_text(map, "help", option->help);
	json_object_array_add(list, map);
}

/* The other way of a flag. */
static void add_negated(struct json_object *list, const struct option_text *option)
{
	struct option_text negated = {0};

	snprintf(negated.name, sizeof negated.name, "no-%.*s", (int)sizeof negated.name - 4, option->name);
	snprintf(negated.help, sizeof negated.help, "not --%s", option->name);
	add_option(list, &negated);
}

static void add_rows(struct json_object *list, const struct option_row *rows, size_t n_rows)
{
	struct option_text option;

	for (size_t i = 0; i < n_rows; i++) {
		option_of_row(&rows[i], &option);
		add_option(list, &option);
	}
}

/* The words that may stand next: the command's own commands, or operations. */
static void add_words(struct json_object *map, const struct command *command)
{
	struct json_object *list = add_list(map, "words");
	struct choice choice;

	for (size_t i = 0; choice_next(command, &i, &choice);) {
		struct json_object *word = json_object_new_object();

		report_add_text(word, "word", choice.name);
		report_add_text(word, "help", choice.help);
		json_object_array_add(list, word);
	}
}

/* The names of the daemon's streams that this user may see; none where no daemon answers soon. */
static void add_streams(struct json_object *map, const struct cli *cli)
{
	const struct trnsci_options soon = {.timeout_ms = 1000};
	struct json_object *list = add_list(map, "words");
	struct trnsci_session *session = NULL;
	struct trnsci_call *call = NULL;
	char room[PRINTABLE_ROOM];

	if (trnsci_open(cli->socket, &soon, &session, NULL) == 0 && trnsci_call_new(session, "stream_list", &call) == 0)
		trnsci_run(call, NULL);
	const struct trnsci_value *streams = trnsci_value_get(trnsci_call_reply(call), "streams");

	for (size_t i = 0; i < trnsci_value_count(streams); i++) {
		const char *name = figure_text(trnsci_value_at(streams, i), "name", room);
		struct json_object *word = json_object_new_object();

		report_add_text(word, "word", name ? name : "");
		report_add_text(word, "help", "a named stream");
		json_object_array_add(list, word);
	}
	trnsci_call_free(call);
	trnsci_close(session);
}

/* The options of an operation that an operand chooses are missing until it is chosen: they are its parameters, but for those
 * that `hidden` names. */
static struct json_object *of_command(const struct command *command, bool has_words)
{
	struct json_object *map = json_object_new_object(), *options;
	struct trnsci_parameter_info parameter;
	struct option_text option;
	size_t index = 0;

	report_add_text(map, "name", command->name);
	add_text(map, "summary", command->summary);
	add_text(map, "help", command->help);
	add_text(map, "usage", command->usage);
	add_text(map, "example", command->example);
	add_text(map, "operation", command->operation);
	add_text(map, "category", command->inner ? NULL : command->category);
	add_text(map, "hidden", command->hidden);
	if (has_words)
		add_words(map, command);
	options = add_list(map, "options");
	add_rows(options, command->rows, command->n_rows);
	while (parameter_next(command, &index, &parameter)) {
		option_of_parameter(&parameter, &option);
		add_option(options, &option);
		if (option.negates)
			add_negated(options, &option);
	}
	return map;
}

/* Adds commands; the inner ones of each follow it. */
static void add_commands(struct json_object *list, const struct command *const *commands)
{
	for (size_t i = 0; commands[i]; i++) {
		json_object_array_add(list, of_command(commands[i], commands[i]->inner));
		if (commands[i]->inner)
			add_commands(list, commands[i]->inner);
	}
}

/* ---- operations ---- */

/* JSON has no infinity. */
static void add_bound(struct json_object *map, const char *name, double bound)
{
	if (isfinite(bound))
		add(map, name, json_object_new_double(bound));
	else
		report_add_text(map, name, bound < 0 ? "-inf" : "inf");
}

static struct json_object *of_parameter(const struct trnsci_parameter_info *parameter)
{
	struct json_object *map = json_object_new_object();
	char range[80];

	report_add_text(map, "name", parameter->name);
	report_add_text(map, "type", parameter->type);
	add_text(map, "unit", parameter->unit);
	add(map, "required", json_object_new_boolean(!parameter->fallback));
	add_text(map, "default", parameter->fallback);
	add_choices(map, parameter->choices);
	if (!parameter->choices && (parameter->min != 0 || parameter->max != 0)) {
		add_bound(map, "min", parameter->min);
		if (parameter->max != 0 && parameter->max != DBL_MAX)
			add_bound(map, "max", parameter->max);
		add(map, "above_min", json_object_new_boolean(parameter->above_min));
	}
	parameter_range(parameter, range, sizeof range);
	add_text(map, "range", range);
	report_add_text(map, "help", parameter->help);
	return map;
}

static void add_operations(struct json_object *list)
{
	struct trnsci_operation_info operation;
	struct trnsci_parameter_info parameter;

	for (size_t i = 0; trnsci_operation_at(i, &operation) == 0; i++) {
		struct json_object *map = json_object_new_object(), *parameters;

		report_add_text(map, "name", operation.name);
		report_add_text(map, "category", operation.category);
		report_add_text(map, "help", operation.help);
		add_text(map, "details", operation.details);
		parameters = add_list(map, "parameters");
		for (size_t j = 0; trnsci_operation_parameter(operation.name, j, &parameter) == 0; j++)
			json_object_array_add(parameters, of_parameter(&parameter));
		json_object_array_add(list, map);
	}
}

/* ---- the command ---- */

static void add_formats(struct json_object *list)
{
	struct output_format format;

	for (size_t i = 0; output_format_at(i, &format); i++) {
		struct json_object *map = json_object_new_object();

		report_add_text(map, "name", format.name);
		report_add_text(map, "ending", format.ending);
		json_object_array_add(list, map);
	}
}

static struct json_object *of_all(const struct command *root)
{
	struct json_object *map = json_object_new_object(), *list;
	struct trnsci_generator_info generator;

	report_add_text(map, "version", trnsci_version());
	add_formats(add_list(map, "formats"));
	list = add_list(map, "dtypes");
	for (int dtype = 1; trnsci_dtype_size((enum trnsci_dtype)dtype) > 0; dtype++)
		json_object_array_add(list, json_object_new_string(trnsci_dtype_name((enum trnsci_dtype)dtype)));
	list = add_list(map, "generators");
	for (size_t i = 0; trnsci_generator_at(i, &generator) == 0; i++)
		json_object_array_add(list, json_object_new_string(generator.name));
	add_rows(add_list(map, "common_options"), common_options, n_common_options);
	add_commands(add_list(map, "commands"), root->inner);
	add_operations(add_list(map, "operations"));
	return map;
}

/* The words are those of a command line: with their options, and perhaps unfinished. */
static int describe(struct cli *cli, const struct options *options)
{
	enum { OPEN_ALL = 2, OPEN_ONE = 1, WORDS_MAX = 64 };
	char *words[WORDS_MAX + 1] = {(char[]){"trnsci-cli"}};
	struct resolved resolved;
	struct json_object *map, *list;
	int n = 1, first = options->n_operands > 0 && strcmp(options->operands[0], "help") == 0;

	if (options->n_operands == 0 && !options_get(options, "words"))
		return report_print_open(of_all(cli->root), OPEN_ALL);
	for (; n < WORDS_MAX && first + n <= options->n_operands; n++)
		words[n] = options->operands[first + n - 1];
	const bool is_complete = resolve_command(cli->root, n, words, &resolved);

	/* The operand before the one that chooses is a name of the caller's. */
	map = of_command(resolved.command, !is_complete && resolved.found == choice_place(resolved.command));
	if (resolved.command->names_stream && resolved.argc == 1)
		add_streams(map, cli);
	list = add_list(map, "common_options");
	for (size_t i = 0; i < n_common_options; i++)
		if (common_option_counts(resolved.command, &common_options[i]))
			add_rows(list, &common_options[i], 1);
	return report_print_open(map, OPEN_ONE);
}

static const struct option_row rows[] = {
	{"words", 0, NULL, "the words of a command line follow, though there may be none: what may stand next"},
};

const struct command command_describe = {
	.reports = true, .name = "describe", .summary = "all commands, options and operations as JSON: describe --json",
	.usage = "[option ...] [-- COMMAND [WORD ...]]",
	.help = "Describe everything, or the command that the words of a command line name, as JSON.",
	.example = "describe --json -- rand normal", ROWS(rows), .n_operands = ANY_OPERANDS, .run = describe,
};
