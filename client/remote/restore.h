/* SPDX-License-Identifier: Apache-2.0 */
/* Restoring a session's tiles on a new connection. */
#ifndef TRNSCI_CLIENT_REMOTE_RESTORE_H
#define TRNSCI_CLIENT_REMOTE_RESTORE_H

#include "handshake.h"
#include "session/session.h"

/* Gets an arena of each old one's size, makes every tile at its old offset, copies the contents, and maps the new arenas
 * at the old ones' addresses. with_content: the daemon is another one, and the old one left its arenas as they were;
 * otherwise, or where an old arena has lost its trailer, the tiles are lost. On an error (the daemon's, -ERROR_BAD_REPLY,
 * -ERROR_NO_MEMORY, -ERROR_SYSTEM) the session is as before, but that arenas may have been replaced after -ERROR_SYSTEM:
 * it can be restored again. With the session's lock. */
int restore_tiles(struct trnsci_session *session, struct handshake *handshake, bool with_content, struct error *err);

#endif
