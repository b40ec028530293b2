/* SPDX-License-Identifier: Apache-2.0 */
/* An arena of a remote session: memory that the daemon makes and passes as a memfd. */
#ifndef TRNSCI_CLIENT_REMOTE_ARENA_MAP_H
#define TRNSCI_CLIENT_REMOTE_ARENA_MAP_H

#include "base/value.h"
#include "fdpass.h"
#include "session/arena.h"

/* Adds the parameters of a request for an arena of `bytes`, with room for the trailer. -ERROR_NO_MEMORY */
int arena_map_put_params(struct bump *bump, struct value *params, uint64_t bytes);

/* Maps the one memfd that came with a reply to `arena`, at least `wanted` bytes, writes its trailer, and takes its descriptor. The
 * arena is the caller's. -ERROR_BAD_REPLY if number, seals or size are wrong; -ERROR_SYSTEM, also if this process can have
 * no more descriptors; -ERROR_NO_MEMORY. */
int arena_map(struct fdpass *fds, const struct value *reply, size_t wanted, struct arena **ret_arena, struct error *err);

#endif
