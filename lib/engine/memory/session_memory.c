/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces: one client's memory, limits and unanswered requests. */
#include "engine/memory/session_memory.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/memory/session_memory_core.h"
#include "engine/memory/tile.h"

enum { MANY_TILES = 1024 }; /* some 0.1 ms */

enum { DEFAULT_INLINE = 16 << 20, DEFAULT_TILES = 65536, DEFAULT_JOBS = 1024, DEFAULT_PREPARED = 256 };

static size_t or_default(size_t limit, size_t fallback)
{
	return limit ? limit : fallback;
}

int space_create(struct engine *engine, const struct space_limits *limits, struct space **ret_space)
{
	static const struct space_limits none;
	struct space *space = calloc(1, sizeof *space);

	if (!space)
		return -ERROR_NO_MEMORY;
	if (!limits)
		limits = &none;
	space->engine = engine;
	space->limits = *limits;
	space->limits.inline_bytes = or_default(limits->inline_bytes, DEFAULT_INLINE);
	space->limits.tiles = or_default(limits->tiles, DEFAULT_TILES);
	space->limits.prepared = or_default(limits->prepared, DEFAULT_PREPARED);
	space->limits.jobs = or_default(limits->jobs, DEFAULT_JOBS);
	space->fair_entry.weight = limits->weight;
	space->next_handle = 1;
	atomic_init(&space->refs, 1);
	pthread_mutex_init(&space->lock, NULL);
	*ret_space = space;
	return 0;
}

int space_attach(struct space *space, void *base, size_t size, void (*release)(void *arg), void *arg)
{
	int error = -ERROR_LIMIT;

	assert((uintptr_t)base % OFFSET_PAGE == 0);
	pthread_mutex_lock(&space->lock);
	if (!space->allocator)
		error = offset_allocator_create(size, &space->allocator);
	if (!error) {
		space->base = base;
		space->size = size;
		space->release = release;
		space->release_arg = arg;
	}
	pthread_mutex_unlock(&space->lock);
	return error;
}

int space_enter(struct space *space, struct space_job *entry, const char *context, struct error *err)
{
	int error = 0;

	pthread_mutex_lock(&space->lock);
	if (space->closed) {
		error = error_set(err, ERROR_CLOSED, "%s: the session is closed", context);
	} else if (space->n_jobs >= space->limits.jobs) {
		error = error_set(err, ERROR_LIMIT, "%s: %zu requests are unanswered, allowed are %zu (jobs)", context,
				  space->n_jobs, space->limits.jobs);
	} else {
		entry->prev = NULL;
		entry->next = space->jobs;
		if (entry->next)
			entry->next->prev = entry;
		space->jobs = entry;
		space->n_jobs++;
		atomic_fetch_add(&space->refs, 1);
	}
	pthread_mutex_unlock(&space->lock);
	return error;
}

void space_leave(struct space *space, struct space_job *entry)
{
	pthread_mutex_lock(&space->lock);
	if (entry->prev)
		entry->prev->next = entry->next;
	else
		space->jobs = entry->next;
	if (entry->next)
		entry->next->prev = entry->prev;
	space->n_jobs--;
	pthread_mutex_unlock(&space->lock);
}

void space_unref(struct space *space)
{
	if (atomic_fetch_sub(&space->refs, 1) > 1)
		return;
	tile_free_all(space);
	if (space->release)
		space->release(space->release_arg);
	pthread_mutex_destroy(&space->lock);
	free(space);
}

uint64_t space_reach(struct space *space)
{
	uint64_t reach;

	pthread_mutex_lock(&space->lock);
	reach = space->reach;
	pthread_mutex_unlock(&space->lock);
	return reach;
}

uint64_t space_bytes_used(struct space *space)
{
	uint64_t used;

	pthread_mutex_lock(&space->lock);
	used = space->allocator ? offset_allocator_used(space->allocator) : 0;
	pthread_mutex_unlock(&space->lock);
	return used;
}

void space_stop(struct space *space)
{
	pthread_mutex_lock(&space->lock);
	space->closed = true;
	for (struct space_job *at = space->jobs; at; at = at->next)
		pool_cancel(space->engine->pool, at->job);
	pthread_mutex_unlock(&space->lock);
}

bool space_is_large(struct space *space)
{
	bool large;

	pthread_mutex_lock(&space->lock);
	large = space->n_tiles >= MANY_TILES || space->n_prepared > 0;
	pthread_mutex_unlock(&space->lock);
	return large;
}

void space_close(struct space *space)
{
	if (!space)
		return;
	space_stop(space);
	if (space->release_prepared)
		space->release_prepared(space);
	space_unref(space);
}

int space_stats(struct space *space, struct bump *bump, struct value *map)
{
	uint64_t bytes, used, tiles, prepared, jobs;

	pthread_mutex_lock(&space->lock);
	bytes = space->size;
	used = space->allocator ? offset_allocator_used(space->allocator) : 0;
	tiles = space->n_tiles;
	prepared = space->n_prepared;
	jobs = space->n_jobs;
	pthread_mutex_unlock(&space->lock);
	if (value_put(bump, map, "bytes", value_uint(bytes)) || value_put(bump, map, "bytes_used", value_uint(used)) ||
	    value_put(bump, map, "tiles", value_uint(tiles)) || value_put(bump, map, "prepared", value_uint(prepared)) ||
	    value_put(bump, map, "jobs", value_uint(jobs)))
		return -ERROR_NO_MEMORY;
	return 0;
}
