/* SPDX-License-Identifier: Apache-2.0 */
/* What options a command has. */
#ifndef TRNSCI_CLI_OPTIONS_OPTION_SET_H
#define TRNSCI_CLI_OPTIONS_OPTION_SET_H

#include <stddef.h>

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
	const char *example;   /* "fft signal.npy -o spectrum.npy", which the tests run; NULL: none */
};

/* Rows of commands that write sound; see files/output.h. */
#define SOUND_FS_ROW   {"fs", 0, "HZ", "of sound: samples in a second [that of the input, else 48000]"}
#define SOUND_RATE_ROW {"rate", 0, "HZ", "of sound: as --fs"}

#endif
