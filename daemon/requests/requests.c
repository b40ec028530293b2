/* SPDX-License-Identifier: Apache-2.0 */
/* Pending requests. */
#include "requests.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "engine/call/prepared.h"

enum {
	LONE_NS = 20 * 1000 * 1000, /* without another session's computing: whoever comes next waits for one call once in so long */
	HIGH_WATER_BYTES = 256 << 10, /* of unsent replies, above which finished requests wait */
	LARGE_BYTES = 512 << 10,      /* of one frame: freed in the background */
};

/* ------- freeing ------- */

static void free_entry(struct pending_request *pending)
{
	quota_share_give(&pending->session->bytes, pending->charge);
	quota_share_give(&pending->session->replies, pending->reply_bytes);
	if (!pending->frame)
		quota_share_give(&pending->session->jobs, 1);
	free(pending);
}

static void on_request_freed(struct loop_event *event)
{
	struct pending_request *pending = (struct pending_request *)event;
	struct session *session = pending->session;

	session->n_freeing--;
	free_entry(pending);
	session_continue(session); /* a request may have waited for the bytes of its results */
}

/* On the background worker's thread. */
static void free_results(struct background_task *task)
{
	struct pending_request *pending =
		(struct pending_request *)((char *)task - offsetof(struct pending_request, free_task));

	request_free(pending->request);
	bump_free(pending->frame);
	pending->event.deliver = on_request_freed;
	loop_post(pending->session->service->loop, &pending->event);
}

static void free_request_in_background(struct pending_request *pending)
{
	pending->session->n_freeing++;
	pending->free_task.run = free_results;
	background_post(&pending->free_task);
}

/* Once it has been replied to, or the client is gone. The engine takes its results back at once, however large. */
static void free_pending(void *arg)
{
	struct pending_request *pending = arg;

	if (pending->charge >= LARGE_BYTES) {
		free_request_in_background(pending);
		return;
	}
	request_free(pending->request);
	free_entry(pending);
}

void requests_free_frame(struct session *session, struct bump *bump, uint64_t charge)
{
	struct pending_request *pending = charge >= LARGE_BYTES ? malloc(sizeof *pending) : NULL;

	if (pending) {
		*pending = (struct pending_request){.session = session, .charge = charge, .frame = bump};
		free_request_in_background(pending);
		return;
	}
	bump_free(bump);
	quota_share_give(&session->bytes, charge);
}

/* ------- from running to finished to the outbox ------- */

static void unlink_running(struct pending_request *pending)
{
	if (pending->prev)
		pending->prev->next = pending->next;
	else
		pending->session->running = pending->next;
	if (pending->next)
		pending->next->prev = pending->prev;
}

/* Parts the time by what the engine has noted: until a thread began, and until it was computed; the rest is the
 * reply's. */
static void note_slow(const struct pending_request *pending, uint64_t now_ns)
{
	const struct request_account account = request_account(pending->request);
	const struct error *error = request_error(pending->request);
	struct slow_request slow = {.method = pending->method,
				    .total_ns = now_ns - pending->read_ns,
				    .has_threads = account.began_ns != 0,
				    .result_bytes = account.result_bytes,
				    .error = error ? error->code : 0};

	if (slow.has_threads) {
		slow.wait_ns = account.began_ns - pending->read_ns;
		slow.run_ns = account.ended_ns - account.began_ns;
	}
	session_note_slow(pending->session, &slow);
}

/* What was answered from within its start is counted when its frame ends. */
static void count_time(const struct pending_request *pending)
{
	struct service *service = pending->session->service;
	uint64_t now_ns;

	if (pending->done && pending->read_ns == service->clock_ns) {
		service->frame_class = pending->latency;
		service->frame_method = pending->method;
		return;
	}
	now_ns = stats_now_ns();
	latency_add(&service->latency[pending->latency], now_ns - pending->read_ns);
	if (session_is_slow(pending->session, now_ns - pending->read_ns))
		note_slow(pending, now_ns);
}

static void complete_run(struct pending_request *pending)
{
	const struct error *error = request_error(pending->request);

	count_time(pending);
	pending->completed(pending->session, pending->user, error, error ? NULL : request_result(pending->request));
	free_pending(pending);
}

static void finish_request(struct pending_request *pending)
{
	struct session *session = pending->session;

	unlink_running(pending);
	if (pending->completed) {
		complete_run(pending);
		return;
	}
	pending->next = NULL;
	*session->finished_last = pending;
	session->finished_last = &pending->next;
}

static struct pending_request *pop_finished(struct session *session)
{
	struct pending_request *pending = session->finished;

	session->finished = pending->next;
	if (!session->finished)
		session->finished_last = &session->finished;
	return pending;
}

void requests_drop(struct session *session)
{
	while (session->finished)
		free_pending(pop_finished(session));
}

/* The outbox keeps the request as long as it sends from its results. */
static void reply_finished(struct session *session, struct pending_request *pending)
{
	const struct error *error = request_error(pending->request);

	count_time(pending);
	if (!error) {
		session_reply_owned(session, pending->msgid, request_result(pending->request), free_pending, pending);
		return;
	}
	session_reply(session, pending->msgid, error, NULL, NULL);
	free_pending(pending);
}

void requests_reply(struct session *session)
{
	while (session->finished && outbox_pending(&session->outbox) < HIGH_WATER_BYTES)
		reply_finished(session, pop_finished(session));
}

static void on_answered(struct loop_event *event)
{
	struct pending_request *pending = (struct pending_request *)event;
	struct session *session = pending->session;

	finish_request(pending);
	if (session->fd < 0)
		requests_drop(session);
	session_continue(session);
}

/* Called by the engine: from within the start, on the loop's thread; or from a lane's thread; or, after a cancel, from
 * any thread. */
static void on_done(struct request *request, void *arg)
{
	struct pending_request *pending = arg;
	struct service *service = pending->session->service;

	(void)request;
	if (pthread_equal(pthread_self(), service->loop_thread) && service->starting == pending)
		pending->done = true;
	else
		loop_post(service->loop, &pending->event);
}

uint64_t requests_end_frame(struct session *session)
{
	struct service *service = session->service;
	const uint64_t now = stats_now_ns(), took_ns = now - service->clock_ns;

	if (service->frame_class != LATENCY_NONE) {
		latency_add(&service->latency[service->frame_class], took_ns);
		if (session_is_slow(session, took_ns))
			session_note_slow(session, &(struct slow_request){.method = service->frame_method, .total_ns = took_ns});
	}
	service->clock_ns = now;
	return now;
}

/* ------- starting ------- */

struct pending_request *requests_find(struct session *session, uint32_t msgid)
{
	for (struct pending_request *pending = session->running; pending; pending = pending->next)
		if (pending->msgid == msgid && !pending->completed)
			return pending;
	return NULL;
}

void requests_note_computing(struct session *session)
{
	struct service *service = session->service;

	if (service->only_computing_session != session->id) {
		service->only_computing_session = session->id;
		service->only_computing_since_ns = service->clock_ns;
	}
	engine_session_set_sole_client(session->memory, service->clock_ns - service->only_computing_since_ns >= LONE_NS);
}

/* Returns a request among the running ones, about to be started; NULL when there is no memory. */
static struct pending_request *add_pending(struct session *session, uint32_t msgid, uint64_t charge, unsigned latency,
					   const char *method)
{
	struct pending_request *pending = malloc(sizeof *pending);

	if (!pending)
		return NULL;
	*pending = (struct pending_request){
		.event.deliver = on_answered, .session = session, .charge = charge, .msgid = msgid, .latency = latency,
		.method = method, .read_ns = session->service->clock_ns};
	pending->next = session->running;
	if (pending->next)
		pending->next->prev = pending;
	session->running = pending;
	session->service->starting = pending;
	return pending;
}

/* r: what the engine returned. */
static int note_started(struct pending_request *pending, int r, struct error *err)
{
	pending->session->service->starting = NULL;
	if (r < 0) {
		unlink_running(pending);
		free(pending);
		return error_set(err, (enum error_code) - r, "request: %s", error_meaning(r));
	}
	if (pending->done)
		finish_request(pending);
	return 0;
}

/* Takes bump in any case; the charge stays the caller's unless it returns 0. */
static int start_request(struct session *session, const struct operation *operation, const struct message *message,
			 struct bump *bump, uint64_t charge, struct error *err)
{
	struct pending_request *pending =
		add_pending(session, message->msgid, charge, operation ? (unsigned)operation->class : METHOD_SERVICE,
			    operation ? operation->name : "");

	if (!pending) {
		bump_free(bump);
		return error_set(err, ERROR_NO_MEMORY, "request: its entry");
	}
	const struct request_call call = {
		.method = message->method, .method_size = message->method_size, .params = &message->params};

	return note_started(
		pending, request_start(session->memory, &call, bump, on_done, pending, &pending->request), err);
}

bool requests_start(struct session *session, const struct operation *operation, const struct message *message,
		    struct bump *bump, uint64_t charge)
{
	const uint32_t msgid = message->msgid;
	struct error err = {.code = 0};

	if (operation && operation->start != START_SERVICE)
		requests_note_computing(session);
	if (quota_share_take(&session->jobs, 1, &err) < 0) {
		session_reply(session, msgid, &err, NULL, NULL);
		requests_free_frame(session, bump, charge);
		return false;
	}
	if (start_request(session, operation, message, bump, charge, &err) == 0)
		return true;
	quota_share_give(&session->jobs, 1);
	quota_share_give(&session->bytes, charge);
	session_reply(session, msgid, &err, NULL, NULL);
	return false;
}

int requests_start_run(struct session *session, const struct run_prepared *run, const struct prepared_changes *changes,
		       run_completed *completed, struct error *err)
{
	struct bump *bump = bump_new_cached(&session->service->bump_cache);
	struct pending_request *pending = bump ? add_pending(session, (uint32_t)run->user, 0, LATENCY_PREPARED, "run_prepared") : NULL;

	if (!pending) {
		bump_free(bump);
		return error_set(err, ERROR_NO_MEMORY, "request: its entry");
	}
	pending->completed = completed;
	pending->user = run->user;
	const struct request_call call = {.prepared = run->prepared, .changes = changes};

	return note_started(
		pending, request_start(session->memory, &call, bump, on_done, pending, &pending->request), err);
}
