/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that other parts of the library make and free. */
#ifndef TRNSCI_CLIENT_API_TILE_H
#define TRNSCI_CLIENT_API_TILE_H

#include "call/call.h"
#include "session/tile.h"

/* Returns the tile that a call has made, from the map of its reply that describes it. -ERROR_BAD_REPLY, -ERROR_CLOSED
 * (its connection is gone, and the tile with it), -ERROR_NO_MEMORY. */
int tile_from_reply(const struct trnsci_call *call, const struct trnsci_value *map, struct trnsci_tile **ret_tile,
		    struct error *err);

/* Frees the tiles that the session keeps in its pool (tile_pool.h). Returns whether there were any. */
bool tile_free_pooled(struct trnsci_session *session);
/* The same, also those of cached calls: a limit keeps the program from a tile. Without the lock. */
bool tile_make_room(struct trnsci_session *session);

#endif
