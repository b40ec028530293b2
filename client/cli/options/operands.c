/* SPDX-License-Identifier: Apache-2.0 */
/* Operands that say which options there are. */
#include <string.h>

#include "options.h"
#include "rows.h"

static bool takes_value_row(const struct option_row *rows, size_t n_rows, const char *name, char letter)
{
	for (size_t i = 0; i < n_rows; i++)
		if (letter ? rows[i].letter == letter : strcmp(rows[i].name, name) == 0)
			return rows[i].value;
	return false;
}

/* A parameter of any operation of the category (NULL: of none) takes a value unless it is a flag. */
static bool takes_value_parameter(const char *category, const char *name)
{
	struct trnsci_operation_info operation;
	struct trnsci_parameter_info parameter;

	for (size_t i = 0; category && trnsci_operation_at(i, &operation) == 0; i++)
		if (strcmp(operation.category, category) == 0 && parameter_find(operation.name, name, &parameter))
			return strcmp(parameter.type, "bool") != 0;
	return false;
}

/* Whether the word behind this option is its value. */
static bool takes_next(const struct command *command, const char *word)
{
	const bool is_long = word[1] == '-';
	const char *name = word + 2;
	const char letter = is_long ? 0 : word[1];

	if (is_long ? strchr(word, '=') != NULL : word[1] == '\0' || word[2] != '\0')
		return false;
	return takes_value_row(command->rows, command->n_rows, name, letter) ||
	       takes_value_row(common_options, n_common_options, name, letter) ||
	       (is_long && takes_value_parameter(command->category, name));
}

int options_count_leading(const struct command *command, int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-')
		i += takes_next(command, argv[i]) && i + 1 < argc ? 2 : 1;
	return i;
}

bool options_ask_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

int options_lead_operands(const struct command *command, int argc, char **argv, int most)
{
	int found = 0;

	for (int i = 1; i < argc && found < most; i++) {
		char *word = argv[i];

		if (strcmp(word, "--") == 0)
			break;
		if (word[0] == '-' && word[1]) {
			i += takes_next(command, word);
			continue;
		}
		found++;
		memmove(argv + found + 1, argv + found, (size_t)(i - found) * sizeof *argv);
		argv[found] = word;
	}
	return found;
}
