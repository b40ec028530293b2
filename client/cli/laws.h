/* SPDX-License-Identifier: Apache-2.0 */
/* The laws that can be drawn, as the table of operations has them. */
#ifndef TRNSCI_CLI_LAWS_H
#define TRNSCI_CLI_LAWS_H

#include <stdbool.h>
#include <stddef.h>

#include <trnsci/trnsci.h>

/* The law of that name; false when there is none. */
bool law_find(const char *name, struct trnsci_operation_info *ret);

/* Their names, for an error's text. */
void laws_list(char *to, size_t room, const char *separator);

/* The help of a command that takes a law. An exit code. */
int laws_print(const char *command);

#endif
