/* SPDX-License-Identifier: Apache-2.0 */
/* One exchange of a method, as text and in the bytes that the codec writes. */
#ifndef TRNSCI_TESTS_PROTO_PROTOCOL_EXAMPLE_H
#define TRNSCI_TESTS_PROTO_PROTOCOL_EXAMPLE_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/operations/operations.h"

/* Whether the bytes of the method's results depend on the instruction set. */
bool protocol_has_own_bytes(const char *method);

/* Write the method's request and reply, each as text and in bytes; and its reply alone, as text, or the name of the chapter that
 * describes it. The example runs in the session memory that examples_begin() was given. */
void protocol_example(const struct operation *operation, FILE *out);
void protocol_reply(const struct operation *operation, FILE *out);

#endif
