/* SPDX-License-Identifier: Apache-2.0 */
/* What the draws of rand and of named streams share. */
#ifndef TRNSCI_CLI_RAND_H
#define TRNSCI_CLI_RAND_H

#include "cli.h"
#include "files/output.h"
#include "options/options.h"

#define RAND_ROWS                                                                                                      \
	{"count", 'n', "COUNT", "samples of the whole draw [as many as the largest @FILE has elements]"}, OUTPUT_ROWS, SOUND_ROWS

/* Draws the command's operation from the stream that the operand before DIST names, or without one from that of the options. */
int rand_run(struct cli *cli, const struct options *options);

#endif
