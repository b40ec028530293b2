/* SPDX-License-Identifier: Apache-2.0 */
/* Handing a call to the session's engine, and asking for its end. */
#ifndef TRNSCI_CLIENT_CALL_SEND_H
#define TRNSCI_CLIENT_CALL_SEND_H

#include "call.h"

/* Marks the call as in flight, with a further reference for its sender. answers_to_next: its answer is for trnsci_next.
 * -ERROR_CLOSED if the session is closed or has failed. With the lock. */
int call_begin(struct trnsci_call *call, bool answers_to_next, struct error *err);

/* Sends a call that was begun and drops the sender's reference. If it cannot be sent, the error is the call's. Without
 * the lock. */
int call_send(struct trnsci_call *call);

/* Takes an answered call out of the queue for trnsci_next. With the last one goes what was kept back for it. With the lock. */
void call_unlist(struct trnsci_call *call);

/* Sends a request whose answer nobody waits for, and frees the call. Without the lock. */
void call_send_unawaited(struct trnsci_call *call);

/* As trnsci_cancel, for a call of a session that was checked. */
void call_cancel(struct trnsci_call *call);

#endif
