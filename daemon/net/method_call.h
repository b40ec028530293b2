/* SPDX-License-Identifier: Apache-2.0 */
/* A call of one of the session's own methods: what it is given and where its reply goes. */
#ifndef TRNSCI_DAEMON_METHOD_CALL_H
#define TRNSCI_DAEMON_METHOD_CALL_H

#include "base/value.h"
#include "engine/operations/bind.h"
#include "fdpass.h"

struct session;

struct method_call {
	struct session *session;
	const struct args *args; /* bound and checked */
	uint32_t msgid;
	struct bump *bump;    /* of the reply */
	struct value *result; /* an empty map */
	struct fdpass *fds;   /* empty; those of the reply are the outbox's afterwards */
	struct error *err;
};

/* Returns 0 with *call->result and *call->fds set; a negative error with *call->err set; or METHOD_DEFERRED: the method
 * replies to call->msgid later, by session_reply, and counts itself in session->n_deferred until then. */
typedef int method_function(struct method_call *call);

enum { METHOD_DEFERRED = 1 };

#endif
