/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles: regions of a session's memory with a dtype and a shape, named by handles that are never reused.
 *
 * A tile that is freed while requests use it loses its handle at once and its place when the last of them is done.
 * All functions take the session's lock themselves; any thread. */
#ifndef TRNSCI_ENGINE_TILE_H
#define TRNSCI_ENGINE_TILE_H

#include "engine/memory/engine_session_core.h"
#include "engine/memory/offset_allocator.h"
#include "engine/memory/tile_use.h"
#include "engine/operations/shape.h"

/* Where a tile lies, as the client learns it. */
struct tile_place {
	uint32_t handle, arena;
	uint64_t offset; /* bytes into the arena, a multiple of 64 */
	uint64_t bytes;
};

/* Creates a tile in the oldest arena that has room. Returns 0, -ERROR_NO_ROOM (no arena has a free place for its bytes,
 * which the text states), -ERROR_LIMIT (too many tiles) or -ERROR_NO_MEMORY. */
int tile_create(struct engine_session *session, const struct shape *shape, struct tile_place *ret_place,
		struct error *err);
/* Creates it in the arena of that handle, else -ERROR_NOT_FOUND, at an offset, which must be a multiple of 64 behind
 * all other tiles there: else -ERROR_OUT_OF_RANGE. */
int tile_create_at(struct engine_session *session, const struct shape *shape, uint64_t arena,
		   uint64_t offset, struct tile_place *ret_place, struct error *err);

/* Takes a use of the tile of that handle, which tile_give ends: its memory stays, also after tile_free.
 * -ERROR_BAD_TILE; the error's text begins with context and the parameter's name. */
int tile_take(struct engine_session *session, uint64_t handle, const char *context, const char *param,
	      struct tile **ret_tile, struct error *err);
void tile_give(struct engine_session *session, struct tile *tile);

/* Returns the tile of that handle, or NULL, without a use: its memory stays until the lock is released. Hold the lock. */
struct tile *tile_find_locked(const struct engine_session *session, uint64_t handle);

/* Returns the address of a tile that is in use. */
void *tile_base(const struct tile *tile);

/* Ends a tile's handle; its place is free again when the last use ends. Returns 0 or -ERROR_BAD_TILE. */
int tile_free(struct engine_session *session, uint64_t handle, struct error *err);

/* Frees every tile and the table, at a session's end. No request may be left. */
void tile_free_all(struct engine_session *session);

#endif
