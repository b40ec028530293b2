/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of selftest --byte-tiles. */
#ifndef TRNSCI_CLI_BYTE_TILES_H
#define TRNSCI_CLI_BYTE_TILES_H

#include "cli.h"

/* Prints them; returns the number of rows that did not pass. */
int print_byte_tiles(void);

#endif
