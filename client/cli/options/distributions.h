/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions on the command line: their names, and the options of the commands that draw from one. */
#ifndef TRNSCI_CLI_OPTIONS_DISTRIBUTIONS_H
#define TRNSCI_CLI_OPTIONS_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <trnsci/trnsci.h>

#include "options.h"

/* Looks a distribution up by its name; false when there is none. */
bool distribution_find(const char *name, struct trnsci_operation_info *ret);

/* The parameter that is the shape of the result: "dims" where a distribution has a parameter `shape`, otherwise "shape". */
const char *distribution_shape(const char *distribution);

/* What a command that takes DIST as an operand has in common with the others. */
struct draw_command {
	const char *name;     /* "stream draw" */
	const char *operands; /* that stand before DIST, "NAME " or "" */
	const char *usage;    /* what stands behind it: "-n COUNT [option ...]" */
	const char *help;     /* one line; NULL: "Draw random numbers." */
	const char *example;
	const char *hidden;   /* parameters that are not options, " rank size "; n, out, u64, timeout_ms never are */
	const struct option_row *rows;
	size_t n_rows;
};

enum { DRAW_ROWS_MAX = 16 };

/* The options of the command for one distribution. */
struct draw_options {
	struct option_set set; /* set.operation NULL: help was asked for and has been printed */
	struct option_row rows[DRAW_ROWS_MAX];
	char usage[160], hidden[256], example[160];
	int n_before; /* words of argv before DIST */
};

/* Finds DIST in argv, wherever options stand, and moves it and the operands before it to the front. ret must not be moved
 * afterwards. An exit code. */
int draw_options_find(const struct draw_command *command, int argc, char **argv, struct draw_options *ret);

#endif
