/* SPDX-License-Identifier: Apache-2.0 */
/* Operands that choose. */
#include "choices.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "rows.h"

/* ---- names ---- */

/* A command's own commands are called by the last of their words. */
static const char *last_word(const char *name)
{
	const char *blank = strrchr(name, ' ');

	return blank ? blank + 1 : name;
}

bool choice_next(const struct command *command, size_t *index, struct choice *ret)
{
	struct trnsci_operation_info operation;

	if (command->inner) {
		const struct command *inner = command->inner[*index];

		if (!inner)
			return false;
		*ret = (struct choice){last_word(inner->name), inner->summary, inner};
		(*index)++;
		return true;
	}
	while (command->category && !command->operation && trnsci_operation_at((*index)++, &operation) == 0)
		if (strcmp(operation.category, command->category) == 0) {
			*ret = (struct choice){operation.name, operation.help, NULL};
			return true;
		}
	return false;
}

bool choice_find(const struct command *command, const char *name, struct choice *ret)
{
	for (size_t i = 0; choice_next(command, &i, ret);)
		if (strcmp(ret->name, name) == 0)
			return true;
	return false;
}

/* The word stands in the usage, behind at most one other operand. */
int choice_place(const struct command *command)
{
	const char *at = strstr(command->usage, command->word);

	return at && at > command->usage;
}

/* ---- what there is ---- */

int choices_print(const struct command *command)
{
	const char *at = strstr(command->usage, command->word);
	const int before = at ? (int)(at - command->usage) : 0;
	struct choice choice;

	printf("usage: trnsci-cli %s %s\n\n%s\n\n%s is one of\n", command->name, command->usage, command->help, command->word);
	for (size_t i = 0; choice_next(command, &i, &choice);)
		printf("  %-20s %s\n", choice.name, choice.help);
	printf("\ntrnsci-cli %s %.*s%s --help lists its %s.\n", command->name, before, command->usage, command->word,
	       command->inner ? "options" : "parameters");
	if (command->example)
		printf("\nexample: trnsci-cli %s\n", command->example);
	return EXIT_OK;
}

int choices_complain(const struct command *command, const char *given)
{
	struct suggestion suggestion = suggestion_of(given ? given : "");
	const char *colon = *command->name ? ": " : "", *are = command->inner ? "" : " are";
	const bool is_command = strcmp(command->word, "COMMAND") == 0;
	struct choice choice;
	char names[900] = "";
	size_t used = 0;

	for (size_t i = 0; choice_next(command, &i, &choice) && used < sizeof names;) {
		suggestion_try(&suggestion, choice.name);
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", choice.name);
	}
	if (is_command && !given)
		return complain(EXIT_USAGE, "%s%sno command, allowed %s; see --help", command->name, colon, names);
	if (is_command)
		return complain(EXIT_USAGE, "%s%s%s: no such command%s, allowed %s; see --help", command->name, colon, given,
				suggestion_text(&suggestion), names);
	if (!given)
		return complain(EXIT_USAGE, "%s: %s is missing, allowed%s %s", command->name, command->word, are, names);
	return complain(EXIT_USAGE, "%s: '%s': unknown %s%s, allowed%s %s", command->name, given, command->kind,
			suggestion_text(&suggestion), are, names);
}

/* ---- an operation that was chosen ---- */

/* --rate of sound gives way to a parameter of that name; a count option, -n, says the shape of the result: "dims" where a
 * distribution has a parameter `shape`. */
void choice_take(const struct command *command, const struct choice *operation, struct chosen *ret)
{
	static const struct option_row rate = SOUND_RATE_ROW;
	const char *at = strstr(command->usage, command->word);
	struct trnsci_parameter_info parameter;
	size_t n_rows = 0;

	for (size_t i = 0; i < command->n_rows && n_rows < CHOSEN_ROWS_MAX; i++)
		if (strcmp(command->rows[i].help, rate.help) != 0 || !parameter_find(operation->name, rate.name, &parameter))
			ret->rows[n_rows++] = command->rows[i];
	snprintf(ret->usage, sizeof ret->usage, "%.*s%s%s", (int)(at - command->usage), command->usage, operation->name,
		 at + strlen(command->word));
	snprintf(ret->hidden, sizeof ret->hidden, " n %s %s ",
		 parameter_find(operation->name, "dims", &parameter) ? "dims" : "shape", command->hidden);
	ret->command = *command;
	ret->command.usage = ret->usage;
	ret->command.help = command->otherwise ? command->help : operation->help;
	ret->command.example = NULL;
	ret->command.word = NULL;
	ret->command.rows = ret->rows;
	ret->command.n_rows = n_rows;
	ret->command.operation = operation->name;
	ret->command.hidden = ret->hidden;
}
