/* SPDX-License-Identifier: Apache-2.0 */
/* When a call is prepared, and when the engine may forget it. */
#include "prepare.h"

#include <string.h>

#include "send.h"

#include "engine/prepare.h"

enum {
	PARAMETERS_MOST = 16 << 10, /* bytes: the engine would keep them as long as the call lives */
	RUNS_BEFORE = 3,            /* a preparation costs as much as a run; each later run saves about half of one */
	RUNS_BEFORE_HERE = 1,       /* it costs as much as two runs; each later run saves nearly all of one */
};

/* ---- releases; with the lock ---- */

/* Handles of an earlier connection ended with it. */
static void forget_old_releases(struct trnsci_session *session)
{
	if (session->releases_connection != session->connection)
		session->n_releases = 0;
	session->releases_connection = session->connection;
}

static void add_release(struct trnsci_session *session, uint32_t handle)
{
	forget_old_releases(session);
	if (session->n_releases < SESSION_RELEASES)
		session->releases[session->n_releases++] = handle;
}

/* Returns 0 if none is left. */
static uint32_t take_release(struct trnsci_session *session)
{
	forget_old_releases(session);
	return session->n_releases ? session->releases[--session->n_releases] : 0;
}

/* Without the lock. */
static void send_releases(struct trnsci_session *session)
{
	for (;;) {
		struct trnsci_call *release;

		pthread_mutex_lock(&session->lock);
		const uint32_t handle = take_release(session);
		const uint64_t connection = session->connection;
		pthread_mutex_unlock(&session->lock);
		if (!handle || call_new(session, "release", &release) < 0)
			return;
		args_set_u64(trnsci_call_args(release), "prepared", handle);
		release->internal = release->tied = true;
		release->tied_to = connection;
		call_send_unawaited(release);
	}
}

/* ---- preparations ---- */

static void end_preparation(struct trnsci_call *call)
{
	if (call->preparation.handle && call->preparation.connection == call->session->connection)
		add_release(call->session, call->preparation.handle);
	call->preparation.handle = 0;
	call->preparation.asked = false;
	call->preparation.number++;
}

static bool is_worth_it(const struct trnsci_call *call)
{
	const struct operation *operation = operation_find(call->method, strlen(call->method));

	return operation && prepared_allows(operation) && args_bytes(&call->args.map) <= PARAMETERS_MOST;
}

static void release_here(struct trnsci_call *call)
{
	if (!call->preparation.inline_prepared)
		return;
	call->session->engine->release(call->session, call->preparation.inline_prepared);
	call->preparation.inline_prepared = NULL;
	call->preparation.handle = 0;
}

void prepare_here(struct trnsci_call *call)
{
	const struct session_engine *engine = call->session->engine;

	if (!engine->prepare || call->internal || call->state == CALL_IN_FLIGHT)
		return;
	if (call->preparation.version != call->args.version) {
		call_drop_reply(call); /* it is in the memory of the prepared call */
		release_here(call);
		call->preparation.runs = 0;
		call->preparation.version = call->args.version;
		call->preparation.connection = call->session->connection;
	}
	if (call->preparation.runs > RUNS_BEFORE_HERE || !args_are_good(&call->args))
		return;
	if (call->preparation.runs++ == RUNS_BEFORE_HERE && is_worth_it(call) && engine->prepare(call, &call->preparation.inline_prepared) == 0)
		call->preparation.handle = prepared_handle(call->preparation.inline_prepared);
}

struct prepare_todo prepare_begin(struct trnsci_call *call)
{
	struct prepare_todo todo = {0};
	const uint64_t connection = call->session->connection;
	const bool changed = call->preparation.version != call->args.version;

	if (call->internal || call->session->engine->prepare)
		return todo;
	if (changed || call->preparation.connection != connection) {
		if (changed)
			call->preparation.runs = 0;
		end_preparation(call);
		call->preparation.version = call->args.version;
		call->preparation.connection = connection;
	}
	if (call->preparation.runs == RUNS_BEFORE && !call->preparation.asked) {
		call->preparation.asked = true;
		if (is_worth_it(call)) {
			todo = (struct prepare_todo){
				.call = call, .connection = connection, .preparation = call->preparation.number};
			call_ref(call);
		}
	}
	call->preparation.runs += call->preparation.runs < RUNS_BEFORE;
	todo.releases = call->session->n_releases > 0;
	return todo;
}

/* Takes the handle from the reply to `prepare`. One that comes too late, when the call has changed, is released. */
static void take_handle(struct trnsci_call *prepare)
{
	struct trnsci_call *call = prepare->preparation.prepares;
	const struct value *handle = prepare->answer.reply ? value_get(prepare->answer.reply, "prepared") : NULL;
	const bool good = handle && handle->kind == VALUE_UINT && handle->u > 0 && handle->u <= UINT32_MAX;

	if (!call)
		return;
	prepare->preparation.prepares = NULL;
	if (good && prepare->tied_to == call->session->connection) {
		if (call->preparation.number == prepare->preparation.number && !call->preparation.ended)
			call->preparation.handle = (uint32_t)handle->u;
		else
			add_release(call->session, (uint32_t)handle->u);
	}
	call_unref_locked(call);
}

/* The reference of todo->call goes to its `prepare`, which returns it when it is answered. */
static void send_prepare(const struct prepare_todo *todo)
{
	struct trnsci_call *prepare;

	if (call_new(todo->call->session, "prepare", &prepare) < 0) {
		call_unref(todo->call);
		return;
	}
	prepare->internal = prepare->tied = true;
	prepare->tied_to = todo->connection;
	prepare->preparation.prepares = todo->call;
	prepare->preparation.number = todo->preparation;
	prepare->answered = take_handle;
	call_send_unawaited(prepare);
}

void prepare_send(struct trnsci_session *session, const struct prepare_todo *todo)
{
	if (todo->releases)
		send_releases(session);
	if (todo->call)
		send_prepare(todo);
}

bool prepare_is_used(const struct trnsci_call *call)
{
	return call->preparation.handle && call->preparation.connection == call->session->connection &&
	       call->preparation.version == call->args.version;
}

void prepare_release(struct trnsci_session *session, uint32_t handle, uint64_t connection)
{
	bool any;

	pthread_mutex_lock(&session->lock);
	any = handle && connection == session->connection && !session->closed && !session->failure.code;
	if (any)
		add_release(session, handle);
	pthread_mutex_unlock(&session->lock);
	if (any)
		send_releases(session);
}

void prepare_end(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	bool any;

	release_here(call);
	if (!call->preparation.asked)
		return;
	pthread_mutex_lock(&session->lock);
	end_preparation(call);
	call->preparation.ended = true;
	any = session->n_releases > 0 && !session->closed && !session->failure.code;
	pthread_mutex_unlock(&session->lock);
	if (any)
		send_releases(session);
}
