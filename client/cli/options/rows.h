/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that options are made of: those that every command has, its own, and the parameters of its operation. */
#ifndef TRNSCI_CLI_OPTIONS_ROWS_H
#define TRNSCI_CLI_OPTIONS_ROWS_H

#include <stdbool.h>

#include <trnsci/trnsci.h>

#include "option_set.h"

extern const struct option_row common_options[];
extern const size_t n_common_options;

/* Copies a name with a dash where the table of operations has an underscore. Returns buffer. */
const char *parameter_spell(const char *name, char buffer[static 64]);

/* Reads the next parameter from *index on that is an option of the set; false past the last one. */
bool parameter_next(const struct option_set *set, size_t *index, struct trnsci_parameter_info *ret);

/* Finds the parameter of the set's operation that is called name, however it is spelt; false when there is none. */
bool parameter_find(const struct option_set *set, const char *name, struct trnsci_parameter_info *ret);

/* Whether the command has a row of its own of this name. */
bool option_is_own(const struct option_set *set, const char *name);

#endif
