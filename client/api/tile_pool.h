/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of the library's own, through which the caller's arrays go to a daemon and come back. Up to POOLED_TILES small
 * ones are kept, so that a call that comes again needs no request for its tiles. */
#ifndef TRNSCI_CLIENT_API_TILE_POOL_H
#define TRNSCI_CLIENT_API_TILE_POOL_H

#include "call/call.h"
#include "session/tile.h"

/* Returns a tile of the array's dtype and shape, with any content. Errors: as trnsci_tile_new. */
int tile_pool_take(struct trnsci_session *session, const struct trnsci_array *like, struct trnsci_tile **ret_tile,
		   struct error *err);

/* Takes back a tile that `call` used; accepts NULL. If the call is still in flight (its time limit is over), the tile
 * is freed: nobody else may use it while the daemon can write it. */
void tile_pool_give(const struct trnsci_call *call, struct trnsci_tile *tile);

#endif
