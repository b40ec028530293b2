/* SPDX-License-Identifier: Apache-2.0 */
/* Restoring a session's tiles on a new connection. */
#ifndef TRNSCI_CLIENT_REMOTE_RESTORE_H
#define TRNSCI_CLIENT_REMOTE_RESTORE_H

#include "handshake.h"
#include "session/session.h"

/* Gets an arena of the old one's size, makes every tile at its old offset, copies the contents, and maps the new arena
 * at the old one's address. with_content: the daemon is another one, and the old one left the arena as it was;
 * otherwise, or if the old arena is marked, all tiles are lost. On an error (the daemon's, -ERROR_BAD_REPLY,
 * -ERROR_NO_MEMORY, -ERROR_SYSTEM) the session is as before. With the session's lock. */
int restore_tiles(struct trnsci_session *session, struct handshake *handshake, bool with_content, struct error *err);

#endif
