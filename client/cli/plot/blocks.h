/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in a terminal, of the block characters of Unicode. */
#ifndef TRNSCI_CLI_PLOT_BLOCKS_H
#define TRNSCI_CLI_PLOT_BLOCKS_H

#include "picture.h"

/* Prints the picture on stdout, as wide as the terminal, at most 100 columns. */
void blocks_print(const struct picture *picture);

#endif
