/* SPDX-License-Identifier: Apache-2.0 */
/* Operands that choose: an operation whose parameters are then options (rand DIST), or a command of a command's own (stream
 * COMMAND). */
#ifndef TRNSCI_CLI_OPTIONS_CHOICES_H
#define TRNSCI_CLI_OPTIONS_CHOICES_H

#include <stdbool.h>

#include "cli.h"

/* What an operand may be. */
struct choice {
	const char *name, *help;
	const struct command *inner; /* NULL: an operation */
};

/* Reads the next choice from *index on; false past the last one, and of a command without any. */
bool choice_next(const struct command *command, size_t *index, struct choice *ret);

/* Finds the choice of that name; false when there is none. */
bool choice_find(const struct command *command, const char *name, struct choice *ret);

/* Returns how many operands stand before the one that chooses: 0 or 1. */
int choice_place(const struct command *command);

/* Prints what the operand may be, for --help of the command. Returns EXIT_OK. */
int choices_print(const struct command *command);

/* Says that no choice has the given name (NULL: none was given), which is near to it, and which there are. Returns EXIT_USAGE. */
int choices_complain(const struct command *command, const char *given);

enum { CHOSEN_ROWS_MAX = 16 };

/* The command with an operation chosen. Must not be moved. */
struct chosen {
	struct command command;
	struct option_row rows[CHOSEN_ROWS_MAX];
	char usage[160], hidden[256];
};

void choice_take(const struct command *command, const struct choice *operation, struct chosen *ret);

#endif
