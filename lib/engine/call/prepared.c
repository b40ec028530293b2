/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a session's prepared calls, and their references. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/call/prepared.h"
#include "engine/call/prepared_core.h"
#include "engine/scheduler/pool_caller.h"
#include "engine/steps/plan_cache.h"
#include "engine/memory/temp.h"

/* Frees what its runs in place hold. The session's memory may be gone, so this uses the engine's parts alone. */
static void end_inline(struct prepared *prepared)
{
	if (!prepared->kept)
		return;
	run_end(&prepared->kept->run);
	pool_close_account(prepared->engine->pool, prepared->kept->job.account);
}

/* The decrement orders every holder's last use before the freeing: sequentially consistent, as it is no hot path. */
void prepared_drop(void *arg)
{
	struct prepared *prepared = arg;

	if (!prepared || atomic_fetch_sub(&prepared->refs, 1) > 1)
		return;
	end_inline(prepared);
	for (size_t i = 0; prepared->constants && i < prepared->plan.n_buffers; i++)
		temp_free(prepared->engine, prepared->constants[i], prepared->plan.buffers[i]->shape.bytes);
	bump_free(prepared->bump);
	if (prepared->charge && prepared->unreserve)
		prepared->unreserve(prepared->reserve_arg, prepared->charge);
	free(prepared);
}

int prepared_check_room(const struct engine_session *session, struct error *err)
{
	if (session->closed)
		return error_set(err, ERROR_CLOSED, "prepare: the session is closed");
	if (session->n_prepared >= session->limits.prepared || session->last_prepared == UINT32_MAX)
		return error_set(err, ERROR_LIMIT, "prepare: %zu calls are prepared, allowed are %zu (prepared)",
				 session->n_prepared, session->limits.prepared);
	return 0;
}

int prepared_keep(struct engine_session *session, struct prepared *prepared, uint32_t *ret_handle, struct error *err)
{
	int error;

	pthread_mutex_lock(&session->lock);
	error = prepared_check_room(session, err);
	if (!error) {
		struct prepared **bucket;

		session->release_prepared = prepared_release_all;
		*ret_handle = prepared->handle = ++session->last_prepared;
		bucket = &session->prepared[prepared->handle % PREPARED_BUCKETS];
		prepared->next = *bucket;
		*bucket = prepared;
		session->n_prepared++;
	}
	pthread_mutex_unlock(&session->lock);
	return error;
}

/* Returns the link to the call of that handle, or to the NULL at the end of its bucket. Hold the lock. */
static struct prepared **find_prepared(struct engine_session *session, uint64_t handle)
{
	struct prepared **at = &session->prepared[handle % PREPARED_BUCKETS];

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

struct prepared *prepared_get_locked(struct engine_session *session, uint64_t handle)
{
	return *find_prepared(session, handle);
}

struct prepared *prepared_find_locked(struct engine_session *session, uint64_t handle)
{
	struct prepared *prepared = prepared_get_locked(session, handle);

	if (prepared)
		atomic_fetch_add(&prepared->refs, 1);
	return prepared;
}

struct prepared *prepared_find(struct engine_session *session, uint64_t handle)
{
	struct prepared *prepared;

	pthread_mutex_lock(&session->lock);
	prepared = prepared_find_locked(session, handle);
	pthread_mutex_unlock(&session->lock);
	return prepared;
}

int prepared_release(struct engine_session *session, uint64_t handle, struct error *err)
{
	struct prepared **at, *prepared;

	pthread_mutex_lock(&session->lock);
	at = find_prepared(session, handle);
	prepared = *at;
	if (prepared) {
		*at = prepared->next;
		session->n_prepared--;
		if (prepared->kept)
			tile_holder_drop_locked(&prepared->kept->holder);
	}
	pthread_mutex_unlock(&session->lock);
	if (!prepared)
		return error_set(err, ERROR_BAD_TILE,
				 "release: prepared: there is no prepared call %" PRIu64
				 ", allowed is the handle of one that is not released",
				 handle);
	prepared_drop(prepared);
	return 0;
}

bool prepared_names(const struct prepared *prepared, const uint32_t *handles, size_t n)
{
	size_t i = 0;

	while (i < n && i < prepared->n_tiles && prepared->tiles[i].handle == handles[i])
		i++;
	return i == n && n == prepared->n_tiles;
}

uint32_t prepared_handle(const struct prepared *prepared)
{
	return prepared->handle;
}

void prepared_release_all(struct engine_session *session)
{
	for (size_t i = 0; i < PREPARED_BUCKETS; i++)
		while (session->prepared[i])
			prepared_release(session, session->prepared[i]->handle, NULL);
}
