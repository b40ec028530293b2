/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of a remote session: memory that the daemon passes. */
#ifndef TRNSCI_CLIENT_ARENA_H
#define TRNSCI_CLIENT_ARENA_H

#include "session.h"

/* Maps what came with a reply that tells `told` bytes, of which at least `wanted` are needed. -ERROR_BAD_REPLY when
 * number, seals or size are wrong; -ERROR_SYSTEM (also: no room for a descriptor). The descriptors stay the caller's. */
int arena_map(const struct fdpass *fds, uint64_t told, size_t wanted, void **ret_base, struct error *err);

/* As session_engine wants it. */
int remote_arena(struct trnsci_session *session, size_t bytes, struct arena *ret_arena, struct error *err);

#endif
