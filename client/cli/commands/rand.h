/* SPDX-License-Identifier: Apache-2.0 */
/* What the draws of rand and of named streams share. */
#ifndef TRNSCI_CLI_RAND_H
#define TRNSCI_CLI_RAND_H

#include "cli.h"
#include "files/output.h"
#include "options/options.h"

#define RAND_ROWS                                                                                                      \
	{"count", 'n', "COUNT", "samples of the whole draw [as many as the largest @FILE has elements]"}, OUTPUT_ROWS, SOUND_ROWS

/* Draws set->operation from the stream of that name, or (NULL) from that of the options. argv[0] is the distribution's
 * name. */
int rand_run_distribution(struct cli *cli, const struct option_set *set, const char *name, int argc, char **argv);

#endif
