/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and quotas that the engine asks for, and the arena. */
#include "engine_session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/checked.h"
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

int engine_session_open(struct session *session)
{
	const struct settings *settings = session->service->settings;
	struct session_limits limits = {
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

	return session_memory_create(session->service->engine, &limits, &session->memory);
}

/* ------- the arena ------- */

/* On the background worker's thread, when the memory has been returned to the system. */
static void give_arena_back(void *arg, uint64_t size)
{
	struct quota_user *user = arg;

	quota_give(user, QUOTA_ARENA_BYTES, size);
	quota_user_close(user);
}

/* Charges size bytes to the user until the arena is gone. The pre-faulted arena gives way if it takes that room. */
static int create_arena(struct session *session, uint64_t size, struct arena **ret_arena, struct error *err)
{
	struct service *service = session->service;
	struct quota_user *user = quota_user_open(service->quota, quota_user_uid(session->user));
	struct arena_prefaulted prefaulted;
	bool ready;
	int r;

	if (!user)
		return error_set(err, ERROR_NO_MEMORY, "arena: an account");
	r = quota_take(user, QUOTA_ARENA_BYTES, size, err);
	if (r < 0 && prefault_drop(service->prefault))
		r = quota_take(user, QUOTA_ARENA_BYTES, size, err);
	if (r < 0) {
		quota_user_close(user);
		return r;
	}
	ready = prefault_take(service->prefault, &prefaulted.fd, &prefaulted.base, &prefaulted.bytes);
	r = arena_create(size, ready ? &prefaulted : NULL, give_arena_back, user, ret_arena, err);
	prefault_refill(service->prefault);
	if (r < 0)
		give_arena_back(user, size);
	return r;
}

static int attach_arena(struct session *session, struct arena *arena, uint64_t size, int *ret_fd, struct error *err)
{
	int r, fd = fcntl(arena_fd(arena), F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "arena: its descriptor: %s", strerror(errno));
	r = session_memory_attach(session->memory, arena_base(arena), size, arena_release, arena);
	if (r < 0) {
		close(fd);
		return error_set(err, (enum error_code) - r, "arena: %s", error_meaning(r));
	}
	session->arena = arena;
	*ret_fd = fd;
	return 0;
}

int engine_session_attach_arena(struct method_call *call)
{
	struct session *session = call->session;
	const uint64_t wanted = call->args->at[0].u64, most = session->service->settings->arena_bytes;
	struct arena *arena;
	uint64_t size;
	int fd = -1, r;

	if (session->arena)
		return error_set(call->err, ERROR_LIMIT, "arena: this session has one, allowed: one a session");
	if (outbox_has_fds(&session->outbox))
		return error_set(call->err, ERROR_LIMIT,
				 "arena: an earlier reply's descriptors are under way, allowed: one reply at a time");
	if (round_up_overflows(wanted, arena_page(), &size) || size > most)
		return error_set(call->err, ERROR_LIMIT,
				 "arena: bytes: %" PRIu64 ", allowed: the setting arena_bytes = %" PRIu64, wanted, most);
	if (value_put(call->bump, call->result, "bytes", value_uint(size)) < 0 ||
	    value_put(call->bump, call->result, "page", value_uint(arena_page())) < 0)
		return error_set(call->err, ERROR_NO_MEMORY, "arena: the reply");
	r = create_arena(session, size, &arena, call->err);
	if (r < 0)
		return r;
	r = attach_arena(session, arena, size, &fd, call->err);
	if (r < 0) {
		arena_release(arena);
		return r;
	}
	*call->fds = (struct fdpass){.at = {fd}, .count = 1};
	return 0;
}

void engine_session_mark_arena(struct session *session)
{
	if (session->arena && session->service->stopping)
		arena_keep(session->arena);
	else if (session->arena)
		arena_mark(session->arena);
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
	struct session_memory *memory = session->memory;

	session->memory = NULL;
	session_memory_close(memory);
	session->freed.deliver = on_memory_freed;
	loop_post(session->service->loop, &session->freed);
}

void engine_session_close(struct session *session)
{
	session->arena = NULL;
	if (!session->memory || !session_memory_is_large(session->memory)) {
		session_memory_close(session->memory);
		session->memory = NULL;
		return;
	}
	session_memory_stop(session->memory);
	session->n_freeing++;
	session->free_task.run = free_memory;
	background_post(&session->free_task);
}
