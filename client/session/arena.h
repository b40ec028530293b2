/* SPDX-License-Identifier: Apache-2.0 */
/* The session's memory for tiles: arenas, in the order in which they were added. */
#ifndef TRNSCI_CLIENT_SESSION_ARENA_H
#define TRNSCI_CLIENT_SESSION_ARENA_H

#include "session.h"

/* Bytes at the end of a remote arena where no tile lies, for the library's own trailer: see arena_has_trailer. */
enum { ARENA_RESERVE = 64 };

struct arena {
	struct arena *next; /* a younger one */
	uint32_t handle;    /* on the present connection */
	char *base; /* NULL: unmapped, the session was closed */
	size_t size;    /* bytes */
	int fd;         /* remote: the memfd, owned; embedded: -1 */
	size_t n_tiles; /* of this process, in it */
	bool leaving;   /* it was given back, and the daemon has not answered */
};

/* Adds the arena, which is the session's from then on. With the session's lock. */
void arena_add(struct trnsci_session *session, struct arena *arena);
/* Returns the arena of that handle, or NULL. With the session's lock. */
struct arena *arena_find(const struct trnsci_session *session, uint64_t handle);
/* Takes an arena out of the session and frees it. With the session's lock. */
void arena_remove(struct trnsci_session *session, struct arena *arena);
/* Takes out and frees all arenas. Nobody uses the session any more, or its lock is held. */
void arena_remove_all(struct trnsci_session *session);

/* Writes the trailer of a remote arena that was just mapped. */
void arena_write_trailer(struct arena *arena);
/* Returns whether a remote arena holds what was written to it: a daemon that ends a session while it lives closes the connection,
 * and then empties an arena beginning with its last page, where the trailer is. A caller that has read a tile looks after that. */
bool arena_has_trailer(const struct arena *arena);

/* Unmaps the memory and closes its descriptor; an embedded engine's memory is its own. */
void arena_unmap(struct arena *arena);
/* The same, and frees the arena. Accepts NULL. */
void arena_free(struct arena *arena);

#endif
