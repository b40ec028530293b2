/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of the session itself: arena, cancel, stats, those of rings and broadcasts. All others are the engine's. */
#ifndef TRNSCI_DAEMON_METHODS_H
#define TRNSCI_DAEMON_METHODS_H

#include "base/value.h"
#include "engine/operations/operations.h"
#include "fdpass.h"
#include "net/session.h"

/* operation: a row of METHOD_SESSION. On success the reply, allocated in bump, and the file descriptors that go with
 * it, the caller's from then on. On error err says why. METHOD_LATER: the
 * reply to msgid follows by itself. */
enum { METHOD_LATER = 1 };
int method_call(struct session *session, const struct operation *operation, const struct value *params, uint32_t msgid,
		struct bump *bump, struct value *ret_result, struct fdpass *ret_fds, struct error *err);

#endif
