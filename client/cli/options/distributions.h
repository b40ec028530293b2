/* SPDX-License-Identifier: Apache-2.0 */
/* The distributions that can be drawn. */
#ifndef TRNSCI_CLI_DISTRIBUTIONS_H
#define TRNSCI_CLI_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <trnsci/trnsci.h>

/* Finds the distribution of that name. Returns false when there is none. */
bool distribution_find(const char *name, struct trnsci_operation_info *ret);

/* Writes their names to `to`, for an error. */
void distributions_list(char *to, size_t room, const char *separator);

/* Prints the help of a command that takes a distribution. Returns an exit code. */
int distributions_print(const char *command);

#endif
