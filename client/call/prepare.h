/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared calls: how the engine is asked for one, and when it may forget it. ladder.h says when.
 *
 * The request `prepare` goes to a daemon with the run before the first that uses it, so nobody waits for it. An embedded engine
 * prepares at once. A call whose preparation is refused is sent whole. */
#ifndef TRNSCI_CLIENT_CALL_PREPARE_H
#define TRNSCI_CLIENT_CALL_PREPARE_H

#include "call.h"

/* Has the engine prepare the call. Without the lock. */
void prepare_ask(struct trnsci_call *call);

/* Drops what the engine has prepared if the parameters have changed or it went with its connection; returns whether that was so. Sends
 * what the session has to release. The call is not in flight. Without the lock. */
bool prepare_renew(struct trnsci_call *call, bool changed);

/* Returns whether the next run is sent by the handle of the prepared call. With the lock. */
bool prepare_is_used(const struct trnsci_call *call);

/* Releases the prepared call; its owner frees it. Without the lock. */
void prepare_end(struct trnsci_call *call);

#endif
