/* SPDX-License-Identifier: Apache-2.0 */
/* A remote session whose daemon is gone: connecting again, and what is sent again. */
#ifndef TRNSCI_CLIENT_REVIVE_H
#define TRNSCI_CLIENT_REVIVE_H

#include "session.h"

/* Whether the call leaves something with the daemon that would be gone with it. */
bool call_binds(const struct trnsci_call *call);

/* Before it is sent: reads what has come, lest it be lost with a daemon that is gone already. With the lock. */
void call_look_first(struct trnsci_call *call);

/* The connection is gone: waits for a daemon for as long as the session's reconnect_ms says, and sends again what may
 * be; or fails the session. With the lock. */
void revive(struct trnsci_session *session, const char *why);

#endif
