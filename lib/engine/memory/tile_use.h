/* SPDX-License-Identifier: Apache-2.0 */
/* A tile and its uses, also those that stay with a call between its runs.
 *
 * A call that runs again and again on the same tiles takes them once. Its later runs begin and end by one exchange each,
 * without the session's lock; those of a program in its own process by none, since it frees no tile that a run uses. A tile that is freed takes itself out of the calls that hold it and do not run; a run in
 * progress keeps it until its end, as it would with a use of its own.
 *
 *     EMPTY --tile_holder_start_locked--> RUNNING --tile_holder_end--> HELD --tile_holder_begin--> RUNNING
 *                                            |                           |
 *                                 a tile is freed: LOST        a tile is freed, or other ones come: EMPTY
 *                                            |
 *                                 tile_holder_end: EMPTY */
#ifndef TRNSCI_ENGINE_TILE_USE_H
#define TRNSCI_ENGINE_TILE_USE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/memory/engine_session_core.h"
#include "engine/memory/offset_allocator.h"
#include "engine/operations/shape.h"

struct tile_holder;

/* The session's lock guards refs and the links; the rest is constant while the tile lives. */
struct tile {
	uint32_t handle;
	unsigned refs; /* one of its handle while that is valid, and one of each request that uses it */
	struct shape shape;
	struct tile_arena *arena;
	struct offset_block *block; /* in that arena */
	struct tile_hold *holds;  /* of calls that keep it between their runs */
};

/* One held tile: guarded by the session's lock. */
struct tile_hold {
	struct tile *tile;
	struct tile_holder *holder;
	struct tile_hold *next, *prev; /* among those of the tile */
};

enum tile_holder_state { TILES_EMPTY, TILES_HELD, TILES_RUNNING, TILES_LOST };

/* Zero-initialise, and set `at` to room for all tiles of the call. One run at a time. */
struct tile_holder {
	_Atomic enum tile_holder_state state; /* left EMPTY only with the session's lock */
	size_t n;                             /* guarded by that lock, as what `at` holds */
	struct tile_hold *at;
};

/* Begins a run with the tiles that are held. Returns false if none are. */
static inline bool tile_holder_begin(struct tile_holder *holder)
{
	enum tile_holder_state held = TILES_HELD;

	return atomic_compare_exchange_strong_explicit(&holder->state, &held, TILES_RUNNING, memory_order_acquire,
						       memory_order_relaxed);
}

/* Ends a run: its tiles stay held, unless one was freed meanwhile. Without the lock. */
void tile_holder_end(struct engine_session *session, struct tile_holder *holder);

/* Returns whether tiles are held, and no run that began with them has still to end. */
static inline bool tile_holder_has(const struct tile_holder *holder)
{
	return atomic_load_explicit(&holder->state, memory_order_relaxed) == TILES_HELD;
}

/* Hold the session's lock for all below. */

/* Adds a tile to a holder that is EMPTY. */
void tile_holder_add_locked(struct tile_holder *holder, struct tile *tile);
/* Begins a run with the tiles that were added. */
void tile_holder_start_locked(struct tile_holder *holder);
/* Gives back what was added, or is held; a run in progress does so at its end. */
void tile_holder_drop_locked(struct tile_holder *holder);
/* Takes a tile whose handle ends out of all calls that hold it. */
void tile_hold_lose_locked(struct tile *tile);

/* Drops one use. The last one frees the tile's place. */
void tile_drop_use_locked(struct tile *tile);

#endif
