/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a holder is all that a run and the thread that frees a tile share. Whoever moves it away from HELD has the
 * tiles: the run by exchanging it for RUNNING, the other thread, with the lock, by exchanging it for EMPTY. */
#include "engine/memory/tile_use.h"

#include <stdlib.h>

void tile_drop_use_locked(struct tile *tile)
{
	if (--tile->refs > 0)
		return;
	offset_allocator_release(tile->arena->allocator, tile->block);
	free(tile);
}

void tile_holder_add_locked(struct tile_holder *holder, struct tile *tile)
{
	struct tile_hold *hold = &holder->at[holder->n++];

	*hold = (struct tile_hold){.tile = tile, .holder = holder, .next = tile->holds};
	if (hold->next)
		hold->next->prev = hold;
	tile->holds = hold;
	tile->refs++;
}

void tile_holder_start_locked(struct tile_holder *holder)
{
	atomic_store_explicit(&holder->state, TILES_RUNNING, memory_order_relaxed);
}

static void unlink_hold(struct tile_hold *hold)
{
	if (hold->prev)
		hold->prev->next = hold->next;
	else
		hold->tile->holds = hold->next;
	if (hold->next)
		hold->next->prev = hold->prev;
}

static void give_all(struct tile_holder *holder)
{
	for (size_t i = 0; i < holder->n; i++) {
		unlink_hold(&holder->at[i]);
		tile_drop_use_locked(holder->at[i].tile);
	}
	holder->n = 0;
}

static bool exchange(struct tile_holder *holder, enum tile_holder_state from, enum tile_holder_state to)
{
	return atomic_compare_exchange_strong_explicit(&holder->state, &from, to, memory_order_acq_rel, memory_order_relaxed);
}

/* Returns whether the tiles were given back; a run in progress does so at its end. */
static bool lose(struct tile_holder *holder)
{
	/* A run that ends meanwhile goes from RUNNING to HELD, and another one the other way. */
	while (atomic_load_explicit(&holder->state, memory_order_relaxed) != TILES_LOST) {
		if (exchange(holder, TILES_HELD, TILES_EMPTY)) {
			give_all(holder);
			return true;
		}
		if (exchange(holder, TILES_RUNNING, TILES_LOST))
			return false;
	}
	return false;
}

void tile_holder_drop_locked(struct tile_holder *holder)
{
	if (atomic_load_explicit(&holder->state, memory_order_relaxed) == TILES_EMPTY)
		give_all(holder);
	else
		lose(holder);
}

/* A call may hold the tile twice, so the list is read anew after each that was taken out. */
void tile_hold_lose_locked(struct tile *tile)
{
	for (struct tile_hold *at = tile->holds; at;)
		at = lose(at->holder) ? tile->holds : at->next;
}

void tile_holder_end(struct engine_session *session, struct tile_holder *holder)
{
	if (exchange(holder, TILES_RUNNING, TILES_HELD))
		return;
	pthread_mutex_lock(&session->lock);
	give_all(holder);
	atomic_store_explicit(&holder->state, TILES_EMPTY, memory_order_relaxed);
	pthread_mutex_unlock(&session->lock);
}
