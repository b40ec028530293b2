/* SPDX-License-Identifier: Apache-2.0 */
/* What a command is: a row of data from which its options are parsed and its help, its completion and its manual are made. */
#ifndef TRNSCI_CLI_COMMAND_H
#define TRNSCI_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct cli;
struct options;

struct option_row {
	const char *name;
	char letter;       /* 0: none */
	const char *value; /* what stands behind it; NULL: nothing */
	const char *help;
};

/* What is open when a command runs. */
enum needs { NEEDS_NOTHING, NEEDS_SESSION, NEEDS_DAEMON };

enum { ANY_OPERANDS = -1 };

struct command {
	const char *name;    /* all of its words: "stream create" */
	const char *summary; /* one line in the list of commands */
	const char *usage;   /* what stands behind the name: "NAME DIST -n COUNT [option ...]" */
	const char *help;
	const char *example; /* "fft signal.npy -o spectrum.npy", which the tests run; NULL: none */

	/* Options: its own rows, and the parameters of an operation. */
	const struct option_row *rows;
	size_t n_rows;
	const char *operation; /* whose parameters are options, too; NULL: none */
	const char *hidden;    /* " n shape " : those that are not; no tile is */
	bool takes_arrays;     /* a number may be "@FILE", an array in a file */

	/* An operand that chooses, called `word` in the usage: an operation of the category, whose parameters are then options, or
	 * one of the command's own commands (NULL behind the last). */
	const char *word, *kind; /* "DIST", "distribution"; NULL: no operand does */
	const char *category;
	const struct command *const *inner;
	const struct command *otherwise; /* runs where the operand names no operation, or a file that exists; NULL: it must */

	/* Other operands: how many, what they are ("inputs") and what is allowed ("one: a file or -"), for complaints. */
	int n_operands;
	const char *operands, *allowed; /* NULL: an operand is an unexpected argument */

	bool names_stream; /* the first operand is the name of a stream that there is */
	const void *own;   /* what `run` needs besides */
	enum needs needs;
	bool reports; /* prints a report, as JSON with --json */
	int (*run)(struct cli *cli, const struct options *options); /* an exit code */
};

#define ROWS(array) .rows = (array), .n_rows = sizeof(array) / sizeof *(array)

/* Rows of commands that write sound; see files/output.h. */
#define SOUND_FS_ROW   {"fs", 0, "HZ", "of sound: samples in a second [that of the input, else 48000]"}
#define SOUND_RATE_ROW {"rate", 0, "HZ", "of sound: as --fs"}

#endif
