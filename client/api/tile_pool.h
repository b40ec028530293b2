/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of the library's own, through which arrays of the caller go to a daemon and come back. They are kept, so that a
 * call that comes again makes none. */
#ifndef TRNSCI_CLIENT_API_TILE_POOL_H
#define TRNSCI_CLIENT_API_TILE_POOL_H

#include "session/array.h"
#include "session/session.h"

/* A tile of the array's dtype and shape; its data is ignored. Returns what trnsci_tile_new may return. */
int tile_pool_take(struct trnsci_session *session, const struct trnsci_array *like, struct trnsci_tile **ret_tile,
		   struct error *err);
/* Takes it back; accepts NULL. */
void tile_pool_give(struct trnsci_session *session, struct trnsci_tile *tile);

/* Frees all that are not in use. Whether there were any. */
bool tile_pool_drain(struct trnsci_session *session);

#endif
