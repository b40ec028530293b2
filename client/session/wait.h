/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for what other threads of a session do, and for what its daemon answers. */
#ifndef TRNSCI_CLIENT_SESSION_WAIT_H
#define TRNSCI_CLIENT_SESSION_WAIT_H

#include "session.h"

/* Waits until ready(arg), which is called with the lock, by any thread, is true. Who makes it true calls session_wake. Returns 0 or
 * -ERROR_TIMEOUT. With the lock. */
int session_wait(struct trnsci_session *session, bool (*ready)(void *arg), void *arg, int64_t deadline);

/* As session_wait, but returns unlocked: the woken thread does not take the lock again. It holds a reference to the session. Asks
 * the program from time to time whether to go on: -ERROR_CANCELLED if not. */
int session_wait_and_unlock(struct trnsci_session *session, bool (*ready)(void *arg), void *arg, int64_t deadline);

/* Asks the program whether to give up, at most every 50 ms: *ask_ns is when to ask next, 0 at first. Without the lock. */
bool session_is_interrupted(const struct trnsci_session *session, int64_t *ask_ns);

/* Wakes the threads inside session_wait whose condition is true now. With the lock. */
void session_wake(struct trnsci_session *session);

/* Reads what has come, then returns the number of the present connection: if two results differ, the daemon was lost in
 * between. Tries to bring back a session that has failed. -ERROR_CLOSED if nothing can be sent. Without the lock. */
int session_get_connection(struct trnsci_session *session, uint64_t *ret_connection, struct error *err);

#endif
