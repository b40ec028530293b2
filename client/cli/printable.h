/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others, made fit for a terminal: names, versions and errors may come from a daemon that somebody else runs. */
#ifndef TRNSCI_CLI_PRINTABLE_H
#define TRNSCI_CLI_PRINTABLE_H

#include <stddef.h>

enum { PRINTABLE_ROOM = 512 };

/* Copies text, cut to fit, and returns the copy. Each byte that belongs to no printable character of UTF-8 becomes a question mark:
 * a terminal would obey control characters, and those that change the direction of text. text may be NULL, for none. */
const char *printable(const char *text, size_t size, char room[static PRINTABLE_ROOM]);
/* Copies a string as printable does. */
const char *printable_string(const char *text, char room[static PRINTABLE_ROOM]);
/* Replaces the same bytes in place, to the 0 at the end. */
void make_printable(char *text);

#endif
