/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of commands: those of trnsci-cli, and of a command that has some of its own. */
#ifndef TRNSCI_CLI_COMMANDS_H
#define TRNSCI_CLI_COMMANDS_H

#include "cli.h"

/* NULL: there is none of that name. */
const struct command *commands_find(const struct command *commands, size_t n, const char *name);

/* Prints a line for each: its name and what it does. */
void commands_print(const struct command *commands, size_t n);

/* Says that the given name (NULL: none was given) is no command of the table, which is near to it, and which there are.
 * of: the command that has the table, NULL for trnsci-cli itself. Returns EXIT_USAGE. */
int commands_complain(const char *of, const char *given, const struct command *commands, size_t n);

/* Runs the command of the table that argv[1] names, or prints how `name` is used. An exit code. */
int commands_run(const char *name, const char *help, const struct command *commands, size_t n, struct cli *cli, int argc,
		 char **argv);

#endif
