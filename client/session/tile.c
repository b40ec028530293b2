/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles as objects: references, the session's list, and what is known of their content. */
#include "tile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "base/dtype.h"
#include "base/store_around.h"
#include "wait.h"

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
	if (!tile_handle(tile) || tile_is_lost(tile) == lost || (lost && tile->rewritten))
		return;
	atomic_store_explicit(&tile->lost, lost, memory_order_relaxed);
	tile->session->n_lost = lost ? tile->session->n_lost + 1 : tile->session->n_lost - 1;
}

/* ---- copying: trnsci_close of another thread unmaps the memory ---- */

/* A program that asks for the address of a tile whose content is lost is about to fill it. */
void *trnsci_tile_data(const struct trnsci_tile *tile)
{
	if (!tile)
		return NULL;
	if (tile_is_lost(tile) && session_check(tile->session, NULL) == 0) {
		pthread_mutex_lock(&tile->session->lock);
		tile_set_lost((struct trnsci_tile *)tile, false); /* that it is lost is bookkeeping: const is about the array */
		pthread_mutex_unlock(&tile->session->lock);
	}
	return tile->data;
}

int tile_write(const struct trnsci_tile *tile, const void *from, uint64_t *ret_connection, struct error *err)
{
	const int r = session_check_and_enter(tile->session, err);

	if (r < 0)
		return r;
	*ret_connection = atomic_load(&tile->session->connection);
	if (tile->bytes)
		memcpy(trnsci_tile_data(tile), from, tile->bytes);
	session_leave(tile->session);
	return 0;
}

static int read_tile(const struct trnsci_tile *tile, void *to, bool around, struct error *err)
{
	const int r = session_check_and_enter(tile->session, err);

	if (r < 0)
		return r;
	if (around) {
		store_around_copy(to, tile->data, tile->bytes);
		store_around_end();
	} else if (tile->bytes) {
		memcpy(to, tile->data, tile->bytes);
	}
	session_leave(tile->session);
	return 0;
}

/* With the lock: a session that is restored moves its tiles. */
static bool was_kept(const struct trnsci_tile *tile, uint64_t connection)
{
	bool kept;

	pthread_mutex_lock(&tile->session->lock);
	kept = tile->session->connection == connection && tile->arena && tile->arena->base && arena_has_trailer(tile->arena);
	pthread_mutex_unlock(&tile->session->lock);
	return kept;
}

int tile_read_answer(const struct trnsci_tile *tile, uint64_t connection, void *to, bool around, struct error *err)
{
	uint64_t present;
	int r = read_tile(tile, to, around, err);

	if (r < 0 || was_kept(tile, connection))
		return r;
	r = session_get_connection(tile->session, &present, err);
	return r < 0 ? r : present != connection;
}

/* ---- describing ---- */

void tile_write_shape(const struct trnsci_tile *tile, char *text, size_t room)
{
	size_t used = (size_t)snprintf(text, room, "%s [", dtype_name((enum dtype)tile->dtype));

	for (size_t i = 0; i < tile->ndim && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, i ? ", %" PRIu64 : "%" PRIu64, tile->shape[i]);
	if (used < room)
		snprintf(text + used, room - used, "]");
}
