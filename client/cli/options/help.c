/* SPDX-License-Identifier: Apache-2.0 */
/* --help of a command. */
#include "help.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"

static void print_row(char letter, const char *name, const char *value, const char *help, const char *more)
{
	enum { HELP_COLUMN = 36 };
	char buffer[64];
	const int used = printf("  %c%c%c --%s%s%s ", letter ? '-' : ' ', letter ? letter : ' ', letter ? ',' : ' ',
				parameter_spell(name, buffer), value ? " " : "", value ? value : "");

	printf("%*s%s%s\n", used < HELP_COLUMN ? HELP_COLUMN - used + 1 : 0, "", help, more);
}

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

/* "above 0", "0 to 1", "1 and up"; "" where the type says it all. */
static void range_text(const struct trnsci_parameter_info *parameter, char *to, size_t room)
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
		snprintf(to, room, ", also inf and -inf");
	else if (open)
		snprintf(to, room, ", %s%s%s", above, least, *above ? "" : " and up");
	else
		snprintf(to, room, ", %s%s to %s", above, least, most);
}

/* Whether its default says something: a flag is off where it is not given. */
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

/* The unit, where the help does not name it, the range and the default follow the help. */
static void print_parameter(const struct trnsci_parameter_info *parameter)
{
	const bool shows = shows_default(parameter), is_said = strstr(parameter->help, parameter->unit);
	char range[80], more[256], type[16];

	range_text(parameter, range, sizeof range);
	snprintf(more, sizeof more, "%s%s%s%s%s%s", is_said ? "" : ", in ", is_said ? "" : parameter->unit, range,
		 shows ? " [" : "", shows ? parameter->fallback : parameter->fallback ? "" : " [required]",
		 shows ? "]" : "");
	print_row(0, parameter->name, value_text(parameter, type), parameter->help, more);
}

/* Prints text in lines of at most 78 characters. */
static void print_wrapped(const char *text)
{
	enum { LINE = 78 };
	size_t column = 0;

	while (*text) {
		const size_t size = strcspn(text, " ");

		if (column + 1 + size > LINE) {
			printf("\n");
			column = 0;
		}
		column += (size_t)printf("%s%.*s", column ? " " : "", (int)size, text);
		text += size;
		text += strspn(text, " ");
	}
	printf("\n");
}

/* What has to be known of a distribution's samples, such as how far into the tails they reach. */
static void print_details(const char *operation)
{
	struct trnsci_operation_info info;

	for (size_t i = 0; trnsci_operation_at(i, &info) == 0; i++)
		if (strcmp(info.name, operation) == 0 && strcmp(info.category, "draw") == 0 && *info.details) {
			printf("\n");
			print_wrapped(info.details);
		}
}

void help_print(const struct option_set *set)
{
	struct trnsci_parameter_info parameter;
	size_t index = 0;
	bool first = true;

	printf("usage: trnsci-cli %s\n\n%s\n", set->usage, set->help);
	if (set->operation)
		print_details(set->operation);
	if (set->n_rows)
		printf("\noptions:\n");
	for (size_t i = 0; i < set->n_rows; i++)
		print_row(set->rows[i].letter, set->rows[i].name, set->rows[i].value, set->rows[i].help, "");
	while (parameter_next(set, &index, &parameter)) {
		if (first)
			printf("\nparameters of %s:\n", set->operation);
		first = false;
		print_parameter(&parameter);
	}
	printf("\ncommon options:\n");
	for (size_t i = 0; i < n_common_options; i++)
		print_row(common_options[i].letter, common_options[i].name, common_options[i].value, common_options[i].help, "");
	if (set->example)
		printf("\nexample: trnsci-cli %s\n", set->example);
}
