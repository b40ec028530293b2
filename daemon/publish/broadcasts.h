/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts: one generation for many readers. A broadcast has a name, belongs to the session that made it and ends
 * with it; who may read it is told by its mode, as a file's. */
#ifndef TRNSCI_DAEMON_BROADCASTS_H
#define TRNSCI_DAEMON_BROADCASTS_H

#include "base/value.h"
#include "engine/operations/bind.h"
#include "engine/operations/operations.h"
#include "fdpass.h"
#include "net/session.h"

/* broadcast_create, _publish, _attach, _list and _close, as method_call. METHOD_LATER: a publish is answered when its
 * samples can be seen. */
int broadcasts_call(struct session *session, const struct args *args, uint32_t msgid, struct bump *bump,
		    struct value *result, struct fdpass *ret_fds, struct error *err);

/* Asks those of the session for their end; session->n_broadcasts tells when they have come to it. */
void broadcasts_close(struct session *session);

#endif
