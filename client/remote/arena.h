/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of a remote session: memory that the daemon makes and passes as a memfd. */
#ifndef TRNSCI_CLIENT_REMOTE_ARENA_H
#define TRNSCI_CLIENT_REMOTE_ARENA_H

#include "fdpass.h"
#include "session/session.h"

/* Maps the one memfd that came with a reply, `bytes` bytes by that reply and at least `wanted`, and takes its
 * descriptor. -ERROR_BAD_REPLY if number, seals or size are wrong; -ERROR_SYSTEM, also if this process can have no more
 * descriptors. */
int arena_map(struct fdpass *fds, uint64_t bytes, size_t wanted, struct arena *ret_arena, struct error *err);

/* Returns whether the daemon has marked the arena: it ended the session, and may have emptied the arena since. The mark
 * is the file's mode 0. */
bool arena_is_marked(const struct arena *arena);

/* As session_engine.get_arena. */
int remote_get_arena(struct trnsci_session *session, size_t bytes, struct arena *ret_arena, struct error *err);

#endif
