/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRNSCI_CLI_COMMANDS_HELP_H
#define TRNSCI_CLI_COMMANDS_HELP_H

#include "cli.h"

/* Prints all commands, and how they are used. */
void print_usage(const struct command *root);

#endif
