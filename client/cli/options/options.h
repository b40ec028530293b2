/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a command: its own, those that every command has, and the parameters of an operation by their names in
 * the table of operations. */
#ifndef TRNSCI_CLI_OPTIONS_H
#define TRNSCI_CLI_OPTIONS_H

#include "cli.h"

struct option_row {
	const char *name;
	char letter;       /* 0: none */
	const char *value; /* what stands behind it; NULL: nothing */
	const char *help;
};

struct option_set {
	const char *usage; /* "rand normal -n COUNT [option ...]" */
	const char *help;  /* one line */
	const struct option_row *rows;
	size_t n_rows;
	const char *operation; /* whose parameters are options, too; NULL: none */
	const char *hidden;    /* " n out " : those that are not */
};

enum { OPTIONS_MAX = 64 };

struct options {
	const struct option_set *set;
	struct {
		const char *name, *text;
	} given[OPTIONS_MAX];
	size_t n_given;
	char **operands;
	int n_operands;
	bool helped; /* --help was asked for and has been printed */
};

/* An exit code; options that every command has go to cli. */
int options_parse(const struct option_set *set, struct cli *cli, int argc, char **argv, struct options *ret);

/* The option's text, "" for a flag; NULL when it was not given. The last one counts. */
const char *options_get(const struct options *options, const char *name);

/* The given option as an integer, or *ret untouched. An exit code. */
int options_u64(const struct options *options, const char *name, uint64_t *ret);

/* Sets every given parameter of the operation in args, by its type. An exit code. */
int options_set_parameters(const struct options *options, struct trnsci_args *args);

/* Integers separated by commas, at most TRNSCI_MAX_DIMS of them, each within bounds. */
bool options_list(const char *text, int64_t least, int64_t most, int64_t *ret, size_t *ret_count);

/* Decimal or 0x; false when it is anything else or beyond 64 bits. */
bool parse_u64(const char *text, uint64_t *ret);

#endif
