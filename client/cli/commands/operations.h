/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRNSCI_CLI_COMMANDS_OPERATIONS_H
#define TRNSCI_CLI_COMMANDS_OPERATIONS_H

#include "command.h"

/* Adds a command for each operation on arrays that the n commands do not have, by its row in the table of operations. The list
 * has room for `most` entries and ends with NULL. */
void operations_add(const struct command **commands, size_t n, size_t most);

#endif
