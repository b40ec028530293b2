/* SPDX-License-Identifier: Apache-2.0 */
/* A session's noise rings: their memory, the eventfd by which the client wakes the producer, and their end. */
#ifndef TRNSCI_DAEMON_RINGS_H
#define TRNSCI_DAEMON_RINGS_H

#include "net/method_call.h"
#include "net/session.h"

/* The methods ring_attach and ring_detach. */
int rings_attach(struct method_call *call);
int rings_detach(struct method_call *call);

/* Closes all rings of a session; `why` as in ring_close. session->n_rings counts those that have not ended yet. */
void rings_end_session(struct session *session, enum error_code why);

#endif
