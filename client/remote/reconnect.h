/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting again after a daemon was lost, and sending again what may be. */
#ifndef TRNSCI_CLIENT_REMOTE_RECONNECT_H
#define TRNSCI_CLIENT_REMOTE_RECONNECT_H

#include "session/session.h"

/* Waits for a daemon for reconnect_ms, restores the tiles and sends the calls in flight again, or fails the session.
 * `why` says how the connection was lost. With the lock. */
void reconnect(struct trnsci_session *session, const char *why);

#endif
