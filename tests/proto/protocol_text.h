/* SPDX-License-Identifier: Apache-2.0 */
/* The generated part of proto/PROTOCOL.md: tables of errors, dtypes, precisions and counters, and every method's parameters and
 * example, all from the tables that the product itself expands. */
#ifndef TRNSCI_TESTS_PROTO_PROTOCOL_TEXT_H
#define TRNSCI_TESTS_PROTO_PROTOCOL_TEXT_H

#include <stdio.h>

/* Writes the generated part. It shows one example of each kind of method in bytes. The examples run in the session
 * memory that examples_begin() was given. */
void protocol_write(FILE *out);

/* Writes the example of every method in bytes, each behind a line "### NAME", so that two engines can be compared. */
void protocol_write_bytes(FILE *out);

#endif
