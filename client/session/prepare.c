/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing calls that are run again. */
#include "prepare.h"

#include <string.h>

#include "args.h"
#include "call.h"
#include "changes.h"

#include "engine/prepared/prepared.h"

/* What a call may bring, and hold at the engine: more is not prepared unasked. A preparation costs as much as a run, and
 * each later run saves about half of one: a call that is run two or three times would only lose. */
enum { REQUEST_MOST = 16 << 10, HELD_MOST = 1 << 20, RUNS_BEFORE = 3 };

/* ---- releases ---- */

/* With the lock. A handle beyond the room stays with the engine until the session's end. */
static void note_release(struct trnsci_session *session, uint32_t handle)
{
	if (session->n_releases < SESSION_RELEASES)
		session->releases[session->n_releases++] = handle;
}

/* 0: none is left; *ret_connection: the one on which it stands. */
static uint32_t next_release(struct trnsci_session *session, uint64_t *ret_connection)
{
	uint32_t handle = 0;

	pthread_mutex_lock(&session->lock);
	if (session->releases_connection != session->connection)
		session->n_releases = 0;
	session->releases_connection = *ret_connection = session->connection;
	if (session->n_releases > 0)
		handle = session->releases[--session->n_releases];
	pthread_mutex_unlock(&session->lock);
	return handle;
}

/* Requests whose answers nobody waits for. */
static void send_releases(struct trnsci_session *session)
{
	uint64_t connection;

	for (uint32_t handle; (handle = next_release(session, &connection)) != 0;) {
		struct trnsci_call *release;

		if (call_new(session, "release", &release) < 0)
			return;
		trnsci_set_u64(trnsci_args(release), "prepared", handle);
		release->own = release->tied = true;
		release->tied_to = connection;
		call_start(release, NULL, false);
		call_unref(release);
	}
}

/* With the lock. */
static void drop(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;

	if (call->prepared && call->prepared_on == session->connection) {
		if (session->releases_connection != session->connection)
			session->n_releases = 0;
		session->releases_connection = session->connection;
		note_release(session, call->prepared);
	}
	call->prepared = 0;
	call->asked = false;
	call->preparation++;
}

/* ---- asking ---- */

static bool is_worth_it(const struct trnsci_call *call)
{
	const struct operation *operation = operation_find(call->method, strlen(call->method));

	return operation && prepared_allows(operation) && args_bytes(call->params) <= REQUEST_MOST;
}

struct prepare_todo prepare_begin(struct trnsci_call *call)
{
	struct prepare_todo todo = {0};
	const uint64_t connection = call->session->connection;
	const bool changed = call->prepared_version != call->args.version;

	if (call->own)
		return todo;
	if (changed || call->prepared_on != connection) {
		if (changed)
			call->runs = 0;
		drop(call);
		call->prepared_version = call->args.version;
		call->prepared_on = connection;
	}
	if (call->runs == RUNS_BEFORE && !call->asked) {
		call->asked = true;
		if (is_worth_it(call)) {
			todo = (struct prepare_todo){.call = call, .connection = connection, .preparation = call->preparation};
			call->refs++;
		}
	}
	call->runs += call->runs < RUNS_BEFORE;
	todo.releases = call->session->n_releases > 0;
	return todo;
}

/* The call's reference goes over to its `prepare`, which gives it back when it is answered. */
static void ask(const struct prepare_todo *todo)
{
	struct trnsci_session *session = todo->call->session;
	struct trnsci_call *prepare;

	if (call_new(session, "prepare", &prepare) < 0) {
		call_unref(todo->call);
		return;
	}
	prepare->own = prepare->tied = true;
	prepare->tied_to = todo->connection;
	prepare->prepares = todo->call;
	prepare->preparation = todo->preparation;
	if (call_start(prepare, NULL, false) < 0) {
		pthread_mutex_lock(&session->lock);
		prepare_finish(prepare, NULL);
		pthread_mutex_unlock(&session->lock);
	}
	call_unref(prepare);
}

void prepare_do(struct trnsci_session *session, const struct prepare_todo *todo)
{
	if (todo->releases)
		send_releases(session);
	if (todo->call)
		ask(todo);
}

bool prepare_is_used(const struct trnsci_call *call)
{
	return call->prepared && call->prepared_on == call->session->connection &&
	       call->prepared_version == call->args.version;
}

void prepare_finish(struct trnsci_call *prepare, const struct value *reply)
{
	struct trnsci_call *call = prepare->prepares;
	struct trnsci_session *session = prepare->session;
	const struct value *handle = reply ? value_get(reply, "prepared") : NULL;
	const bool good = handle && handle->kind == VALUE_UINT && handle->u > 0 && handle->u <= UINT32_MAX;

	if (!call)
		return;
	prepare->prepares = NULL;
	if (good && prepare->tied_to == session->connection) {
		if (call->preparation == prepare->preparation && !call->ended)
			call->prepared = (uint32_t)handle->u;
		else
			note_release(session, (uint32_t)handle->u);
	}
	if (--call->refs > 0)
		return;
	call_discard(call);
	session_unref_locked(session);
}

void prepare_end(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	bool any;

	if (!call->asked) /* only its owner sets it */
		return;
	pthread_mutex_lock(&session->lock);
	drop(call);
	call->ended = true;
	any = session->n_releases > 0 && !session->closed && !session->failure.code;
	pthread_mutex_unlock(&session->lock);
	if (any)
		send_releases(session);
}

/* ---- requests ---- */

int prepare_build_run(const struct trnsci_call *call, struct bump *bump, struct value *ret_params)
{
	struct value params = value_map();

	if (value_add(bump, &params, "prepared", value_uint(call->prepared)) || changes_put(call, bump, &params) ||
	    changes_put_tiles(call, bump, &params))
		return -ERROR_NO_MEMORY;
	*ret_params = params;
	return 0;
}

int prepare_build_request(const struct trnsci_call *prepare, struct bump *bump, struct value *ret_params)
{
	const struct trnsci_call *call = prepare->prepares;
	struct value map = value_map(), params;

	if (args_build(call->params, NULL, bump, &params) || value_add(bump, &map, "method", value_string(call->method)) ||
	    value_add(bump, &map, "params", params) || value_add(bump, &map, "max_bytes", value_uint(HELD_MOST)))
		return -ERROR_NO_MEMORY;
	*ret_params = map;
	return 0;
}
