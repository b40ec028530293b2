/* SPDX-License-Identifier: Apache-2.0 */
/* One client's memory, limits and unanswered requests.
 *
 * The last reference frees everything: the owner's (session_memory_close) or that of a request that ended after it. So
 * a request in progress may write its tiles after its client has gone. */
#include "engine/memory/session_memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/engine_core.h"
#include "engine/memory/session_memory_core.h"
#include "engine/memory/tile.h"
#include "engine/scheduler/pool.h"

enum { MANY_TILES = 1024 }; /* freeing them takes some 0.1 ms, too long for a daemon's loop */

enum { DEFAULT_INLINE = 16 << 20, DEFAULT_TILES = 65536, DEFAULT_JOBS = 1024, DEFAULT_PREPARED = 256 };

static size_t or_default(size_t limit, size_t fallback)
{
	return limit ? limit : fallback;
}

int session_memory_create(struct engine *engine, const struct session_limits *limits,
			  struct session_memory **ret_memory)
{
	static const struct session_limits none;
	struct session_memory *memory = calloc(1, sizeof *memory);

	if (!memory)
		return -ERROR_NO_MEMORY;
	if (!limits)
		limits = &none;
	memory->engine = engine;
	memory->limits = *limits;
	memory->limits.inline_bytes = or_default(limits->inline_bytes, DEFAULT_INLINE);
	memory->limits.tiles = or_default(limits->tiles, DEFAULT_TILES);
	memory->limits.prepared = or_default(limits->prepared, DEFAULT_PREPARED);
	memory->limits.jobs = or_default(limits->jobs, DEFAULT_JOBS);
	memory->fair_entry.weight = limits->weight;
	memory->next_handle = 1;
	atomic_init(&memory->refs, 1);
	pthread_mutex_init(&memory->lock, NULL);
	*ret_memory = memory;
	return 0;
}

/* ------- arenas ------- */

/* Appends an arena and gives it its handle. Hold the lock. */
static void add_arena(struct session_memory *memory, struct tile_arena *arena)
{
	struct tile_arena **link = &memory->arenas;

	while (*link)
		link = &(*link)->next;
	*link = arena;
	arena->handle = ++memory->last_arena;
}

int session_memory_attach(struct session_memory *memory, void *base, size_t size, void (*release)(void *arg), void *arg,
			  uint32_t *ret_arena)
{
	struct tile_arena *arena = calloc(1, sizeof *arena);
	int error = arena ? offset_allocator_create(size, &arena->allocator) : -ERROR_NO_MEMORY;

	assert((uintptr_t)base % OFFSET_PAGE == 0);
	if (error) {
		free(arena);
		return error;
	}
	arena->base = base;
	arena->size = size;
	arena->release = release;
	arena->release_arg = arg;
	pthread_mutex_lock(&memory->lock);
	if (memory->last_arena < UINT32_MAX)
		add_arena(memory, arena);
	else
		error = -ERROR_LIMIT;
	if (!error && ret_arena)
		*ret_arena = arena->handle;
	pthread_mutex_unlock(&memory->lock);
	if (error) {
		offset_allocator_free(arena->allocator);
		free(arena);
	}
	return error;
}

/* Frees an arena that is in no list. Its owner's callback unmaps the memory, without the lock: it may take long. */
static void free_arena(struct tile_arena *arena)
{
	offset_allocator_free(arena->allocator);
	arena->release(arena->release_arg);
	free(arena);
}

/* Takes an arena without tiles out of the list. Call with the lock held. */
static int take_arena(struct session_memory *memory, uint64_t handle, struct tile_arena **ret_arena, struct error *err)
{
	struct tile_arena **link = &memory->arenas, *arena;
	uint64_t used;

	while ((arena = *link) && arena->handle != handle)
		link = &arena->next;
	if (!arena)
		return error_set(err, ERROR_NOT_FOUND, "arena_free: arena: %" PRIu64 ", allowed: that of a reply to arena",
				 handle);
	used = offset_allocator_used(arena->allocator);
	if (used > 0)
		return error_set(err, ERROR_OUT_OF_RANGE,
				 "arena_free: arena: %" PRIu64 " holds %" PRIu64 " bytes of tiles, allowed: an empty one",
				 handle, used);
	*link = arena->next;
	*ret_arena = arena;
	return 0;
}

int session_memory_detach(struct session_memory *memory, uint64_t handle, struct error *err)
{
	struct tile_arena *arena = NULL;

	pthread_mutex_lock(&memory->lock);
	int error = take_arena(memory, handle, &arena, err);
	pthread_mutex_unlock(&memory->lock);
	if (!error)
		free_arena(arena);
	return error;
}

static void free_arenas(struct session_memory *memory)
{
	while (memory->arenas) {
		struct tile_arena *arena = memory->arenas;

		memory->arenas = arena->next;
		free_arena(arena);
	}
}

void session_memory_set_alone(struct session_memory *memory, bool alone)
{
	memory->alone = alone;
}

bool session_memory_joins(const struct session_memory *memory)
{
	const struct pool *pool = memory->engine->pool;

	return memory->alone && pool_lingers(pool) && !pool_is_busy(pool);
}

uint32_t session_memory_reach(struct session_memory *memory, uint64_t *ret_reach)
{
	const struct tile_arena *arena;

	pthread_mutex_lock(&memory->lock);
	for (arena = memory->arenas; arena && arena->handle != memory->tile_arena; arena = arena->next)
		;
	*ret_reach = arena ? arena->reach : 0;
	const uint32_t handle = arena ? arena->handle : 0;
	pthread_mutex_unlock(&memory->lock);
	return handle;
}

/* Sums over the arenas. Call with the lock held. */
static uint64_t count_bytes(const struct session_memory *memory, uint64_t *ret_bytes, uint64_t *ret_arenas)
{
	uint64_t used = 0;

	*ret_bytes = *ret_arenas = 0;
	for (const struct tile_arena *arena = memory->arenas; arena; arena = arena->next) {
		used += offset_allocator_used(arena->allocator);
		*ret_bytes += arena->size;
		++*ret_arenas;
	}
	return used;
}

uint64_t session_memory_bytes_used(struct session_memory *memory)
{
	uint64_t bytes, arenas;

	pthread_mutex_lock(&memory->lock);
	const uint64_t used = count_bytes(memory, &bytes, &arenas);
	pthread_mutex_unlock(&memory->lock);
	return used;
}

/* ------- requests and references ------- */

int session_memory_enter(struct session_memory *memory, struct session_job *entry, const char *context,
			 struct error *err)
{
	int error = 0;

	pthread_mutex_lock(&memory->lock);
	if (memory->closed) {
		error = error_set(err, ERROR_CLOSED, "%s: the session is closed", context);
	} else if (memory->n_jobs >= memory->limits.jobs) {
		error = error_set(err, ERROR_LIMIT, "%s: %zu requests are unanswered, allowed are %zu (jobs)", context,
				  memory->n_jobs, memory->limits.jobs);
	} else {
		entry->prev = NULL;
		entry->next = memory->jobs;
		if (entry->next)
			entry->next->prev = entry;
		memory->jobs = entry;
		memory->n_jobs++;
		atomic_fetch_add(&memory->refs, 1);
	}
	pthread_mutex_unlock(&memory->lock);
	return error;
}

void session_memory_leave(struct session_memory *memory, struct session_job *entry)
{
	pthread_mutex_lock(&memory->lock);
	if (entry->prev)
		entry->prev->next = entry->next;
	else
		memory->jobs = entry->next;
	if (entry->next)
		entry->next->prev = entry->prev;
	memory->n_jobs--;
	pthread_mutex_unlock(&memory->lock);
}

void session_memory_unref(struct session_memory *memory)
{
	if (atomic_fetch_sub(&memory->refs, 1) > 1)
		return;
	tile_free_all(memory);
	free_arenas(memory);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
}

void session_memory_stop(struct session_memory *memory)
{
	pthread_mutex_lock(&memory->lock);
	memory->closed = true;
	for (struct session_job *at = memory->jobs; at; at = at->next)
		pool_cancel(memory->engine->pool, at->job);
	pthread_mutex_unlock(&memory->lock);
}

bool session_memory_is_large(struct session_memory *memory)
{
	bool large;

	pthread_mutex_lock(&memory->lock);
	large = memory->n_tiles >= MANY_TILES || memory->n_prepared > 0;
	pthread_mutex_unlock(&memory->lock);
	return large;
}

void session_memory_close(struct session_memory *memory)
{
	if (!memory)
		return;
	session_memory_stop(memory);
	if (memory->release_prepared)
		memory->release_prepared(memory);
	session_memory_unref(memory);
}

int session_memory_stats(struct session_memory *memory, struct bump *bump, struct value *map)
{
	uint64_t arenas, bytes, used, tiles, prepared, jobs;

	pthread_mutex_lock(&memory->lock);
	used = count_bytes(memory, &bytes, &arenas);
	tiles = memory->n_tiles;
	prepared = memory->n_prepared;
	jobs = memory->n_jobs;
	pthread_mutex_unlock(&memory->lock);
	if (value_put(bump, map, "arenas", value_uint(arenas)) || value_put(bump, map, "bytes", value_uint(bytes)) ||
	    value_put(bump, map, "bytes_used", value_uint(used)) ||
	    value_put(bump, map, "tiles", value_uint(tiles)) || value_put(bump, map, "prepared", value_uint(prepared)) ||
	    value_put(bump, map, "jobs", value_uint(jobs)))
		return -ERROR_NO_MEMORY;
	return 0;
}
