/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting again after a daemon was lost, and sending again what may be.
 *
 * The function that notices the loss waits for a daemon, for reconnect_ms. If none comes, what is in flight is answered, and the
 * session has failed. It is not dead: each new call makes one attempt, and fails at once between two attempts. */
#ifndef TRNSCI_CLIENT_REMOTE_RECONNECT_H
#define TRNSCI_CLIENT_REMOTE_RECONNECT_H

#include "session/session.h"

/* Waits for a daemon for reconnect_ms, restores the tiles and sends the calls in flight again, or fails the session.
 * `why` says how the connection was lost. With the lock. */
void reconnect(struct trnsci_session *session, const char *why);

/* Makes one attempt for a session that has failed so, if the last was long enough ago: on success session->failure is none, and
 * otherwise it has the reason of the last attempt. With the lock. */
void reconnect_once(struct trnsci_session *session);

#endif
