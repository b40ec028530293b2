/* SPDX-License-Identifier: Apache-2.0 */
/* One request of each method, and what a daemon with one stream answers to those that the engine leaves to it. */
#ifndef TRNSCI_TESTS_PROTO_EXAMPLES_H
#define TRNSCI_TESTS_PROTO_EXAMPLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/value.h"
#include "engine/deferred_reply.h"
#include "engine/request.h"

enum { EXAMPLES_ARENA = 1 << 20 };

/* What the examples are made in and run in, from here on. */
void examples_begin(struct bump *bump, struct engine_session *memory);

/* The parameters of the method's example; false where it has none. */
bool example_params(const char *method, struct value *ret_params);
/* What a daemon's session replies to it. */
struct value example_session_reply(const char *method);
/* What a daemon does with a stream: the draws are the engine's own, the one stream that there is, is this. */
extern const struct deferred_reply_ops example_served;

/* Runs it in the session; it must succeed. The request is yours to free. */
void example_run(const char *method, const struct value *params, struct request **ret_request);

#endif
