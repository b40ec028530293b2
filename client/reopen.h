/* SPDX-License-Identifier: Apache-2.0 */
/* A session's tiles, on a new connection. */
#ifndef TRNSCI_CLIENT_REOPEN_H
#define TRNSCI_CLIENT_REOPEN_H

#include "line.h"
#include "session.h"

/* Gets an arena, makes every tile of the session anew where it lay, and what it held again where that is known. On
 * success the new arena stands at the old one's address, tiles have new handles, and those whose content could not be
 * had are `lost`. On error the session is as it was: the daemon's errors, -ERROR_BAD_REPLY, -ERROR_NO_MEMORY,
 * -ERROR_SYSTEM. With the session's lock. */
int reopen(struct trnsci_session *session, struct line *line, struct error *err);

#endif
