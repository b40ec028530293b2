/* SPDX-License-Identifier: Apache-2.0 */
/* One exchange of a method, as text or in the bytes that the codec writes. */
#ifndef TRNSCI_TESTS_PROTO_PROTOCOL_EXAMPLE_H
#define TRNSCI_TESTS_PROTO_PROTOCOL_EXAMPLE_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/operations/operations.h"

/* Whether the bytes of the method's results depend on the instruction set. */
bool protocol_has_own_bytes(const char *method);

/* Writes request and reply, in bytes or as text. As text it leaves out what computes, unless its reply has members of its own.
 * The example runs in the session memory that examples_begin() was given. */
void protocol_example(const struct operation *operation, bool bytes, FILE *out);

#endif
