/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles as objects: references, the session's list, and what is known of their content. */
#include "tile.h"

#include <stdlib.h>

#include "arena.h"

struct trnsci_tile *tile_ref(const struct trnsci_tile *tile)
{
	struct trnsci_tile *own = (struct trnsci_tile *)tile;

	if (own)
		atomic_fetch_add_explicit(&own->refs, 1, memory_order_relaxed);
	return own;
}

void tile_unref(struct trnsci_tile *tile)
{
	if (tile && atomic_fetch_sub_explicit(&tile->refs, 1, memory_order_acq_rel) == 1)
		free(tile);
}

void tile_list_add(struct trnsci_session *session, struct trnsci_tile *tile)
{
	session->refs++;
	tile->session = session;
	tile->next = session->tiles;
	if (tile->next)
		tile->next->previous = tile;
	session->tiles = tile;
}

/* From here on, requests that still name the tile name no tile, and are refused. */
void tile_list_remove(struct trnsci_tile *tile)
{
	if (tile->next)
		tile->next->previous = tile->previous;
	*(tile->previous ? &tile->previous->next : &tile->session->tiles) = tile->next;
	tile->next = tile->previous = NULL;
	tile_set_lost(tile, false);
	if (tile->arena)
		tile->arena->n_tiles--;
	tile->arena = NULL;
	tile->data = NULL;
	tile->session->n_frees++;
	atomic_store_explicit(&tile->handle, 0, memory_order_relaxed);
}

void tile_set_lost(struct trnsci_tile *tile, bool lost)
{
	if (!tile_handle(tile) || tile_is_lost(tile) == lost)
		return;
	atomic_store_explicit(&tile->lost, lost, memory_order_relaxed);
	tile->session->n_lost = lost ? tile->session->n_lost + 1 : tile->session->n_lost - 1;
}
