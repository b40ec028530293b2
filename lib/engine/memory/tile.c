/* SPDX-License-Identifier: Apache-2.0 */
/* The table of handles, and the places of tiles in arenas.
 *
 * Handles count up, so they spread evenly over a table indexed by their low bits. Collisions go to the next slot; a
 * removal moves later ones up (Knuth, The Art of Computer Programming, volume 3, 6.4, algorithm R), so no marks of
 * removed entries are needed. */
#include "engine/memory/tile.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/memory/tile_use.h"

enum { TABLE_MIN = 64 };

static size_t slot_of(const struct engine_session *session, uint32_t handle)
{
	return handle & (session->table_size - 1);
}

/* The slot that holds the handle, or the free one where it would go. At least half of the table is free. */
static size_t find_slot(const struct engine_session *session, uint32_t handle)
{
	size_t slot = slot_of(session, handle);

	while (session->table[slot] && session->table[slot]->handle != handle)
		slot = (slot + 1) & (session->table_size - 1);
	return slot;
}

/* Doubles the table where it would be more than half full. Hold the lock, as for all up to `make`. */
static int grow_table(struct engine_session *session)
{
	struct tile **old = session->table;
	const size_t old_size = session->table_size, size = old_size ? old_size * 2 : TABLE_MIN;
	struct tile **table;

	if (session->n_tiles * 2 < old_size)
		return 0;
	table = calloc(size, sizeof(struct tile *));
	if (!table)
		return -ERROR_NO_MEMORY;
	session->table = table;
	session->table_size = size;
	for (size_t i = 0; i < old_size; i++)
		if (old[i])
			table[find_slot(session, old[i]->handle)] = old[i];
	free(old);
	return 0;
}

/* Empties a slot. An entry behind it moves into the hole unless its home lies between hole and entry: a search for it
 * would stop at the hole. */
static void empty_slot(struct engine_session *session, size_t hole)
{
	const size_t mask = session->table_size - 1;

	session->table[hole] = NULL;
	for (size_t at = (hole + 1) & mask; session->table[at]; at = (at + 1) & mask) {
		const size_t home = slot_of(session, session->table[at]->handle);

		if (((at - home) & mask) >= ((at - hole) & mask)) {
			session->table[hole] = session->table[at];
			session->table[at] = NULL;
			hole = at;
		}
	}
}

/* Takes a tile from the table, and drops the handle's reference. */
static void retire(struct engine_session *session, struct tile *tile)
{
	empty_slot(session, find_slot(session, tile->handle));
	session->n_tiles--;
	tile_hold_lose_locked(tile);
	tile_drop_use_locked(tile);
}

/* Checks that the session may have one more tile and has a handle left. */
static int check_limits(const struct engine_session *session, struct error *err)
{
	if (session->closed)
		return error_set(err, ERROR_CLOSED, "tile: the session is closed");
	if (session->n_tiles >= session->limits.tiles)
		return error_set(err, ERROR_LIMIT, "tile: %zu tiles are alive, allowed are %zu (tiles)",
				 session->n_tiles, session->limits.tiles);
	if (session->next_handle > UINT32_MAX)
		return error_set(err, ERROR_LIMIT,
				 "tile: this session has used all its handles, allowed are 4294967295");
	return 0;
}

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "tile: no memory for its bookkeeping");
}

static int no_room(uint64_t bytes, uint64_t largest, struct error *err)
{
	const int r = error_set(err, ERROR_NO_ROOM,
				"tile: %" PRIu64 " bytes, the session's arenas have %" PRIu64
				" free in one piece; allowed: after another arena",
				bytes, largest);

	if (err)
		err->needed_bytes = bytes;
	return r;
}

/* Finds a place in the oldest arena that has room. The error states the bytes: a client adds an arena of as many and asks
 * again. */
static int find_place(const struct engine_session *session, uint64_t bytes, struct tile *tile, struct error *err)
{
	uint64_t largest = 0;
	int error = -ERROR_LIMIT;

	for (struct tile_arena *arena = session->arenas; arena && error == -ERROR_LIMIT; arena = arena->next) {
		const uint64_t here = offset_allocator_largest(arena->allocator);

		largest = here > largest ? here : largest;
		error = bytes <= here ? offset_allocator_alloc(arena->allocator, bytes, &tile->block) : error;
		tile->arena = arena;
	}
	if (error == -ERROR_LIMIT)
		return no_room(bytes, largest, err);
	return error ? no_memory(err) : 0;
}

/* Where a tile is asked for. */
struct wanted_place {
	uint64_t arena, offset;
};

/* Takes the place that was asked for. */
static int take_place(const struct engine_session *session, uint64_t bytes, const struct wanted_place *wanted,
		      struct tile *tile, struct error *err)
{
	struct tile_arena *arena = session->arenas;
	int error;

	while (arena && arena->handle != wanted->arena)
		arena = arena->next;
	if (!arena)
		return error_set(err, ERROR_NOT_FOUND, "tile: arena: %" PRIu64 ", allowed: that of a reply to arena",
				 wanted->arena);
	tile->arena = arena;
	error = offset_allocator_alloc_at(arena->allocator, wanted->offset, bytes, &tile->block);
	if (error == -ERROR_LIMIT)
		return error_set(err, ERROR_OUT_OF_RANGE,
				 "tile: offset: %" PRIu64 " for %" PRIu64
				 " bytes, allowed are multiples of 64 from %" PRIu64 " on, in an arena of %" PRIu64,
				 wanted->offset, bytes, offset_allocator_tail(arena->allocator), arena->size);
	return error ? no_memory(err) : 0;
}

/* Finds the tile's place and lists it. On failure nothing has changed but, perhaps, the table's size. wanted NULL:
 * anywhere. */
static int create_in_block(struct engine_session *session, const struct shape *shape,
			   const struct wanted_place *wanted, struct tile *tile, struct error *err)
{
	int error = check_limits(session, err);

	if (error)
		return error;
	if (grow_table(session))
		return no_memory(err);
	error = wanted ? take_place(session, shape->bytes, wanted, tile, err)
		       : find_place(session, shape->bytes, tile, err);
	if (error)
		return error;
	if (tile->block->offset + tile->block->size > tile->arena->reach)
		tile->arena->reach = tile->block->offset + tile->block->size;
	session->tile_arena = tile->arena->handle;
	tile->handle = (uint32_t)session->next_handle++;
	tile->refs = 1;
	tile->shape = *shape;
	session->table[find_slot(session, tile->handle)] = tile;
	session->n_tiles++;
	return 0;
}

/* Creates a tile. */
static int make(struct engine_session *session, const struct shape *shape,
		const struct wanted_place *wanted, struct tile_place *ret_place, struct error *err)
{
	struct tile *tile = calloc(1, sizeof *tile);
	int error;

	if (!tile)
		return no_memory(err);
	pthread_mutex_lock(&session->lock);
	error = create_in_block(session, shape, wanted, tile, err);
	if (!error)
		*ret_place = (struct tile_place){tile->handle, tile->arena->handle, tile->block->offset, shape->bytes};
	pthread_mutex_unlock(&session->lock);
	if (error)
		free(tile);
	return error;
}

int tile_create(struct engine_session *session, const struct shape *shape, struct tile_place *ret_place,
		struct error *err)
{
	return make(session, shape, NULL, ret_place, err);
}

int tile_create_at(struct engine_session *session, const struct shape *shape, uint64_t arena,
		   uint64_t offset, struct tile_place *ret_place, struct error *err)
{
	return make(session, shape, &(struct wanted_place){arena, offset}, ret_place, err);
}

/* Under the lock; NULL when no tile has the handle. */
static struct tile *lookup(const struct engine_session *session, uint64_t handle)
{
	return session->table_size && handle <= UINT32_MAX ? session->table[find_slot(session, (uint32_t)handle)] : NULL;
}

/* Reports a handle without a tile: one that was freed, or one that never was. */
static int no_tile(const struct engine_session *session, uint64_t handle, const char *context, const char *param,
		   struct error *err)
{
	const bool was = handle > 0 && handle < session->next_handle;

	return error_set(err, ERROR_BAD_TILE, "%s: %s: tile %" PRIu64 " %s, allowed is the handle of a living tile",
			 context, param, handle, was ? "was freed" : "does not exist");
}

int tile_take(struct engine_session *session, uint64_t handle, const char *context, const char *param,
	      struct tile **ret_tile, struct error *err)
{
	struct tile *tile;
	int error = 0;

	pthread_mutex_lock(&session->lock);
	tile = lookup(session, handle);
	if (tile)
		tile->refs++;
	else
		error = no_tile(session, handle, context, param, err);
	pthread_mutex_unlock(&session->lock);
	if (!error)
		*ret_tile = tile;
	return error;
}

struct tile *tile_find_locked(const struct engine_session *session, uint64_t handle)
{
	return lookup(session, handle);
}

void tile_give(struct engine_session *session, struct tile *tile)
{
	pthread_mutex_lock(&session->lock);
	tile_drop_use_locked(tile);
	pthread_mutex_unlock(&session->lock);
}

void *tile_base(const struct tile *tile)
{
	return tile->arena->base + tile->block->offset;
}

int tile_free(struct engine_session *session, uint64_t handle, struct error *err)
{
	struct tile *tile;
	int error = 0;

	pthread_mutex_lock(&session->lock);
	tile = lookup(session, handle);
	if (tile)
		retire(session, tile);
	else
		error = no_tile(session, handle, "free", "tile", err);
	pthread_mutex_unlock(&session->lock);
	return error;
}

void tile_free_all(struct engine_session *session)
{
	for (size_t i = 0; i < session->table_size; i++)
		while (session->table[i]) /* a removal may move another one here */
			retire(session, session->table[i]);
	assert(session->n_tiles == 0);
	free(session->table);
}
