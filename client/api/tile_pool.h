/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of the library's own, through which the caller's arrays go to a daemon and come back. Up to POOLED_TILES small
 * ones are kept, so that a call that comes again needs no request for its tiles. */
#ifndef TRNSCI_CLIENT_API_TILE_POOL_H
#define TRNSCI_CLIENT_API_TILE_POOL_H

#include "call/call.h"
#include "session/tile.h"

/* Sets the call's parameter `name` to a tile of the array's dtype and shape, with any content. The tile is lent to the call until that
 * is freed, and stands in its `lent`. Errors: as trnsci_tile_new. */
int tile_pool_lend(struct trnsci_call *call, const char *name, const struct trnsci_array *like, struct error *err);

/* Lends a tile to a call that stays. -ERROR_LIMIT, too, where such calls have 64 MiB already. */
int tile_pool_lend_for_long(struct trnsci_call *call, const char *name, const struct trnsci_array *like, struct error *err);

#endif
