/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of a remote session: memory that the daemon passes. */
#ifndef TRNSCI_CLIENT_REMOTE_ARENA_H
#define TRNSCI_CLIENT_REMOTE_ARENA_H

#include "fdpass.h"
#include "session/session.h"

/* Maps what came with a reply of `bytes` bytes, of which at least `wanted` are needed, and takes its descriptor.
 * -ERROR_BAD_REPLY when number, seals or size are wrong; -ERROR_SYSTEM (also: no room for a descriptor). */
int arena_map(struct fdpass *fds, uint64_t bytes, size_t wanted, struct arena *ret_arena, struct error *err);

/* Whether the daemon had ended the session before it went, and so may have emptied the arena. */
bool arena_is_marked(const struct arena *arena);

/* As session_engine wants it. */
int remote_get_arena(struct trnsci_session *session, size_t bytes, struct arena *ret_arena, struct error *err);

#endif
