/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in lines of text: csv, and columns with blanks between. */
#ifndef TRNSCI_CLI_FILES_TABLE_H
#define TRNSCI_CLI_FILES_TABLE_H

#include <stddef.h>

#include "npy/npy.h"

/* Whether bytes, the start of a file, can be numbers in text. */
bool table_is(const unsigned char *start, size_t size);

/* Reads lines of numbers, separated by commas, semicolons or blanks; # begins a comment; the first line may be names. One
 * column is a vector, more are rows; columns named re,im, or re0,im0,..., are complex. *ret_data, float64 or complex128, is
 * the caller's to free. text ends with a NUL. An exit code. */
int table_read(const char *name, const char *text, struct npy *ret_array, void **ret_data);

#endif
