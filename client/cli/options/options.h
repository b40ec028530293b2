/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a command: its own, those that every command has, and the parameters of an operation by their names in
 * the table of operations. */
#ifndef TRNSCI_CLI_OPTIONS_H
#define TRNSCI_CLI_OPTIONS_H

#include "cli.h"
#include "numbers.h"

enum { OPTIONS_MAX = 64 };

struct options {
	const struct command *command;
	struct option_given {
		const char *name, *text;
	} given[OPTIONS_MAX];
	size_t n_given;
	char **operands;
	int n_operands;
	const char *name; /* the operand before DIST */
	bool quiet;  /* -q was given */
	bool helped; /* --help was asked for and has been printed */
	char seed[24]; /* the one that --seed random chose */
};

/* Moves the operands of argv, of which the options are not known before the first one names an operation, to the front:
 * behind argv[0], at most `most` of them. Options are those of every command, the command's own and of all operations of its
 * category. Returns how many operands stand there. */
int options_lead_operands(const struct command *command, int argc, char **argv, int most);

/* How many words of argv, with argv[0], stand before the first operand: options and their values. */
int options_count_leading(const struct command *command, int argc, char **argv);

/* Whether --help or -h stands anywhere. */
bool options_ask_for_help(int argc, char **argv);

/* An exit code; options that every command has go to cli. */
int options_parse(const struct command *command, struct cli *cli, int argc, char **argv, struct options *ret);

/* The option's text, "" for a flag; NULL when it was not given. The last one counts. */
const char *options_get(const struct options *options, const char *name);

/* The same; a parameter that was not given has the default of the table of operations: NULL where there is none. */
const char *options_value(const struct options *options, const char *name);

/* Whether the option, or its default, is this text; of a flag, "true" stands for whatever switches it on. */
bool options_is(const struct options *options, const char *name, const char *text);

/* The text of an option that is the command's own row, not a parameter of its operation. */
const char *options_own(const struct options *options, const char *name);

/* Whether the command's operation has a parameter of this name. */
bool options_has_parameter(const struct options *options, const char *name);

/* The given option as an integer, or *ret untouched. An exit code. */
int options_u64(const struct options *options, const char *name, uint64_t *ret);

/* Whether option i that was given is a number in a file, "@FILE", which the command reads. */
bool options_is_file(const struct options *options, size_t i);

/* Sets every given parameter of the operation in args, by its type. An exit code. */
int options_set_parameters(const struct options *options, struct trnsci_args *args);

enum { OPTIONS_NUMBERS = 4096 };

/* Lists every given parameter of the operation, but for those between blanks in `without`, ended by trnsci_param_end: ret has
 * room for OPTIONS_MAX + 1. Parameters that are lists of numbers have them in numbers, at most OPTIONS_NUMBERS in all. operation:
 * one whose parameters are the command's own rows; NULL: the command's operation. An exit code. */
int options_list_parameters(const struct options *options, const char *operation, const char *without, struct trnsci_param *ret,
			    double *numbers);

/* Integers separated by commas, at most TRNSCI_MAX_DIMS of them, each within bounds. */
bool options_list(const char *text, int64_t least, int64_t most, int64_t *ret, size_t *ret_count);

#endif
