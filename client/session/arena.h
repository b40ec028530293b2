/* SPDX-License-Identifier: Apache-2.0 */
/* The session's memory for tiles: one arena, got when the first tile is made. */
#ifndef TRNSCI_CLIENT_SESSION_ARENA_H
#define TRNSCI_CLIENT_SESSION_ARENA_H

#include "session.h"

/* Gets the session's arena from its engine unless the session has it or is closed. Without the lock; several threads
 * may ask at once. */
int arena_ensure(struct trnsci_session *session, struct error *err);

/* Unmaps the memory and closes its descriptor. Accepts an arena without memory. */
void arena_unmap(struct arena *arena);

#endif
