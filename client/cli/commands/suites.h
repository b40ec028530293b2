/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the self-test's suites. */
#ifndef TRNSCI_CLI_SUITES_H
#define TRNSCI_CLI_SUITES_H

#include "options/options.h"

struct suite;

/* Returns the suite that an option asks for; NULL: none does. */
const struct suite *suite_asked(const struct options *options);

/* Runs a suite other than "kernels" and prints its rows as a table; samples: the option of "distributions", 0: its
 * default. An exit code. */
int suite_print(const struct suite *suite, uint64_t samples, bool json);

/* Adds a row to arg, a list of JSON. */
void suite_add_row(void *arg, const struct trnsci_check *row);

#endif
