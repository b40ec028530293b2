/* SPDX-License-Identifier: Apache-2.0 */
/* Running a command by its row. */
#ifndef TRNSCI_CLI_COMMANDS_H
#define TRNSCI_CLI_COMMANDS_H

#include <stdio.h>

#include "cli.h"
#include "options/choices.h"

/* What words say. Must not be moved. */
struct resolved {
	const struct command *command; /* the last that they name */
	const char *name;              /* the operand before the one that chose an operation; NULL: there is none */
	int argc, found;               /* operands that were found where one is missing or unknown */
	char **argv;                   /* argv[0] is the last word before the command's options and operands, which may have moved */
	struct chosen chosen;
};

/* Follows the operands that choose a command or an operation. False where one is missing or unknown. */
bool resolve_command(const struct command *command, int argc, char **argv, struct resolved *ret);

/* Runs the command that argv[1] and further words name: parses its options, checks its operands, opens its session. An exit code. */
int run_command(const struct command *command, struct cli *cli, int argc, char **argv);

/* Prints all commands, and how they are used (commands/help.c). */
void print_usage(FILE *to, const struct command *root);

#endif
