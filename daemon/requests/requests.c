/* SPDX-License-Identifier: Apache-2.0 */
/* From frames to requests to replies. A request goes from the inbox to `running`, comes back from the engine at once or
 * by letter, waits in `finished` while earlier replies are unread, and ends in the outbox. */
#include "requests.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "engine/operations/operations.h"
#include "engine/prepared/prepared.h"
#include "log.h"
#include "memory/arena.h"
#include "methods.h"

enum {
	HIGH_WATER = 256 << 10, /* bytes to be sent, above which nothing is read */
	REAP_BYTES = 512 << 10, /* of results that a session holds: to free more is left to the reaper */
	TURN_NS = 100000,       /* of one session's frames, while others wait, for each of its weight */
	TURN_MOST_NS = 1000000, /* the same for all of it */
};

/* ------- the last words ------- */

/* Tells the client why, as a notification since there is no request to answer; what was accepted is still answered. */
static void end_input(struct session *session, uint64_t *counter, int kind, const char *text)
{
	struct bump *bump = bump_new();
	struct value params = value_map();

	++*counter;
	log_client(LEVEL_DEBUG, session->id, quota_user_uid(session->user), "no more is read: %s", text);
	session->eof = true;
	session->backlog = false;
	if (bump && value_put(bump, &params, "kind", value_uint((uint64_t)kind)) == 0 &&
	    value_put(bump, &params, "text", value_string(text)) == 0)
		outbox_notify(&session->outbox, "error", &params);
	bump_free(bump);
}

void requests_end(struct session *session, uint64_t *counter, enum error_code code, const char *what)
{
	struct error err;

	error_set(&err, code, "%s", what);
	end_input(session, counter, error_kind((int)code), err.text);
}

void requests_end_for_limit(struct session *session)
{
	requests_end(session, &session->service->stats.over_limit, ERROR_LIMIT,
		     "messages: more bytes than may be held, allowed: the settings buffer_bytes, and half of "
		     "buffer_total_bytes for a user");
}

void requests_end_late(struct session *session)
{
	struct error err;

	error_set(&err, ERROR_TIMEOUT, "message: its end has not come, allowed: the setting frame_timeout = %" PRIu64 " s",
		  session->service->settings->frame_timeout);
	end_input(session, &session->service->stats.half_frames, error_kind(err.code), err.text);
}

/* ------- answers ------- */

/* r: what the outbox said to a reply. If it had no room, the client is told so instead. */
static void replied(struct session *session, uint32_t msgid, int r)
{
	struct error too_much;

	if (r == 0)
		return;
	error_set(&too_much, (enum error_code) - r,
		  "reply: more bytes than may be held, allowed: the setting buffer_bytes");
	if (outbox_reply(&session->outbox, msgid, &too_much, NULL, NULL) < 0)
		requests_end_for_limit(session);
}

static void reply(struct session *session, uint32_t msgid, const struct error *error, const struct value *result,
		  struct fdpass *fds)
{
	if (error && error->code)
		session->service->stats.errors++;
	replied(session, msgid, outbox_reply(&session->outbox, msgid, error, result, fds));
}

void requests_reply(struct session *session, uint32_t msgid, const struct error *error, const struct value *result)
{
	reply(session, msgid, error, result, NULL);
}

static void forget(struct job *job)
{
	quota_share_give(&job->session->bytes, job->charge);
	quota_share_give(&job->session->replies, job->reply_bytes);
	if (!job->frame)
		quota_share_give(&job->session->jobs, 1);
	free(job);
}

void requests_reaped(struct job *job)
{
	job->session->n_reaping--;
	forget(job);
}

/* By the reaper. */
static void take_down(struct background_task *task)
{
	struct job *job = (struct job *)((char *)task - offsetof(struct job, task));

	request_free(job->request);
	bump_free(job->frame);
	job->event.deliver = job->session->reaped;
	loop_post(job->session->service->loop, &job->event);
}

static void reap(struct job *job)
{
	job->session->n_reaping++;
	job->task.run = take_down;
	background_post(&job->task);
}

/* Answered, or nobody is left to be answered. */
static void job_free(void *arg)
{
	struct job *job = arg;

	if (quota_share_used(&job->session->work) >= REAP_BYTES || job->charge >= REAP_BYTES) {
		reap(job);
		return;
	}
	request_free(job->request);
	forget(job);
}

/* A frame that has become no job. */
static void frame_free(struct session *session, struct bump *bump, uint64_t charge)
{
	struct job *job = charge >= REAP_BYTES ? malloc(sizeof *job) : NULL;

	if (job) {
		*job = (struct job){.session = session, .charge = charge, .frame = bump};
		reap(job);
		return;
	}
	bump_free(bump);
	quota_share_give(&session->bytes, charge);
}

/* From running to finished. */
void requests_finish(struct job *job)
{
	struct session *session = job->session;

	if (job->prev)
		job->prev->next = job->next;
	else
		session->running = job->next;
	if (job->next)
		job->next->prev = job->prev;
	job->next = NULL;
	*session->finished_last = job;
	session->finished_last = &job->next;
}

void requests_drop(struct session *session)
{
	while (session->finished) {
		struct job *job = session->finished;

		session->finished = job->next;
		job_free(job);
	}
	session->finished_last = &session->finished;
}

/* Whether a request's results might not fit. Those of one alone always do, or a limit below inline_bytes would keep a
 * request waiting for ever. */
static bool replies_are_full(const struct session *session)
{
	const struct settings *settings = session->service->settings;
	const uint64_t used = quota_share_used(&session->replies);

	return used > 0 && used + settings->inline_bytes > settings->reply_bytes;
}

bool requests_must_wait(const struct session *session)
{
	return session->finished || outbox_pending(&session->outbox) >= HIGH_WATER || replies_are_full(session);
}

/* The outbox keeps the job as long as it sends from it. */
static void answer(struct session *session, struct job *job)
{
	const struct error *error = request_error(job->request);
	uint32_t msgid = job->msgid;
	int r;

	if (error) {
		reply(session, msgid, error, NULL, NULL);
		job_free(job);
		return;
	}
	r = outbox_reply_owned(&session->outbox, msgid, request_result(job->request), job_free, job);
	if (r < 0)
		job_free(job);
	replied(session, msgid, r);
}

void requests_answer(struct session *session)
{
	while (session->finished && outbox_pending(&session->outbox) < HIGH_WATER) {
		struct job *job = session->finished;

		session->finished = job->next;
		if (!session->finished)
			session->finished_last = &session->finished;
		answer(session, job);
	}
}

/* From request_start, on the loop's thread; or from a lane's; or, on a cancel, from anywhere. */
static void on_done(struct request *request, void *arg)
{
	struct job *job = arg;
	struct service *service = job->session->service;

	(void)request;
	if (pthread_equal(pthread_self(), service->loop_thread) && service->starting == job)
		job->done = true;
	else
		loop_post(service->loop, &job->event);
}

/* ------- requests ------- */

struct job *requests_find(struct session *session, uint32_t msgid)
{
	for (struct job *job = session->running; job; job = job->next)
		if (job->msgid == msgid)
			return job;
	return NULL;
}

/* A request that is about to run. */
static struct job *new_job(struct session *session, uint32_t msgid, uint64_t charge)
{
	struct job *job = malloc(sizeof *job);

	if (!job)
		return NULL;
	*job = (struct job){.event.deliver = session->returned, .session = session, .charge = charge, .msgid = msgid};
	job->next = session->running;
	if (job->next)
		job->next->prev = job;
	session->running = job;
	session->service->starting = job;
	return job;
}

/* r: what the engine said to it. */
static int started(struct session *session, struct job *job, int r, struct error *err)
{
	session->service->starting = NULL;
	if (r < 0) {
		session->running = job->next;
		if (job->next)
			job->next->prev = NULL;
		free(job);
		return error_set(err, (enum error_code) - r, "request: %s", error_meaning(r));
	}
	if (job->done)
		requests_finish(job);
	return 0;
}

/* Hands the request to the engine, with the bump allocator. */
static int start(struct session *session, const struct message *message, struct bump *bump, uint64_t charge,
		 struct error *err)
{
	struct job *job = new_job(session, message->msgid, charge);

	if (!job) {
		bump_free(bump);
		return error_set(err, ERROR_NO_MEMORY, "request: its entry");
	}
	return started(session, job,
		       request_start(session->space, message->method, message->method_size, &message->params, bump,
				     on_done, job, &job->request),
		       err);
}

/* ------- prepared calls ------- */

static_assert((int)RUN_PREPARED_SEED == (int)PREPARED_SEED && (int)RUN_PREPARED_STREAM == (int)PREPARED_STREAM &&
		      (int)RUN_PREPARED_OFFSET == (int)PREPARED_OFFSET,
	      "what a run states is said alike");

static struct prepared_changes changes_of(const struct run_prepared *run)
{
	size_t n = RUN_PREPARED_TILES;

	while (n > 0 && run->tiles[n - 1] == 0)
		n--;
	return (struct prepared_changes){run->given, run->seed, run->stream, run->offset, run->tiles, n};
}

static int start_run(struct session *session, const struct run_prepared *run, const struct prepared_changes *changes,
		     struct error *err)
{
	struct bump *bump = bump_new_cached(&session->service->bump_cache);
	struct job *job = bump ? new_job(session, (uint32_t)run->user, 0) : NULL;

	if (!job) {
		bump_free(bump);
		return error_set(err, ERROR_NO_MEMORY, "request: its entry");
	}
	return started(session, job,
		       prepared_start(session->space, run->prepared, changes, bump, on_done, job, &job->request), err);
}

void requests_run(struct session *session, const struct run_prepared *run)
{
	const struct prepared_changes changes = changes_of(run);
	struct error err = {.code = 0};
	struct prepared *prepared;
	const struct value *result;

	session->requests++;
	session->service->stats.requests++;
	session->service->stats.requests_prepared++;
	if (quota_share_take(&session->jobs, 1, &err) < 0) {
		reply(session, (uint32_t)run->user, &err, NULL, NULL);
		return;
	}
	result = prepared_run_now(session->space, run->prepared, &changes, &prepared);
	if (result) {
		reply(session, (uint32_t)run->user, NULL, result, NULL);
		prepared_give(prepared);
	} else if (start_run(session, run, &changes, &err) == 0) {
		return;
	} else {
		reply(session, (uint32_t)run->user, &err, NULL, NULL);
	}
	quota_share_give(&session->jobs, 1);
}

/* Pages of a new tile are made while its client gets ready to use it. */
static void touch_ahead(struct session *session, const struct operation *operation)
{
	const uint64_t most = session->service->settings->arena_ahead_bytes;
	uint64_t reach;

	if (!session->arena || !operation || operation->class != METHOD_SERVICE)
		return;
	reach = space_reach(session->space);
	arena_want(session->arena, reach < most ? reach : most);
}

/* Always answers or starts; gives back bump and the frame's charge, or passes them on. */
static void handle_request(struct session *session, const struct message *message, struct bump *bump,
			   const struct inbox_frame *frame)
{
	const uint64_t charge = frame->charge;
	const struct operation *operation = operation_find(message->method, message->method_size);
	struct error err = {.code = 0};
	struct value result;
	struct fdpass fds = {.count = 0};

	session->requests++;
	session->service->stats.requests++;
	session->service->stats.requests_prepared += operation && strcmp(operation->name, "run_prepared") == 0;
	if (operation && operation->class == METHOD_SESSION) {
		int r = method_call(session, operation, &message->params, message->msgid, bump, &result, &fds, &err);

		if (r == 0)
			reply(session, message->msgid, NULL, &result, &fds);
		if (r >= 0)
			goto done;
	} else if (quota_share_take(&session->jobs, 1, &err) == 0) {
		uint32_t msgid = message->msgid;

		if (start(session, message, bump, charge, &err) == 0) {
			touch_ahead(session, operation);
			return;
		}
		quota_share_give(&session->jobs, 1);
		quota_share_give(&session->bytes, charge);
		reply(session, msgid, &err, NULL, NULL);
		return;
	}
	reply(session, message->msgid, &err, NULL, NULL);
done:
	frame_free(session, bump, charge);
}

static void handle_frame(struct session *session, const struct inbox_frame *frame, struct bump *bump)
{
	struct stats *stats = &session->service->stats;
	struct message message;
	struct error err = {.code = 0};
	int r = codec_decode(frame->at, frame->size, bump, &message, &err);

	if (r == 0 && message.type == MESSAGE_REQUEST) {
		handle_request(session, &message, bump, frame);
		return;
	}
	if ((r == 0 || r == -ERROR_WRONG_TYPE) && message.type == MESSAGE_NOTIFICATION) {
		stats->notifications_ignored++;
	} else if (r == -ERROR_WRONG_TYPE && message.type == MESSAGE_REQUEST) {
		session->requests++;
		stats->requests++;
		reply(session, message.msgid, &err, NULL, NULL);
	} else if (r == 0) {
		requests_end(session, &stats->bad_frames, ERROR_BAD_FRAME,
			     "message: a response, allowed: requests and notifications");
	} else {
		end_input(session, r == -ERROR_BAD_FRAME ? &stats->bad_frames : &stats->over_limit,
			  error_kind(err.code), err.text);
	}
	frame_free(session, bump, frame->charge);
}

/* The next frame, if it is a run of a prepared call that changes only numbers and tiles. */
static bool take_run(struct session *session)
{
	struct run_prepared run;
	size_t size;
	const void *bytes = inbox_peek(&session->inbox, &size);

	if (!bytes)
		return false;
	size = run_prepared_read(bytes, size, &run);
	if (size == 0)
		return false;
	inbox_skip(&session->inbox, size);
	requests_run(session, &run);
	return true;
}

/* The next frame; false when there is no whole one, or never will be. */
static bool take_frame(struct session *session)
{
	if (inbox_is_empty(&session->inbox))
		return false;
	if (take_run(session))
		return true;
	struct bump *bump = bump_new_cached(&session->service->bump_cache);
	struct inbox_frame frame;
	const char *wrong = NULL;
	int r = bump ? inbox_next(&session->inbox, bump, &frame, &wrong) : -ERROR_NO_MEMORY;

	if (r == 1) {
		handle_frame(session, &frame, bump);
		return true;
	}
	bump_free(bump);
	if (r == -ERROR_BAD_FRAME)
		requests_end(session, &session->service->stats.bad_frames, ERROR_BAD_FRAME, wrong);
	else if (r == -ERROR_NO_MEMORY)
		requests_end(session, &session->service->stats.over_limit, ERROR_NO_MEMORY, "message: no memory to read it");
	else if (r < 0)
		requests_end_for_limit(session);
	return false;
}

uint64_t requests_turn_end_ns(const struct session *session)
{
	const uint64_t ns = (uint64_t)TURN_NS * session->weight;

	return stats_now_ns() + (ns < TURN_MOST_NS ? ns : TURN_MOST_NS);
}

bool requests_take(struct session *session, uint64_t end_ns)
{
	bool left = true;

	if (!session->backlog || requests_must_wait(session))
		return false;
	do {
		bool more = take_frame(session);

		session->backlog = session->backlog && more && !inbox_is_empty(&session->inbox);
		requests_answer(session);
		left = stats_now_ns() < end_ns;
	} while (session->backlog && !requests_must_wait(session) && left);
	return left && !session->backlog && !requests_must_wait(session);
}
