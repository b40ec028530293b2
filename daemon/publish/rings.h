/* SPDX-License-Identifier: Apache-2.0 */
/* A session's noise rings: their memory, the eventfd by which the client wakes their filler, and their end. */
#ifndef TRNSCI_DAEMON_RINGS_H
#define TRNSCI_DAEMON_RINGS_H

#include "base/value.h"
#include "engine/operations/bind.h"
#include "fdpass.h"
#include "net/session.h"

/* Both as method_call: the reply, allocated in bump, and the file descriptors that go with it. */
int rings_attach(struct session *session, const struct args *args, struct bump *bump, struct value *result,
		 struct fdpass *ret_fds, struct error *err);
int rings_detach(struct session *session, const struct args *args, struct bump *bump, struct value *result,
		 struct error *err);

/* Asks all for their end; session->n_rings tells when they have come to it. */
void rings_close(struct session *session);

#endif
