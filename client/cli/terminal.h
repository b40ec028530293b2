/* SPDX-License-Identifier: Apache-2.0 */
/* Text for the width of the terminal. */
#ifndef TRNSCI_CLI_TERMINAL_H
#define TRNSCI_CLI_TERMINAL_H

#include <stddef.h>

/* Returns the columns of the terminal on stdout; 0: it is none, and lines may be of any length. */
size_t terminal_columns(void);

/* Prints text from a column on, in lines of at most `width` columns (0: one line), and ends the last one. Lines break at blanks
 * and behind '|'; those after the first are indented. */
void terminal_print(const char *text, size_t column, size_t indent, size_t width);

#endif
