/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRNSCI_CLI_COMMAND_NAME_H
#define TRNSCI_CLI_COMMAND_NAME_H

#include <stdint.h>

/* Reads the name of a process's command into name; "(ended)" if there is none any more, "(hidden)" if this user may
 * not see it. Returns name. */
const char *command_name(uint64_t pid, char name[static 17]);

#endif
