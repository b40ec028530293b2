/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions on the command line. */
#include "distributions.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "suggest.h"

/* ---- names ---- */

/* Distributions are the operations of the category "draw". */
static bool next_distribution(size_t *index, struct trnsci_operation_info *ret)
{
	while (trnsci_operation_at((*index)++, ret) == 0)
		if (strcmp(ret->category, "draw") == 0)
			return true;
	return false;
}

bool distribution_find(const char *name, struct trnsci_operation_info *ret)
{
	for (size_t i = 0; next_distribution(&i, ret);)
		if (strcmp(ret->name, name) == 0)
			return true;
	return false;
}

static int complain_of_distribution(const struct draw_command *command, const char *name)
{
	struct trnsci_operation_info operation;
	struct suggestion suggestion = suggestion_of(name);
	char names[900] = "";
	size_t used = 0;

	for (size_t i = 0; next_distribution(&i, &operation) && used < sizeof names;) {
		suggestion_try(&suggestion, operation.name);
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", operation.name);
	}
	if (!*name)
		return complain(EXIT_USAGE, "%s: DIST is missing, allowed are %s", command->name, names);
	return complain(EXIT_USAGE, "%s: '%s': unknown distribution%s, allowed are %s", command->name, name,
			suggestion_text(&suggestion), names);
}

static int print_distributions(const struct draw_command *command)
{
	struct trnsci_operation_info operation;

	printf("usage: trnsci-cli %s %sDIST %s\n\n%s\n\nDIST is one of\n", command->name, command->operands, command->usage,
	       command->help ? command->help : "Draw random numbers.");
	for (size_t i = 0; next_distribution(&i, &operation);)
		printf("  %-20s %s\n", operation.name, operation.help);
	printf("\ntrnsci-cli %s %sDIST --help lists its parameters.\n\nexample: trnsci-cli %s\n", command->name,
	       command->operands, command->example);
	return EXIT_OK;
}

/* ---- options ---- */

static bool has_parameter(const char *distribution, const char *name)
{
	struct trnsci_parameter_info parameter;

	for (size_t i = 0; trnsci_operation_parameter(distribution, i, &parameter) == 0; i++)
		if (strcmp(parameter.name, name) == 0)
			return true;
	return false;
}

const char *distribution_shape(const char *distribution)
{
	return has_parameter(distribution, "dims") ? "dims" : "shape";
}

/* --rate of sound gives way to a parameter of that name; -n says the shape of the result. */
static void make_set(const struct draw_command *command, const struct trnsci_operation_info *distribution,
		     struct draw_options *ret)
{
	const struct option_row rate = SOUND_RATE_ROW;
	size_t n_rows = 0;

	for (size_t i = 0; i < command->n_rows && n_rows < DRAW_ROWS_MAX; i++) {
		const struct option_row *row = &command->rows[i];

		if (strcmp(row->help, rate.help) != 0 || !has_parameter(distribution->name, rate.name))
			ret->rows[n_rows++] = *row;
	}
	snprintf(ret->usage, sizeof ret->usage, "%s %s%s %s", command->name, command->operands, distribution->name,
		 command->usage);
	snprintf(ret->hidden, sizeof ret->hidden, " n out u64 timeout_ms %s %s ",
		 distribution_shape(distribution->name), command->hidden);
	ret->set = (struct option_set){ret->usage, distribution->help, ret->rows, n_rows, distribution->name, ret->hidden, NULL};
}

int draw_options_find(const struct draw_command *command, int argc, char **argv, struct draw_options *ret)
{
	struct trnsci_operation_info distribution;
	const int before = command->operands[0] ? 1 : 0;
	const int found = options_lead_operands(command->rows, command->n_rows, "draw", argc, argv, before + 1);

	*ret = (struct draw_options){.n_before = before + 1};
	if (found <= before && options_ask_for_help(argc, argv))
		return print_distributions(command);
	if (found < before)
		return complain(EXIT_USAGE, "%s: %sDIST %s is needed; --help lists every DIST", command->name, command->operands,
				command->usage);
	if (found == before)
		return complain_of_distribution(command, "");
	if (!distribution_find(argv[before + 1], &distribution))
		return complain_of_distribution(command, argv[before + 1]);
	make_set(command, &distribution, ret);
	return EXIT_OK;
}
