/* SPDX-License-Identifier: Apache-2.0 */
/* An arena is asked for by a call of the library's own, whose answer sends the waiting calls again. Nobody waits for it
 * but the calls that need it, so an event loop that dispatches calls is not held up. */
#include "arena_request.h"

#include "arena_map.h"
#include "base/huge_map.h"
#include "call/send.h"
#include "call/table.h"
#include "session/public_error.h"
#include "session/wait.h"
#include "socket_io.h"

enum {
	ARENA_BYTES_LEAST = 256 << 10,
	ARENAS_MOST = 64, /* of a session */
	ROOMS_MOST = 64, /* times that one call may find no room: other threads may take an arena that it asked for */
};

/* ---- waiting calls, with the lock ---- */

/* Keeps a call that waits for room. A session that is being closed asks for nothing, and the call ends with it. */
bool arena_request_keep(struct trnsci_call *call, const struct error *error)
{
	struct trnsci_session *session = call->session;
	const uint64_t bytes = error->needed_bytes;

	/* What a `prepare` sends again is its owner's, who may be setting it. */
	if (call->preparation.prepares || error->code != ERROR_NO_ROOM || call->flight.rooms == ROOMS_MOST || bytes == 0 || bytes >= SIZE_MAX / 4)
		return false;
	call->flight.rooms++;
	call->flight.needs_room = true;
	session->arena_request.wanted = true;
	session->arena_request.exact = false;
	if (bytes > session->arena_request.bytes)
		session->arena_request.bytes = (size_t)bytes;
	return true;
}

/* Answers a waiting call with the error, or sends it again. Returns whether there was one. */
static bool answer_next(struct trnsci_session *session, const struct error *error)
{
	for (size_t i = 0; i < CALL_BUCKETS; i++)
		for (struct trnsci_call *call = session->calls[i]; call; call = call->flight.chain) {
			struct error own;

			if (!call->flight.needs_room)
				continue;
			call->flight.needs_room = false;
			if (!error && call->flight.cancelling)
				error_set(&own, ERROR_CANCELLED, "%s: it was cancelled while it waited for memory", call->method);
			if (error || call->flight.cancelling || socket_io_append(call, &own) < 0)
				call_finish(call, error ? error : &own, NULL, NULL, NULL);
			return true;
		}
	return false;
}

/* What is sent again goes out once the input that brought the arena is handled: a send that fails reads input, too. */
static void answer_waiting(struct trnsci_session *session, const struct error *error)
{
	while (answer_next(session, error))
		;
	session->arena_request.bytes = 0;
	session->arena_request.wanted = false;
}

/* ---- an arena more ---- */

static size_t round_size(size_t bytes)
{
	const size_t page = 4096;

	return (bytes + ARENA_RESERVE + page - 1) / page * page;
}

/* Makes a last huge page whole of which more than half is needed: the daemon makes and empties it several times faster than its
 * pages one by one. */
static size_t fill_huge_page(size_t size)
{
	const size_t rest = size % HUGE_PAGE_BYTES;

	return rest > HUGE_PAGE_BYTES / 2 ? size - rest + HUGE_PAGE_BYTES : size;
}

/* With the lock. */
static size_t choose_size(const struct trnsci_session *session)
{
	const size_t least = round_size(session->arena_request.bytes);
	const size_t doubled = session->arena_request.last ? 2 * session->arena_request.last : session->arena_bytes;
	size_t size = least;

	if (session->arena_request.exact)
		return least;
	size = size < ARENA_BYTES_LEAST ? ARENA_BYTES_LEAST : size;
	return fill_huge_page(doubled > size ? round_size(doubled - ARENA_RESERVE) : size);
}

/* A larger arena than necessary may be beyond a limit: the next attempt asks for no more than the tile needs. */
static void fail_growth(struct trnsci_session *session, const struct error *error, size_t asked)
{
	if (error->code == ERROR_LIMIT && !session->arena_request.exact && round_size(session->arena_request.bytes) < asked)
		session->arena_request.wanted = session->arena_request.exact = true;
	else
		answer_waiting(session, error);
}

/* An arena that cannot be mapped goes back: tiles must not be placed there. */
static int map_arena(struct trnsci_call *call, struct arena **ret_arena, struct error *err)
{
	struct arena_request *request = &call->session->arena_request;
	const struct value *handle = value_get(call->answer.reply, "arena");
	uint64_t number = 0;
	int r = arena_map(&call->answer.fds, call->answer.reply, call->bytes, ret_arena, err);

	if (r < 0) {
		request->failure = *err;
		request->failed = request->unmapped = handle && value_to_u64(handle, &number) ? (uint32_t)number : 0;
		request->failed_on = request->unmapped_on = call->session->connection;
	}
	return r;
}

/* Called with the lock. The connection may be a later one than that on which the arena was asked for first. */
static void take_arena(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	struct arena *arena = NULL;
	struct error error;
	int r;

	session->arena_request.asked = session->fds_pending = false;
	if (call->answer.reply)
		r = map_arena(call, &arena, &error);
	else if (call->answer.error.code)
		r = error_import(&error, &call->answer.error);
	else
		r = error_set(&error, ERROR_CLOSED, "arena: the request could not be sent");
	if (r == 0) {
		arena_add(session, arena);
		session->arena_request.last = arena->size;
		answer_waiting(session, NULL);
	} else {
		fail_growth(session, &error, call->bytes);
	}
	session_wake(session);
}

/* Returns the bytes to ask for, 0 if nothing is to be asked for now: one request that brings descriptors is in flight at a
 * time. */
static size_t begin_asking(struct trnsci_session *session)
{
	struct arena_request *request = &session->arena_request;
	size_t bytes = 0;

	pthread_mutex_lock(&session->lock);
	if (request->wanted && !request->asked && !session->fds_pending && !session->closed && !session->failure.code) {
		request->wanted = false;
		request->asked = session->fds_pending = true;
		bytes = choose_size(session);
	}
	pthread_mutex_unlock(&session->lock);
	return bytes;
}

static void ask_for_arena(struct trnsci_session *session, size_t bytes)
{
	struct trnsci_call *call;

	if (call_new(session, "arena", &call) < 0) {
		pthread_mutex_lock(&session->lock);
		session->arena_request.asked = session->fds_pending = false;
		answer_waiting(session, &(struct error){ERROR_NO_MEMORY, "no_memory: arena: no call could be made", 0});
		session_wake(session);
		pthread_mutex_unlock(&session->lock);
		return;
	}
	call->internal = call->wants_fds = true;
	call->bytes = bytes;
	call->answered = take_arena;
	args_set_u64(trnsci_call_args(call), "bytes", bytes);
	args_set_u64(trnsci_call_args(call), "reserve", ARENA_RESERVE);
	call_send_unawaited(call);
}

/* ---- an arena less ---- */

/* Called with the lock. The daemon refuses an arena of which a request still uses a tile. */
static void end_leaving(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	struct arena *arena = call->tied_to == session->connection ? arena_find(session, call->bytes) : NULL;

	if (arena && call->answer.reply && arena->n_tiles == 0)
		arena_remove(session, arena);
	else if (arena)
		arena->leaving = false;
}

/* Returns the arena that could not be mapped, or 0. */
static uint32_t take_unmapped(struct trnsci_session *session, uint64_t *ret_connection)
{
	pthread_mutex_lock(&session->lock);
	const uint32_t handle = session->arena_request.unmapped;

	*ret_connection = session->arena_request.unmapped_on;
	session->arena_request.unmapped = 0;
	pthread_mutex_unlock(&session->lock);
	return handle;
}

/* Returns an arena to give back: an empty one, if a younger one is empty as well. The larger, younger arena stays, so that
 * a program that makes and frees one tile at a time keeps its memory, unless it leaves too little for one that is wanted. */
static uint32_t begin_leaving(struct trnsci_session *session, uint64_t *ret_connection)
{
	struct arena *empty = NULL;
	uint32_t handle = 0;

	pthread_mutex_lock(&session->lock);
	*ret_connection = session->connection;
	for (struct arena *arena = session->arenas; arena && !handle; arena = arena->next) {
		if (arena->n_tiles || arena->leaving)
			continue;
		if (empty)
			handle = empty->handle;
		else
			empty = arena;
	}
	if (empty && session->arena_request.wanted && session->arena_request.exact)
		handle = empty->handle;
	if (handle)
		empty->leaving = true;
	pthread_mutex_unlock(&session->lock);
	return handle;
}

static void give_back(struct trnsci_session *session, uint32_t handle, uint64_t connection)
{
	struct trnsci_call *call;

	if (call_new(session, "arena_free", &call) < 0)
		return;
	call->internal = call->tied = true;
	call->tied_to = connection;
	call->bytes = handle;
	call->answered = end_leaving;
	args_set_u64(trnsci_call_args(call), "arena", handle);
	call_send_unawaited(call);
}

/* ---- the engine's part ---- */

void arena_request_begin(struct trnsci_session *session, size_t bytes)
{
	pthread_mutex_lock(&session->lock);
	const bool first = !session->arenas && !session->arena_request.asked && !session->arena_request.wanted;

	if (first) {
		session->arena_request.bytes = bytes < SIZE_MAX / 4 ? bytes : 0;
		session->arena_request.wanted = true;
		session->arena_request.exact = false;
	}
	pthread_mutex_unlock(&session->lock);
	if (first)
		arena_request_tend(session);
}

void arena_request_tend(struct trnsci_session *session)
{
	uint64_t connection;
	uint32_t handle = take_unmapped(session, &connection);
	size_t bytes;

	if (handle)
		give_back(session, handle, connection);
	/* A request on a lost connection fails at once, and its arena would come again: not more than there can be. */
	for (int i = 0; i < ARENAS_MOST && (handle = begin_leaving(session, &connection)) != 0; i++)
		give_back(session, handle, connection);
	bytes = begin_asking(session);
	if (bytes)
		ask_for_arena(session, bytes);
}
