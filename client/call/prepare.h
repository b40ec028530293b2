/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared calls: the engine validates and compiles a call once, and later runs send only what changes.
 *
 * A call that computes is prepared when it is run again with the same parameters. A daemon is asked at the fourth run:
 * most calls are run once or twice, and a preparation costs as much as a run. The request `prepare` goes out with that
 * run, so nobody waits for it. In an embedded session the second run prepares the call and is the first to use it.
 * Changed parameters or another connection end the preparation. A call whose preparation is refused is sent whole. */
#ifndef TRNSCI_CLIENT_CALL_PREPARE_H
#define TRNSCI_CLIENT_CALL_PREPARE_H

#include "call.h"

/* What the thread that runs a call has to send before it. */
struct prepare_todo {
	bool releases;            /* the session has prepared calls to release */
	struct trnsci_call *call; /* to be prepared, with one reference; NULL: none */
	uint64_t connection, preparation;
};

/* In an embedded session: counts a run that begins, and prepares the call when it is time. Without the lock. */
void prepare_here(struct trnsci_call *call);

/* By a daemon: counts a run that begins, and returns what to send before it. With the lock. */
struct prepare_todo prepare_begin(struct trnsci_call *call);
/* Sends it. Without the lock. */
void prepare_send(struct trnsci_session *session, const struct prepare_todo *todo);

/* Returns whether the next run is sent by the handle of the prepared call. With the lock. */
bool prepare_is_used(const struct trnsci_call *call);

/* Releases a prepared call of that connection. Without the lock. */
void prepare_release(struct trnsci_session *session, uint32_t handle, uint64_t connection);

/* Releases the prepared call; its owner frees it. Without the lock. */
void prepare_end(struct trnsci_call *call);

#endif
