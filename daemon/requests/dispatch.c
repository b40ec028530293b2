/* SPDX-License-Identifier: Apache-2.0 */
/* A frame is a run of a prepared call, read without decoding; a call of one of the session's own methods; or a request
 * for the engine. Every request is replied to, whatever it is; what is no message ends the input.
 *
 *     bytes --inbox--> frame --scan: size, depth, elements--> codec_decode --> message --> session's method, or engine
 *        \--run_prepared_read: the fixed form of a run, the common case of small calls--> prepared call */
#include "dispatch.h"

#include <string.h>

#include "engine/operations/operations.h"
#include "methods.h"
#include "publish/broadcasts.h"
#include "publish/client_held.h"
#include "publish/rings.h"
#include "queue.h"
#include "requests.h"
#include "runs.h"
#include "session_engine.h"

enum { DRAWS = 8 }; /* of a batch, which holds the session's lock */

/* Calls one of the session's own methods and sends its reply, unless the method does so later. The descriptors of a
 * reply go to the outbox. */
static void call_method(struct session *session, const struct operation *operation, const struct message *message,
			struct bump *bump)
{
	struct value result = value_map();
	struct fdpass fds = {.count = 0};
	struct error err = {.code = 0};
	struct method_call call = {.session = session, .msgid = message->msgid, .bump = bump,
				   .result = &result,  .fds = &fds,             .err = &err};
	int r = methods_call(&call, operation, &message->params);

	if (r == 0)
		session_reply(session, message->msgid, NULL, &result, &fds);
	else if (r != METHOD_DEFERRED)
		session_reply(session, message->msgid, &err, NULL, NULL);
}

/* Takes bump, which holds the message, and the frame's charge. */
static void handle_request(struct session *session, const struct message *message, struct bump *bump,
			   const struct inbox_frame *frame)
{
	const struct operation *operation = operation_find(message->method, message->method_size);

	session->requests++;
	session->service->stats.requests++;
	session->service->stats.requests_prepared += operation && operation->start == START_PREPARED;
	if (operation && operation->start == START_SESSION) {
		session->service->frame_class = METHOD_SESSION;
		session->service->frame_method = operation->name;
		call_method(session, operation, message, bump);
		requests_free_frame(session, bump, frame->charge);
	} else if (requests_start(session, operation, message, bump, frame->charge) && operation &&
		   operation->start == START_SERVICE) {
		session_engine_prefault_tiles(session);
	}
}

static bool is_kick(const struct message *message)
{
	static const char method[] = "kick";

	return message->method_size == sizeof method - 1 && memcmp(message->method, method, sizeof method - 1) == 0;
}

/* Takes bump. */
static void handle_frame(struct session *session, const struct inbox_frame *frame, struct bump *bump)
{
	struct stats *stats = &session->service->stats;
	struct message message;
	struct error err = {.code = 0};
	int r = codec_decode(frame->at, frame->size, bump, &message, &err);

	runs_end(session);
	if (r == 0 && message.type == MESSAGE_REQUEST) {
		handle_request(session, &message, bump, frame);
		return;
	}
	if ((r == 0 || r == -ERROR_WRONG_TYPE) && message.type == MESSAGE_NOTIFICATION) {
		if (is_kick(&message))
			queue_kick(session);
		else
			stats->notifications_ignored++;
	} else if (r == -ERROR_WRONG_TYPE && message.type == MESSAGE_REQUEST) {
		session->requests++;
		stats->requests++;
		session_reply(session, message.msgid, &err, NULL, NULL);
	} else {
		if (r == 0)
			r = error_set(&err, ERROR_BAD_FRAME, "message: a response, allowed: requests and notifications");
		session_end_input(session, r == -ERROR_BAD_FRAME ? &stats->bad_frames : &stats->over_limit, &err);
	}
	requests_free_frame(session, bump, frame->charge);
}

/* Reads the next frame if it is a run of a prepared call that changes only numbers and tiles. Returns its size, or 0. */
static size_t read_run(struct session *session, struct run_prepared *ret_run)
{
	size_t size;
	const void *bytes = inbox_peek(&session->inbox, &size);

	return bytes ? run_prepared_read(bytes, size, ret_run) : 0;
}

/* Returns whether the session may go on with its next frame at once. */
static bool may_go_on(const struct session *session)
{
	return !session->eof && !session_must_wait(session);
}

/* Handles the next frame if it is such a run; and with a short draw those that follow it, in one batch. */
static bool receive_run(struct session *session)
{
	struct prepared_batch batch = {.session = session->memory};
	struct run_prepared run;
	unsigned draws = 0;
	size_t size = read_run(session, &run);

	if (size == 0)
		return false;
	while (size > 0 && draws < DRAWS && runs_reply_draw(session, &batch, &run)) {
		inbox_skip(&session->inbox, size);
		draws++;
		size = may_go_on(session) ? read_run(session, &run) : 0;
	}
	runs_end_batch(session, &batch, draws);
	if (draws > 0)
		return true;
	inbox_skip(&session->inbox, size);
	runs_start(session, &run, NULL);
	return true;
}

/* r: the negative error of inbox_next, with what was wrong with the frame. */
static void end_bad_input(struct session *session, int r, const char *wrong)
{
	struct stats *stats = &session->service->stats;
	struct error err;

	if (r == -ERROR_BAD_FRAME) {
		error_set(&err, ERROR_BAD_FRAME, "%s", wrong);
		session_end_input(session, &stats->bad_frames, &err);
	} else if (r == -ERROR_NO_MEMORY) {
		error_set(&err, ERROR_NO_MEMORY, "message: no memory to read it");
		session_end_input(session, &stats->over_limit, &err);
	} else {
		session_end_for_limit(session);
	}
}

/* Handles the next frame. Returns false if there is no whole one, or the input has ended. */
static bool receive_frame(struct session *session)
{
	struct inbox_frame frame;
	const char *wrong = NULL;
	struct bump *bump;
	int r;

	if (inbox_is_empty(&session->inbox))
		return false;
	if (receive_run(session))
		return true;
	bump = bump_new_cached(&session->service->bump_cache);
	r = bump ? inbox_next(&session->inbox, bump, &frame, &wrong) : -ERROR_NO_MEMORY;
	if (r == 1) {
		handle_frame(session, &frame, bump);
		return true;
	}
	bump_free(bump);
	if (r < 0)
		end_bad_input(session, r, wrong);
	return false;
}

/* Handles frames until the turn ends, none is whole, or the session must wait. A look at the clock after each frame, or
 * batch of runs, ends its time and begins the next one's. */
static bool receive_frames(struct session *session, uint64_t turn_end_ns)
{
	bool time_left = true;

	/* What was submitted before a message was sent is taken before it. */
	queue_run(session, turn_end_ns);
	if (!session->backlog || session->queue_backlog || session_must_wait(session))
		return false;
	do {
		session->service->frame_class = LATENCY_NONE;
		bool more = receive_frame(session);

		session->backlog = session->backlog && more && !inbox_is_empty(&session->inbox);
		requests_reply(session);
		time_left = requests_end_frame(session) < turn_end_ns;
	} while (session->backlog && !session_must_wait(session) && time_left);
	runs_end(session);
	return time_left && !session->backlog && !session_must_wait(session);
}

static void close_published(struct session *session)
{
	rings_end_session(session, ERROR_CLOSED);
	broadcasts_end_session(session);
	session_engine_keep_arenas(session);
}

static void close_requests(struct session *session)
{
	queue_close(session);
	session_engine_close(session);
	requests_drop(session);
}

const struct session_handler dispatch_handler = {
	.open = session_engine_open,
	.receive = receive_frames,
	.reply = requests_reply,
	.closing = close_published,
	.closed = close_requests,
	.free = client_held_end,
};
