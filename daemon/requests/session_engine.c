/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and quotas that the engine asks for, and arenas. */
#include "session_engine.h"

#include <inttypes.h>
#include <stddef.h>
#include <unistd.h>

#include "base/checked.h"
#include "engine/operations/params.h"
#include "memory/arena.h"
#include "memory/prefault.h"
#include "requests.h"
#include "streams/stream_methods.h"

/* ------- limits ------- */

/* Called by the engine on the loop's thread, within request_start. */
static int reserve_work(void *share, uint64_t bytes, struct error *err)
{
	return quota_share_take(share, bytes, err);
}

/* Called by the engine on any thread, where a request or a prepared call ends. */
static void unreserve_work(void *share, uint64_t bytes)
{
	quota_share_give(share, bytes);
}

/* Called by the engine on the loop's thread, within request_start. */
static int reserve_reply(void *arg, uint64_t bytes, struct error *err)
{
	struct session *session = arg;
	int r = quota_share_take(&session->replies, bytes, err);

	if (r == 0)
		session->service->starting->reply_bytes = bytes;
	return r;
}

int session_engine_open(struct session *session)
{
	const struct settings *settings = session->service->settings;
	struct session_owner limits = {
		.inline_bytes = settings->inline_bytes,
		.tiles = settings->tiles,
		.prepared = settings->prepared,
		.jobs = settings->jobs,
		.weight = session->weight,
		.reserve = reserve_work,
		.unreserve = unreserve_work,
		.reserve_arg = &session->work,
		.reserve_reply = reserve_reply,
		.reply_arg = session,
		.deferred = &stream_methods,
		.deferred_arg = session,
	};

	return engine_session_create(session->service->engine, &limits, &session->memory);
}

/* ------- arenas ------- */

/* On the background worker's thread, when the memory has been returned to the system. */
static void give_arena_back(void *arg, uint64_t size)
{
	struct quota_user *user = arg;

	quota_give(user, QUOTA_ARENA_BYTES, size);
	quota_give(user, QUOTA_ARENAS, 1);
	quota_user_close(user);
}

/* Charges an arena to the user, all of it at once: a client can touch every page of it at any time. A pre-faulted arena gives
 * way if that needs its room. */
static int charge_arena(struct service *service, struct quota_user *user, uint64_t size, struct error *err)
{
	int r = quota_take(user, QUOTA_ARENAS, 1, err);

	if (r < 0)
		return r;
	r = quota_take(user, QUOTA_ARENA_BYTES, size, err);
	if (r < 0 && prefault_drop(service->prefault))
		r = quota_take(user, QUOTA_ARENA_BYTES, size, err);
	if (r < 0)
		quota_give(user, QUOTA_ARENAS, 1);
	return r;
}

/* Makes an arena, of a pre-faulted one if that is not larger, and begins to pre-fault the next. The charge and the
 * reference to the user belong to the arena from then on: give_arena_back returns both. */
static int create_arena(struct session *session, uint64_t size, struct arena **ret_arena, int *ret_fd, struct error *err)
{
	struct service *service = session->service;
	struct quota_user *user = quota_user_open(service->quota, quota_user_uid(session->user));
	struct arena_prefaulted prefaulted;
	bool ready;
	int r;

	if (!user)
		return error_set(err, ERROR_NO_MEMORY, "arena: an account");
	r = charge_arena(service, user, size, err);
	if (r < 0) {
		quota_user_close(user);
		return r;
	}
	ready = prefault_take(service->prefault, size, &prefaulted.fd, &prefaulted.base, &prefaulted.bytes);
	r = arena_create(size, ready ? &prefaulted : NULL, give_arena_back, user, ret_arena, ret_fd, err);
	prefault_refill(service->prefault, size);
	if (r < 0)
		give_arena_back(user, size);
	return r;
}

/* Takes the arena in any case. */
static int attach_arena(struct session *session, struct arena *arena, uint64_t reserve, uint32_t *ret_handle,
			struct error *err)
{
	const uint64_t size = arena_size(arena);
	int r = engine_session_attach(session->memory, arena_base(arena), size - reserve, arena_release, arena,
				      ret_handle);

	if (r < 0) {
		arena_release(arena);
		return error_set(err, (enum error_code) - r, "arena: %s", error_meaning(r));
	}
	arena_list_add(&session->arenas, arena, *ret_handle);
	session->n_arenas++;
	session->arena_bytes += size;
	return 0;
}

/* Checks the session's own limits before anything is charged. *ret_size: the size in whole pages. */
static int check_arena(const struct session *session, uint64_t wanted, uint64_t *ret_size, struct error *err)
{
	const struct settings *settings = session->service->settings;

	if (session->n_arenas >= settings->arenas)
		return error_set(err, ERROR_LIMIT, "arenas: one more for a session that has %u, allowed: the setting arenas = %" PRIu64,
				 session->n_arenas, settings->arenas);
	if (round_up_overflows(wanted, arena_page(), ret_size) || session->arena_bytes > settings->arena_bytes ||
	    *ret_size > settings->arena_bytes - session->arena_bytes)
		return error_set(err, ERROR_LIMIT,
				 "arena_bytes: %" PRIu64 " bytes more for a session that has %" PRIu64
				 ", allowed: the setting arena_bytes = %" PRIu64,
				 wanted, session->arena_bytes, settings->arena_bytes);
	return 0;
}

static int put_arena(struct method_call *call, uint32_t handle, uint64_t size)
{
	return value_put(call->bump, call->result, "arena", value_uint(handle)) < 0 ||
			       value_put(call->bump, call->result, "bytes", value_uint(size)) < 0 ||
			       value_put(call->bump, call->result, "page", value_uint(arena_page())) < 0
		       ? error_set(call->err, ERROR_NO_MEMORY, "arena: the reply")
		       : 0;
}

/* Forgets an arena that holds no tile. */
static int detach_arena(struct session *session, uint64_t handle, struct error *err)
{
	struct arena *arena = arena_list_find(session->arenas, handle);
	const uint64_t size = arena ? arena_size(arena) : 0;
	int r;

	/* Before the memory lets go of the arena, which is freed then by the background worker. */
	arena_list_remove(&session->arenas, handle);
	r = engine_session_detach(session->memory, handle, err);
	if (r < 0) {
		if (arena)
			arena_list_add(&session->arenas, arena, (uint32_t)handle);
		return r;
	}
	session->n_arenas--;
	session->arena_bytes -= size;
	return 0;
}

/* The descriptor is the outbox's once the reply is made. If the reply cannot be made, the arena is detached again. */
int session_engine_add_arena(struct method_call *call)
{
	struct session *session = call->session;
	const uint64_t wanted = call->args->at[ARENA_BYTES].u64, reserve = call->args->at[ARENA_RESERVE].u64;
	struct arena *arena;
	uint32_t handle;
	uint64_t size = 0;
	int fd = -1, r;

	if (outbox_has_fds(&session->outbox))
		return error_set(call->err, ERROR_LIMIT,
				 "arena: an earlier reply's descriptors are under way, allowed: one reply at a time");
	if (reserve >= wanted)
		return error_set(call->err, ERROR_OUT_OF_RANGE, "arena: reserve: %" PRIu64 ", allowed: less than bytes", reserve);
	r = check_arena(session, wanted, &size, call->err);
	if (r == 0)
		r = create_arena(session, size, &arena, &fd, call->err);
	if (r < 0)
		return r;
	r = attach_arena(session, arena, reserve, &handle, call->err);
	if (r == 0) {
		r = put_arena(call, handle, size);
		if (r < 0)
			detach_arena(session, handle, NULL);
	}
	if (r < 0)
		close(fd);
	else
		*call->fds = (struct fdpass){.at = {fd}, .count = 1};
	return r;
}

int session_engine_free_arena(struct method_call *call)
{
	int r = detach_arena(call->session, call->args->at[ARENA_FREE_ARENA].u64, call->err);

	if (r == 0 && value_put(call->bump, call->result, "freed", value_uint(1)) < 0)
		return error_set(call->err, ERROR_NO_MEMORY, "arena_free: the reply");
	return r;
}

void session_engine_prefault_tiles(struct session *session)
{
	const uint64_t most = session->service->settings->arena_ahead_bytes;
	struct arena *arena;
	uint64_t reach;

	if (!session->arenas)
		return;
	arena = arena_list_find(session->arenas, engine_session_reach(session->memory, &reach));
	if (arena)
		arena_prefault(arena, reach < most ? reach : most);
}

void session_engine_keep_arenas(struct session *session)
{
	for (struct arena *at = session->arenas; at && session->service->stopping; at = arena_list_next(at))
		arena_keep(at);
}

/* ------- the end ------- */

static void on_memory_freed(struct loop_event *event)
{
	struct session *session = (struct session *)((char *)event - offsetof(struct session, freed));

	session->n_freeing--;
	session_continue(session);
}

/* On the background worker's thread. */
static void free_memory(struct background_task *task)
{
	struct session *session = (struct session *)((char *)task - offsetof(struct session, free_task));
	struct engine_session *memory = session->memory;

	session->memory = NULL;
	engine_session_close(memory);
	session->freed.deliver = on_memory_freed;
	loop_post(session->service->loop, &session->freed);
}

void session_engine_close(struct session *session)
{
	session->arenas = NULL;
	if (!session->memory || !engine_session_is_large(session->memory)) {
		engine_session_close(session->memory);
		session->memory = NULL;
		return;
	}
	engine_session_stop(session->memory);
	session->n_freeing++;
	session->free_task.run = free_memory;
	background_post(&session->free_task);
}
