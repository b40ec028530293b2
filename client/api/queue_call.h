/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls run through a daemon's queue, and what they need for it. */
#ifndef TRNSCI_CLIENT_API_QUEUE_CALL_H
#define TRNSCI_CLIENT_API_QUEUE_CALL_H

#include "call/call.h"

/* Counts a run that begins. When the call is run often, makes the session's queue and what the call needs to run through it: the
 * calling thread waits for the daemon's answers once. Whatever fails, the call is sent as any other. Without the lock. */
void queue_call_count(struct trnsci_call *call);

#endif
