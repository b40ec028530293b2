/* SPDX-License-Identifier: Apache-2.0 */
/* A remote session whose daemon is gone: connecting again, and what is sent again. */
#ifndef TRNSCI_CLIENT_REMOTE_RECONNECT_H
#define TRNSCI_CLIENT_REMOTE_RECONNECT_H

#include "session/session.h"

/* The connection is gone: waits for a daemon for as long as the session's reconnect_ms says, restores the tiles and
 * sends again what may be; or fails the session. With the lock. */
void reconnect(struct trnsci_session *session, const char *why);

#endif
