/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: from parameters through flight to an answer. */
#include "call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "args.h"
#include "changes.h"
#include "prepare.h"
#include "call_tiles.h"
#include "engine/request.h"
#include "tile.h"

static_assert(sizeof((struct trnsci_error *)0)->text == sizeof((struct error *)0)->text, "one text fits the other");

/* ---- the queue of answered calls, with the lock held ---- */

/* A doubly linked list, so that a call that is waited for by itself leaves from the middle. */
static void queue_push(struct trnsci_session *session, struct trnsci_call *call)
{
	if (!session->oldest && session->ready_fd >= 0)
		eventfd_write(session->ready_fd, 1);
	call->queued = true;
	call->older = session->newest;
	call->newer = NULL;
	*(session->newest ? &session->newest->newer : &session->oldest) = call;
	session->newest = call;
}

void call_unqueue(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	eventfd_t ignored;

	if (!call->queued)
		return;
	call->queued = false;
	*(call->newer ? &call->newer->older : &session->newest) = call->older;
	*(call->older ? &call->older->newer : &session->oldest) = call->newer;
	if (!session->oldest && session->ready_fd >= 0)
		eventfd_read(session->ready_fd, &ignored);
}

/* ---- the table of calls in flight, with the lock held ---- */

struct trnsci_call *call_find(struct trnsci_session *session, uint32_t msgid)
{
	struct trnsci_call *call = session->calls[msgid % CALL_BUCKETS];

	while (call && call->msgid != msgid)
		call = call->chain;
	return call;
}

/* Message ids count up and wrap at 2^32: one that is still in flight is stepped over. */
static void take_off(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;

	do
		call->msgid = ++session->last_msgid;
	while (call_find(session, call->msgid));
	call->chain = session->calls[call->msgid % CALL_BUCKETS];
	session->calls[call->msgid % CALL_BUCKETS] = call;
	session->flying++;
	call->refs++;
	call->cancelling = false;
	call->repeated = false;
	call->ends = CALL_UNSENT;
	call->state = CALL_FLYING;
}

/* The flight's reference goes; the caller sees to it when that was the last. */
static void land(struct trnsci_call *call, enum call_state state)
{
	struct trnsci_session *session = call->session;
	struct trnsci_call **at = &session->calls[call->msgid % CALL_BUCKETS];

	while (*at != call)
		at = &(*at)->chain;
	*at = call->chain;
	session->flying--;
	call->refs--;
	call->state = state;
}

/* ---- life ---- */

/* A call that is sent again loses what it had: pointers into its reply are dead from here on. */
static void drop_reply(struct trnsci_call *call)
{
	call->reply = NULL;
	bump_free(call->bump);
	call->bump = NULL;
	request_free(call->request);
	call->request = NULL;
	if (call->held)
		prepared_give(call->held);
	call->held = NULL;
	fdpass_close(&call->fds);
}

void call_discard(struct trnsci_call *call)
{
	drop_reply(call);
	changes_drop(call);
	args_free(call->params);
	free(call->method);
	free(call);
}

int call_new(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call)
{
	struct trnsci_call *call = calloc(1, sizeof *call);

	if (!call)
		return -ERROR_NO_MEMORY;
	call->session = session;
	call->refs = 1;
	call->method = strdup(method);
	call->params = args_new(&call->args);
	if (!call->method || !call->params) {
		call_discard(call);
		return -ERROR_NO_MEMORY;
	}
	session_ref(session);
	*ret_call = call;
	return 0;
}

void call_unref(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;

	pthread_mutex_lock(&session->lock);
	bool last = --call->refs == 0;
	pthread_mutex_unlock(&session->lock);
	if (last) {
		call_discard(call);
		session_unref(session);
	}
}

/* ---- flight ---- */

static int fail(struct trnsci_call *call, const struct error *error)
{
	return error_give(&call->error, error);
}

bool call_finish(struct trnsci_call *call, const struct error *error, struct bump *bump, void *request,
		 const struct value *reply)
{
	if (!error)
		call_set_outputs_lost(call, false);
	land(call, CALL_DONE);
	call->connection = call->session->connection;
	call->bump = bump;
	call->request = request;
	call->reply = error ? NULL : reply;
	fail(call, error ? error : &(struct error){0});
	if (call->prepares)
		prepare_finish(call, call->reply);
	if (call->refs == 0)
		return true;
	if (call->queueing)
		queue_push(call->session, call);
	return false;
}

/* Builds the request in bump. Texts and bytes stay where the setters put them: they live as long as the call. */
static int build(struct trnsci_call *call, struct bump *bump, const char **ret_method, struct value *ret_params)
{
	*ret_method = call->method;
	if (call->prepares)
		return prepare_build_request(call, bump, ret_params);
	if (prepare_is_used(call)) {
		*ret_method = "run_prepared";
		return prepare_build_run(call, bump, ret_params);
	}
	return args_build(call->params, &call->changes.tiles, bump, ret_params) || changes_put(call, bump, ret_params)
		       ? -ERROR_NO_MEMORY
		       : 0;
}

int call_build(struct trnsci_call *call, struct bump **ret_bump, const char **ret_method, struct value *ret_params,
	       struct error *err)
{
	struct bump *bump = bump_new_cached(&call->session->bump_cache);

	if (!bump || build(call, bump, ret_method, ret_params) < 0) {
		bump_free(bump);
		return error_set(err, ERROR_NO_MEMORY, "%s: a parameter could not be stored", call->method);
	}
	*ret_bump = bump;
	return 0;
}

/* Marks the call as in flight, with a reference for its sender, unless the session is at its end. */
static int begin(struct trnsci_call *call, bool queueing, struct prepare_todo *ret_todo, struct error *err)
{
	struct trnsci_session *session = call->session;
	int r = 0;

	pthread_mutex_lock(&session->lock);
	if (session->closed) {
		r = error_set(err, ERROR_CLOSED, "%s: the session was closed", call->method);
	} else if (session->failure.code) {
		*err = session->failure;
		err->code = ERROR_CLOSED;
		r = -ERROR_CLOSED;
	} else {
		call_unqueue(call);
		call->queueing = queueing;
		call->refs++; /* the sender's: once it is answered, another thread may free it */
		take_off(call);
		*ret_todo = prepare_begin(call);
	}
	pthread_mutex_unlock(&session->lock);
	return r;
}

bool call_is_flying(const struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;

	pthread_mutex_lock(&session->lock);
	bool flying = call->state == CALL_FLYING;
	pthread_mutex_unlock(&session->lock);
	return flying;
}

/* Marks a prepared call as in flight, but in no table. False: it is to be sent. */
static bool begin_now(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	bool can;

	pthread_mutex_lock(&session->lock);
	can = call->state != CALL_FLYING && !session->closed && !session->failure.code && !call->args.failed &&
	      prepare_is_used(call);
	if (can) {
		call_unqueue(call);
		call->state = CALL_FLYING;
		session->running_now++;
	}
	pthread_mutex_unlock(&session->lock);
	return can;
}

/* A small prepared call of an engine that runs it in this thread, without an allocation. False: it is to be sent, which
 * also reports what is wrong. */
static bool run_now(struct trnsci_call *call, const struct trnsci_changes *changes)
{
	struct trnsci_session *session = call->session;
	struct prepared *prepared = NULL;
	const struct value *reply = NULL;

	if (!session->engine->run_now || !begin_now(call))
		return false;
	drop_reply(call);
	if (changes_set(call, changes, NULL) == 0)
		reply = session->engine->run_now(call, &prepared);
	pthread_mutex_lock(&session->lock);
	call->held = prepared;
	call->reply = reply;
	call->connection = session->connection;
	call->error.code = 0;
	call->error.text[0] = '\0';
	call->state = reply ? CALL_DONE : CALL_IDLE;
	if (--session->running_now == 0 && session->closed)
		pthread_cond_broadcast(&session->changed);
	pthread_mutex_unlock(&session->lock);
	return reply;
}

/* No lock is held while the engine takes the request: an embedded one may compute and answer it there and then. */
int call_start(struct trnsci_call *call, const struct trnsci_changes *changes, bool queueing)
{
	struct prepare_todo todo;
	struct error error = {0};

	if (session_check(call->session, &error) < 0)
		return fail(call, &error);
	if (!queueing && run_now(call, changes))
		return 0;
	if (call_is_flying(call))
		return -ERROR_OUT_OF_RANGE;
	drop_reply(call);
	if (call->args.failed) {
		error_set(&error, ERROR_NO_MEMORY, "%s: a parameter could not be stored", call->method);
		return fail(call, &error);
	}
	if (call->args.new_tile && tile_ensure_arena(call->session, &error) < 0)
		return fail(call, &error);
	if (changes_set(call, changes, &error) < 0)
		return fail(call, &error);
	if (begin(call, queueing, &todo, &error) < 0)
		return fail(call, &error);
	prepare_do(call->session, &todo);
	int r = call->session->engine->send(call, &error);

	if (r < 0) {
		if (!error.code)
			error_set(&error, (enum error_code) - r, "%s: the request could not be sent", call->method);
		pthread_mutex_lock(&call->session->lock);
		land(call, CALL_IDLE);
		fail(call, &error);
		pthread_mutex_unlock(&call->session->lock);
	}
	call_unref(call);
	return r;
}

enum method_effect call_effect(const struct trnsci_call *call)
{
	const struct operation *operation = operation_find(call->method, strlen(call->method));

	if (operation && operation->class == METHOD_PROGRAM && args_mention(call->params, "stream_name"))
		return EFFECT_LASTING;
	return operation ? operation->effect : EFFECT_LASTING;
}

int call_make(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call, struct error *err)
{
	int r = session_check(session, err);

	if (r < 0)
		return r;
	r = method ? call_new(session, method, ret_call) : -ERROR_UNKNOWN_METHOD;
	return r < 0 ? error_set(err, (enum error_code) - r, "%s: no call could be made", method ? method : "NULL") : 0;
}

int call_run(struct trnsci_call *call, struct error *err)
{
	int r = trnsci_run(call, NULL);

	if (r == 0)
		return 0;
	error_take(err, &call->error);
	trnsci_call_free(call);
	return r;
}

int call_run_to_end(struct trnsci_call *call, struct error *err)
{
	int r = trnsci_run(call, NULL);

	if (r == 0)
		return 0;
	error_take(err, &call->error);
	if (call_is_flying(call))
		trnsci_wait(call, -1);
	trnsci_call_free(call);
	return r;
}

int call_reply_u64(const struct trnsci_call *call, const char *name, uint64_t *ret, struct error *err)
{
	if (trnsci_to_u64(trnsci_get(trnsci_reply(call), name), ret) < 0)
		return error_set(err, ERROR_BAD_REPLY, "%s: the reply has no number %s", call->method, name);
	return 0;
}

/* ---- the public interface ---- */

int trnsci_call_new(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call)
{
	static const char *const own[] = {"arena", "tile", "free", "cancel", "ring_attach", "ring_detach", "broadcast_attach",
					  "prepare", "run_prepared", "release"};
	int r = session_check(session, NULL);

	if (r < 0)
		return r;
	if (!method)
		return -ERROR_NOT_SUPPORTED;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strcmp(method, own[i]) == 0)
			return -ERROR_NOT_SUPPORTED;
	return call_new(session, method, ret_call);
}

void trnsci_call_free(struct trnsci_call *call)
{
	if (!call)
		return;
	if (session_check(call->session, NULL) < 0)
		return; /* a child after fork: the lock may be held by a thread that is not here */
	if (call_is_flying(call))
		trnsci_cancel(call);
	pthread_mutex_lock(&call->session->lock);
	call_unqueue(call);
	call->queueing = false;
	pthread_mutex_unlock(&call->session->lock);
	prepare_end(call);
	call_unref(call);
}

struct trnsci_args *trnsci_args(struct trnsci_call *call)
{
	return call ? call->params : NULL;
}

struct trnsci_args *trnsci_step(struct trnsci_call *program, const char *operation)
{
	struct trnsci_args *step = program ? trnsci_set_map(args_list(program->params, "steps"), NULL) : NULL;

	trnsci_set_text(step, "op", operation);
	return step;
}

void trnsci_want(struct trnsci_call *program, const char *name)
{
	if (program)
		trnsci_set_text(args_list(program->params, "results"), NULL, name);
}

const struct trnsci_error *trnsci_call_error(const struct trnsci_call *call)
{
	return call ? &call->error : NULL;
}

const struct trnsci_value *trnsci_reply(const struct trnsci_call *call)
{
	return call ? (const struct trnsci_value *)(const void *)call->reply : NULL;
}

int trnsci_cancel(struct trnsci_call *call)
{
	if (!call)
		return -ERROR_OUT_OF_RANGE;
	struct trnsci_session *session = call->session;
	int r = session_check(session, NULL);

	if (r < 0)
		return r;
	pthread_mutex_lock(&session->lock);
	bool flying = call->state == CALL_FLYING && !call->cancelling;
	call->cancelling = true;
	call->refs++;
	pthread_mutex_unlock(&session->lock);
	if (flying)
		session->engine->cancel(call);
	call_unref(call);
	return 0;
}
