/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing calls and releasing them. */
#include "prepare.h"

#include "send.h"

#include "engine/prepare.h"

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

/* ---- by a daemon ---- */

/* Takes the handle from the reply to `prepare`. One that comes too late, when the call has changed, is released. With the lock. */
static void take_handle(struct trnsci_call *prepare)
{
	struct trnsci_call *call = prepare->preparation.prepares;
	const struct value *handle = prepare->answer.reply ? value_get(prepare->answer.reply, "prepared") : NULL;
	const bool good = handle && handle->kind == VALUE_UINT && handle->u > 0 && handle->u <= UINT32_MAX;

	if (!call)
		return;
	prepare->preparation.prepares = NULL;
	if (good && prepare->tied_to == call->session->connection) {
		if (call->preparation.number == prepare->preparation.number)
			call->preparation.handle = (uint32_t)handle->u;
		else
			add_release(call->session, (uint32_t)handle->u);
	}
	call_unref_locked(call);
}

/* The `prepare` holds a reference to the call, and returns it when it is answered. */
static void send_prepare(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	struct trnsci_call *prepare;

	if (call_new(session, "prepare", &prepare) < 0)
		return;
	call_ref(call);
	pthread_mutex_lock(&session->lock);
	prepare->tied_to = call->preparation.connection;
	prepare->preparation.number = call->preparation.number;
	pthread_mutex_unlock(&session->lock);
	prepare->internal = prepare->tied = true;
	prepare->preparation.prepares = call;
	prepare->answered = take_handle;
	call_send_unawaited(prepare);
}

/* With the lock. */
static void end_preparation(struct trnsci_call *call)
{
	if (call->preparation.handle && call->preparation.connection == call->session->connection)
		add_release(call->session, call->preparation.handle);
	call->preparation.handle = 0;
	call->preparation.asked = false;
	call->preparation.connection = call->session->connection;
	call->preparation.number++;
}

/* ---- by this process ---- */

static void prepare_inline(struct trnsci_call *call)
{
	if (call->session->engine->prepare(call, &call->preparation.inline_prepared) == 0)
		call->preparation.handle = prepared_handle(call->preparation.inline_prepared);
}

static void release_inline(struct trnsci_call *call)
{
	if (!call->preparation.inline_prepared)
		return;
	call->session->engine->release(call->session, call->preparation.inline_prepared);
	call->preparation.inline_prepared = NULL;
	call->preparation.handle = 0; /* the engine has released it */
}

/* ---- both ---- */

void prepare_ask(struct trnsci_call *call)
{
	if (call->session->engine->prepare)
		prepare_inline(call);
	else
		send_prepare(call);
}

bool prepare_renew(struct trnsci_call *call, bool changed)
{
	struct trnsci_session *session = call->session;
	const bool ends = changed || call->preparation.connection != session->connection;

	if (changed) {
		call_drop_reply(call); /* it may be in the memory of the prepared call */
		release_inline(call);
	}
	if (ends) {
		pthread_mutex_lock(&session->lock);
		end_preparation(call);
		pthread_mutex_unlock(&session->lock);
	}
	if (session->n_releases > 0)
		send_releases(session);
	return ends;
}

bool prepare_is_used(const struct trnsci_call *call)
{
	return call->preparation.handle && call->preparation.connection == call->session->connection &&
	       call->ladder.version == call->args.version && changes_fit_prepared(&call->changes);
}

void prepare_end(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	bool any;

	release_inline(call);
	if (!call->preparation.asked)
		return;
	pthread_mutex_lock(&session->lock);
	end_preparation(call);
	any = session->n_releases > 0 && !session->closed && !session->failure.code;
	pthread_mutex_unlock(&session->lock);
	if (any)
		send_releases(session);
}
