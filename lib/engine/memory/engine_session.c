/* SPDX-License-Identifier: Apache-2.0 */
/* One client's memory, limits and unanswered requests.
 *
 * The last reference frees everything: the owner's (engine_session_close) or that of a request that ended after it. So
 * a request in progress may write its tiles after its client has gone. */
#include "engine/memory/engine_session.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/engine_core.h"
#include "engine/memory/engine_session_core.h"
#include "engine/memory/tile.h"
#include "engine/scheduler/pool.h"

enum { MANY_TILES = 1024 }; /* freeing them takes some 0.1 ms, too long for a daemon's loop */

enum { DEFAULT_INLINE = 16 << 20, DEFAULT_TILES = 65536, DEFAULT_JOBS = 1024, DEFAULT_PREPARED = 256 };

static size_t or_default(size_t limit, size_t fallback)
{
	return limit ? limit : fallback;
}

int engine_session_create(struct engine *engine, const struct session_owner *limits,
			  struct engine_session **ret_memory)
{
	static const struct session_owner none;
	struct engine_session *session = calloc(1, sizeof *session);

	if (!session)
		return -ERROR_NO_MEMORY;
	if (!limits)
		limits = &none;
	session->engine = engine;
	session->limits = *limits;
	session->limits.inline_bytes = or_default(limits->inline_bytes, DEFAULT_INLINE);
	session->limits.tiles = or_default(limits->tiles, DEFAULT_TILES);
	session->limits.prepared = or_default(limits->prepared, DEFAULT_PREPARED);
	session->limits.jobs = or_default(limits->jobs, DEFAULT_JOBS);
	session->fair_entry.weight = limits->weight;
	session->next_handle = 1;
	atomic_init(&session->refs, 1);
	pthread_mutex_init(&session->lock, NULL);
	*ret_memory = session;
	return 0;
}

/* ------- arenas ------- */

/* Appends an arena and gives it its handle. Hold the lock. */
static void add_arena(struct engine_session *session, struct tile_arena *arena)
{
	struct tile_arena **link = &session->arenas;

	while (*link)
		link = &(*link)->next;
	*link = arena;
	arena->handle = ++session->last_arena;
}

int engine_session_attach(struct engine_session *session, void *base, size_t size, void (*release)(void *arg), void *arg,
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
	pthread_mutex_lock(&session->lock);
	if (session->last_arena < UINT32_MAX)
		add_arena(session, arena);
	else
		error = -ERROR_LIMIT;
	if (!error && ret_arena)
		*ret_arena = arena->handle;
	pthread_mutex_unlock(&session->lock);
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
static int take_arena(struct engine_session *session, uint64_t handle, struct tile_arena **ret_arena, struct error *err)
{
	struct tile_arena **link = &session->arenas, *arena;
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

int engine_session_detach(struct engine_session *session, uint64_t handle, struct error *err)
{
	struct tile_arena *arena = NULL;

	pthread_mutex_lock(&session->lock);
	int error = take_arena(session, handle, &arena, err);
	pthread_mutex_unlock(&session->lock);
	if (!error)
		free_arena(arena);
	return error;
}

static void free_arenas(struct engine_session *session)
{
	while (session->arenas) {
		struct tile_arena *arena = session->arenas;

		session->arenas = arena->next;
		free_arena(arena);
	}
}

void engine_session_set_sole_client(struct engine_session *session, bool sole_client)
{
	session->sole_client = sole_client;
}

bool engine_session_shares_threads(const struct engine_session *session)
{
	const struct pool *pool = session->engine->pool;

	return session->sole_client && pool_lingers(pool) && !pool_is_busy(pool);
}

uint32_t engine_session_reach(struct engine_session *session, uint64_t *ret_reach)
{
	const struct tile_arena *arena;

	pthread_mutex_lock(&session->lock);
	for (arena = session->arenas; arena && arena->handle != session->tile_arena; arena = arena->next)
		;
	*ret_reach = arena ? arena->reach : 0;
	const uint32_t handle = arena ? arena->handle : 0;
	pthread_mutex_unlock(&session->lock);
	return handle;
}

/* Sums over the arenas. Call with the lock held. */
static uint64_t count_bytes(const struct engine_session *session, uint64_t *ret_bytes, uint64_t *ret_arenas)
{
	uint64_t used = 0;

	*ret_bytes = *ret_arenas = 0;
	for (const struct tile_arena *arena = session->arenas; arena; arena = arena->next) {
		used += offset_allocator_used(arena->allocator);
		*ret_bytes += arena->size;
		++*ret_arenas;
	}
	return used;
}

uint64_t engine_session_bytes_used(struct engine_session *session)
{
	uint64_t bytes, arenas;

	pthread_mutex_lock(&session->lock);
	const uint64_t used = count_bytes(session, &bytes, &arenas);
	pthread_mutex_unlock(&session->lock);
	return used;
}

/* ------- requests and references ------- */

int engine_session_enter(struct engine_session *session, struct session_job *entry, const char *context,
			 struct error *err)
{
	int error = 0;

	pthread_mutex_lock(&session->lock);
	if (session->closed) {
		error = error_set(err, ERROR_CLOSED, "%s: the session is closed", context);
	} else if (session->n_jobs >= session->limits.jobs) {
		error = error_set(err, ERROR_LIMIT, "%s: %zu requests are unanswered, allowed are %zu (jobs)", context,
				  session->n_jobs, session->limits.jobs);
	} else {
		entry->prev = NULL;
		entry->next = session->jobs;
		if (entry->next)
			entry->next->prev = entry;
		session->jobs = entry;
		session->n_jobs++;
		atomic_fetch_add(&session->refs, 1);
	}
	pthread_mutex_unlock(&session->lock);
	return error;
}

void engine_session_leave(struct engine_session *session, struct session_job *entry)
{
	pthread_mutex_lock(&session->lock);
	if (entry->prev)
		entry->prev->next = entry->next;
	else
		session->jobs = entry->next;
	if (entry->next)
		entry->next->prev = entry->prev;
	session->n_jobs--;
	pthread_mutex_unlock(&session->lock);
}

void engine_session_unref(struct engine_session *session)
{
	if (atomic_fetch_sub(&session->refs, 1) > 1)
		return;
	tile_free_all(session);
	free_arenas(session);
	pthread_mutex_destroy(&session->lock);
	free(session);
}

void engine_session_stop(struct engine_session *session)
{
	pthread_mutex_lock(&session->lock);
	session->closed = true;
	for (struct session_job *at = session->jobs; at; at = at->next)
		pool_cancel(session->engine->pool, at->job);
	pthread_mutex_unlock(&session->lock);
}

bool engine_session_is_large(struct engine_session *session)
{
	bool large;

	pthread_mutex_lock(&session->lock);
	large = session->n_tiles >= MANY_TILES || session->n_prepared > 0;
	pthread_mutex_unlock(&session->lock);
	return large;
}

void engine_session_close(struct engine_session *session)
{
	if (!session)
		return;
	engine_session_stop(session);
	if (session->release_prepared)
		session->release_prepared(session);
	engine_session_unref(session);
}

int engine_session_stats(struct engine_session *session, struct bump *bump, struct value *map)
{
	uint64_t arenas, bytes, used, tiles, prepared, jobs;

	pthread_mutex_lock(&session->lock);
	used = count_bytes(session, &bytes, &arenas);
	tiles = session->n_tiles;
	prepared = session->n_prepared;
	jobs = session->n_jobs;
	pthread_mutex_unlock(&session->lock);
	if (value_put(bump, map, "arenas", value_uint(arenas)) || value_put(bump, map, "bytes", value_uint(bytes)) ||
	    value_put(bump, map, "bytes_used", value_uint(used)) ||
	    value_put(bump, map, "tiles", value_uint(tiles)) || value_put(bump, map, "prepared", value_uint(prepared)) ||
	    value_put(bump, map, "jobs", value_uint(jobs)))
		return -ERROR_NO_MEMORY;
	return 0;
}
