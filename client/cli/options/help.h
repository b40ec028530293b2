/* SPDX-License-Identifier: Apache-2.0 */
/* --help of a command. */
#ifndef TRNSCI_CLI_OPTIONS_HELP_H
#define TRNSCI_CLI_OPTIONS_HELP_H

#include "option_set.h"

/* Prints the usage, every option with its unit, range and default, and the example. */
void help_print(const struct option_set *set);

#endif
