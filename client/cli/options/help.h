/* SPDX-License-Identifier: Apache-2.0 */
/* Options in words: for --help, and for `describe`, which completion and the manuals are made from. */
#ifndef TRNSCI_CLI_OPTIONS_HELP_H
#define TRNSCI_CLI_OPTIONS_HELP_H

#include "command.h"
#include "rows.h"

struct option_text {
	char letter;       /* 0: none */
	char name[64];     /* as it is written: "n-fft" */
	const char *value; /* what stands behind it: choices in lower case, or something in capitals; NULL: nothing */
	char help[640];    /* with its unit and range */
	char fallback[256]; /* the default; "": none, or none that is worth a word */
	bool required;
	bool negates; /* --no-NAME stands beside it */
	char type[16]; /* value points here */
};

void option_of_row(const struct option_row *row, struct option_text *ret);
void option_of_parameter(const struct trnsci_parameter_info *parameter, struct option_text *ret);

/* Writes "above 0", "0 to 1", "1 and up", "also inf and -inf"; "" where the type says it all. */
void parameter_range(const struct trnsci_parameter_info *parameter, char *to, size_t room);

/* Prints the usage, every option with its unit, range and default, and the example. */
void help_print(const struct command *command);

#endif
