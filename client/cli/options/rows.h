/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that options are made of: those that every command has, its own, and the parameters of its operation. */
#ifndef TRNSCI_CLI_OPTIONS_ROWS_H
#define TRNSCI_CLI_OPTIONS_ROWS_H

#include <stdbool.h>

#include <trnsci/trnsci.h>

#include "command.h"

extern const struct option_row common_options[];
extern const size_t n_common_options;

/* Returns whether a common option says something to the command. */
bool common_option_counts(const struct command *command, const struct option_row *row);

/* Copies a name with a dash where the table of operations has an underscore. Returns buffer. */
const char *parameter_spell(const char *name, char buffer[static 64]);

/* Finds the operation of that name; false when there is none. */
bool find_operation(const char *name, struct trnsci_operation_info *ret);

/* Reads the next parameter from *index on that is an option of the command; false past the last one. */
bool parameter_next(const struct command *command, size_t *index, struct trnsci_parameter_info *ret);

/* Finds the parameter of an operation (NULL: of none) that is called name, however it is spelt; false when there is none. */
bool parameter_find(const char *operation, const char *name, struct trnsci_parameter_info *ret);

/* Returns whether --no-NAME says something, too: of a yes or no that is not no by default. */
bool parameter_negates(const struct trnsci_parameter_info *parameter);

/* Returns the name of the command's own row that is called so; NULL: there is none. */
const char *own_name(const struct command *command, const char *name);

#endif
