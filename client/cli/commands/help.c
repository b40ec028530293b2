/* SPDX-License-Identifier: Apache-2.0 */
/* help [COMMAND [WORD ...]]: prints what the command's --help prints. */
#include <stdio.h>

#include "commands.h"
#include "options/options.h"

/* Commands that the table of operations makes have no example; they stand at the end, by name. */
void print_usage(FILE *to, const struct command *root)
{
	size_t i;

	fprintf(to, "usage: trnsci-cli [--socket PATH | --embedded] [-q] [-v] [--json] COMMAND ...\n\ncommands:\n");
	for (i = 0; root->inner[i] && (root->inner[i]->example || !root->inner[i]->operation); i++)
		fprintf(to, "  %-13s %s\n", root->inner[i]->name, root->inner[i]->summary);
	fprintf(to, "\nand operations on elements, and along axes:");
	for (size_t n = 0; root->inner[i]; i++, n++)
		fprintf(to, "%s %s", n % 10 ? "" : "\n", root->inner[i]->name);
	fprintf(to, "\n\ntrnsci-cli COMMAND --help lists a command's options and gives an example.\n");
}

static int help(struct cli *cli, const struct options *options)
{
	enum { WORDS_MAX = 8 };
	char *words[WORDS_MAX] = {(char[]){"help"}};
	int n = 1;

	if (options->n_operands == 0) {
		print_usage(stdout, cli->root);
		return EXIT_OK;
	}
	for (; n < WORDS_MAX - 2 && n <= options->n_operands; n++)
		words[n] = options->operands[n - 1];
	words[n] = (char[]){"--help"};
	return run_command(cli->root, cli, n + 1, words);
}

const struct command command_help = {
	.name = "help", .summary = "a command's options and an example: help rand normal",
	.usage = "[COMMAND [WORD ...]]", .help = "Print a command's options and an example.",
	.example = "help rand normal", .n_operands = ANY_OPERANDS, .run = help,
};
