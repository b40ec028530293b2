/* SPDX-License-Identifier: Apache-2.0 */
/* Options in words. */
#include "help.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "terminal.h"

/* Large and tiny powers of two as "2^40", and one less as "2^32 - 1". */
static void bound_text(double bound, char to[32])
{
	int exponent;

	if (frexp(fabs(bound), &exponent) == 0.5 && (exponent > 20 || exponent < -20))
		snprintf(to, 32, "%s2^%d", bound < 0 ? "-" : "", exponent - 1);
	else if (bound < 0x1p53 && frexp(bound + 1, &exponent) == 0.5 && exponent > 20)
		snprintf(to, 32, "2^%d - 1", exponent - 1);
	else
		snprintf(to, 32, "%.15g", bound);
}

void parameter_range(const struct trnsci_parameter_info *parameter, char *to, size_t room)
{
	const bool open = parameter->max == 0 || parameter->max == DBL_MAX || parameter->max == 0x1p64;
	const char *above = parameter->above_min ? "above " : "";
	char least[32], most[32];

	to[0] = '\0';
	bound_text(parameter->min, least);
	bound_text(parameter->max, most);
	if (parameter->choices || (parameter->min == 0 && parameter->max == 0))
		return;
	if (isinf(parameter->max))
		snprintf(to, room, "also inf and -inf");
	else if (open)
		snprintf(to, room, "%s%s%s", above, least, *above ? "" : " and up");
	else
		snprintf(to, room, "%s%s to %s", above, least, most);
}

/* Returns whether a parameter's default says something: a flag is off where it is not given. */
static bool shows_default(const struct trnsci_parameter_info *parameter)
{
	return parameter->fallback && *parameter->fallback &&
	       !(strcmp(parameter->type, "bool") == 0 && strcmp(parameter->fallback, "false") == 0);
}

/* What stands behind the option: choices in lower case, which completion offers, or the type in capitals; NULL for a flag. */
static const char *value_text(const struct trnsci_parameter_info *parameter, char text[16])
{
	size_t i = 0;

	if (strcmp(parameter->type, "bool") == 0)
		return NULL;
	if (parameter->choices)
		return parameter->choices;
	if (strcmp(parameter->type, "any") == 0)
		return "LIST";
	for (; parameter->type[i] && i < 15; i++)
		text[i] = (char)toupper((unsigned char)parameter->type[i]);
	text[i] = '\0';
	return text;
}

/* The default of a row stands at its end, in brackets. */
void option_of_row(const struct option_row *row, struct option_text *ret)
{
	const size_t size = strlen(row->help);
	const char *bracket = size && row->help[size - 1] == ']' ? strrchr(row->help, '[') : NULL;
	const size_t used = bracket ? (size_t)(bracket - row->help) : size;

	*ret = (struct option_text){.letter = row->letter, .value = row->value};
	parameter_spell(row->name, ret->name);
	snprintf(ret->help, sizeof ret->help, "%.*s", (int)(bracket && used ? used - 1 : used), row->help);
	if (bracket)
		snprintf(ret->fallback, sizeof ret->fallback, "%.*s", (int)(size - used - 2), bracket + 1);
}

/* The unit, where the help does not name it, and the range follow the help. */
void option_of_parameter(const struct trnsci_parameter_info *parameter, struct option_text *ret)
{
	const bool is_said = strstr(parameter->help, parameter->unit);
	char range[80];

	*ret = (struct option_text){.required = !parameter->fallback};
	parameter_spell(parameter->name, ret->name);
	ret->value = value_text(parameter, ret->type);
	parameter_range(parameter, range, sizeof range);
	snprintf(ret->help, sizeof ret->help, "%s%s%s%s%s", parameter->help, is_said ? "" : ", in ", is_said ? "" : parameter->unit,
		 *range ? ", " : "", range);
	ret->negates = parameter_negates(parameter);
	if (shows_default(parameter))
		snprintf(ret->fallback, sizeof ret->fallback, "%s", parameter->fallback);
}

/* A flag that negates is named both ways. The help stands in a column of its own, below where the option is long. */
static void print_option(const struct option_text *option)
{
	enum { HELP_COLUMN = 37, INDENT = 6 };
	const char letter = option->letter, *fallback = option->required ? "required" : option->fallback;
	const size_t width = terminal_columns();
	char names[512], help[sizeof option->help + sizeof option->fallback + 4];

	snprintf(names, sizeof names, "  %c%c%c --%s%s%s%s%s", letter ? '-' : ' ', letter ? letter : ' ', letter ? ',' : ' ', option->name,
		 option->negates ? ", --no-" : "", option->negates ? option->name : "", option->value ? " " : "",
		 option->value ? option->value : "");
	snprintf(help, sizeof help, "%s%s%s%s%s", option->help, *fallback && *option->help ? " " : "", *fallback ? "[" : "", fallback,
		 *fallback ? "]" : "");
	if (strlen(names) + 1 < HELP_COLUMN) {
		printf("%-*s", HELP_COLUMN, names);
		terminal_print(help, HELP_COLUMN, HELP_COLUMN, width);
	} else if (width) {
		terminal_print(names, 0, INDENT, width);
		printf("%*s", HELP_COLUMN, "");
		terminal_print(help, HELP_COLUMN, HELP_COLUMN, width);
	} else {
		printf("%s ", names);
		terminal_print(help, 0, 0, 0);
	}
}

/* Returns the width of what stands in whole lines: that of the terminal, but no more than reads well. */
static size_t text_width(void)
{
	enum { MOST = 78 };
	const size_t columns = terminal_columns();

	return columns && columns < MOST ? columns : MOST;
}

/* What has to be known of a distribution's samples, such as how far into the tails they reach. */
static void print_details(const char *operation)
{
	struct trnsci_operation_info info;

	if (!find_operation(operation, &info) || strcmp(info.category, "draw") != 0 || !*info.details)
		return;
	printf("\n");
	terminal_print(info.details, 0, 0, text_width());
}

static void print_rows(const char *heading, const struct option_row *rows, size_t n_rows)
{
	struct option_text option;

	if (heading && n_rows)
		printf("\n%s:\n", heading);
	for (size_t i = 0; i < n_rows; i++) {
		option_of_row(&rows[i], &option);
		print_option(&option);
	}
}

void help_print(const struct command *command)
{
	struct trnsci_parameter_info parameter;
	struct option_text option;
	size_t index = 0;
	bool first = true;

	printf("usage: trnsci-cli %s%s%s\n\n", command->name, *command->usage ? " " : "", command->usage);
	terminal_print(command->help, 0, 0, text_width());
	if (command->operation)
		print_details(command->operation);
	print_rows("options", command->rows, command->n_rows);
	for (; parameter_next(command, &index, &parameter); first = false) {
		if (first)
			printf("\nparameters of %s:\n", command->operation);
		option_of_parameter(&parameter, &option);
		print_option(&option);
	}
	printf("\ncommon options:\n");
	for (size_t i = 0; i < n_common_options; i++)
		if (common_option_counts(command, &common_options[i]))
			print_rows(NULL, &common_options[i], 1);
	if (command->example)
		printf("\nexample: trnsci-cli %s\n", command->example);
}
