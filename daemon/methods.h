/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of the session itself: arena, cancel, stats. All others are the engine's. */
#ifndef TRNSCI_DAEMON_METHODS_H
#define TRNSCI_DAEMON_METHODS_H

#include "base/value.h"
#include "engine/operations.h"
#include "session.h"

/* operation: a row of METHOD_SESSION. On success the reply, allocated in zone, and a file descriptor that goes with
 * it (-1: none; it stays the session's). On error err says why. */
int method_call(struct session *session, const struct operation *operation, const struct value *params,
		struct zone *zone, struct value *ret_result, int *ret_fd, struct error *err);

#endif
