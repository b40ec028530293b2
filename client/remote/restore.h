/* SPDX-License-Identifier: Apache-2.0 */
/* A session's tiles, on a new connection. */
#ifndef TRNSCI_CLIENT_REMOTE_RESTORE_H
#define TRNSCI_CLIENT_REMOTE_RESTORE_H

#include "handshake.h"
#include "session/session.h"

/* Gets an arena of the old one's size, makes every tile of the session where it lay, copies their content and puts the
 * new arena at the old one's address. with_content: the daemon is another one, which left the old arena as it was;
 * otherwise, and where that arena is marked, all tiles are `lost`. On error the session is as it was: the daemon's
 * errors, -ERROR_BAD_REPLY, -ERROR_NO_MEMORY, -ERROR_SYSTEM. With the session's lock. */
int restore(struct trnsci_session *session, struct handshake *handshake, bool with_content, struct error *err);

#endif
