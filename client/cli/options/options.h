/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a command: its own, those that every command has, and the parameters of an operation by their names in
 * the table of operations. */
#ifndef TRNSCI_CLI_OPTIONS_H
#define TRNSCI_CLI_OPTIONS_H

#include "cli.h"
#include "numbers.h"
#include "option_set.h"

enum { OPTIONS_MAX = 64 };

struct options {
	const struct option_set *set;
	struct option_given {
		const char *name, *text;
	} given[OPTIONS_MAX];
	size_t n_given;
	char **operands;
	int n_operands;
	bool quiet;  /* -q was given */
	bool helped; /* --help was asked for and has been printed */
	char seed[24]; /* the one that --seed random chose */
	bool takes_arrays; /* numbers may be "@FILE" */
};

/* Moves the operands of argv, of which the options are not known before the first one names a distribution, to the front:
 * behind argv[0], at most `most` of them. Options are those of every command, of rows and of all operations of the
 * category. Returns how many operands stand there. */
int options_lead_operands(const struct option_row *rows, size_t n_rows, const char *category, int argc, char **argv, int most);

/* How many words of argv, with argv[0], stand before the first operand: options of every command and of rows, and their
 * values. */
int options_count_leading(const struct option_row *rows, size_t n_rows, int argc, char **argv);

/* Whether --help or -h stands anywhere. */
bool options_ask_for_help(int argc, char **argv);

/* An exit code; options that every command has go to cli. */
int options_parse(const struct option_set *set, struct cli *cli, int argc, char **argv, struct options *ret);

/* The option's text, "" for a flag; NULL when it was not given. The last one counts. */
const char *options_get(const struct options *options, const char *name);

/* The same of an option that is the command's own row, not a parameter of its operation. */
const char *options_own(const struct options *options, const char *name);

/* Whether the command's operation has a parameter of this name. */
bool options_has_parameter(const struct options *options, const char *name);

/* The given option as an integer, or *ret untouched. An exit code. */
int options_u64(const struct options *options, const char *name, uint64_t *ret);

/* Whether option i that was given is a number in a file, "@FILE", which the command reads. */
bool options_is_file(const struct options *options, size_t i);

/* Sets every given parameter of the operation in args, by its type. An exit code. */
int options_set_parameters(const struct options *options, struct trnsci_args *args);

/* Integers separated by commas, at most TRNSCI_MAX_DIMS of them, each within bounds. */
bool options_list(const char *text, int64_t least, int64_t most, int64_t *ret, size_t *ret_count);

/* Returns the axis that the option `axis` names among ndim, counted from the end: 1 is the last, which is the default; 0: there is no
 * such axis. */
size_t options_axis(const struct options *options, size_t ndim);

#endif
