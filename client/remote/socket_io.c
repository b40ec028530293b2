/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a remote session in both directions. Nothing that the daemon sends is trusted before it is checked. */
#include "socket_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "call/request.h"
#include "call/table.h"
#include "call/tiles.h"

#include "fdpass.h"
#include "reply_read.h"

enum {
	RECEIVE_BYTES = 64 << 10,
	KEEP_BYTES = 1 << 20, /* larger buffers are freed between messages */
	REST_LEAST_MS = 1000, /* a busy host may stop a daemon in the middle of a message for so long */
};

/* What was read beyond the handshake's replies belongs to the session. */
static void adopt_input(struct remote *remote, struct handshake *handshake)
{
	input_take(&remote->in, &handshake->in);
	remote->heard_ns = clock_ns();
	handshake_end(handshake);
	frame_scan_init(&remote->scan, &handshake_reply_limits);
}

void socket_io_init(struct remote *remote, struct handshake *handshake, const struct remote_events *events)
{
	*remote = (struct remote){.socket = handshake->socket, .events = events, .wake = -1, .epoll = -1};
	adopt_input(remote, handshake);
}

void socket_io_close(struct remote *remote)
{
	const int fds[] = {remote->socket, remote->wake, remote->epoll};

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	remote->socket = remote->wake = remote->epoll = -1;
	fdpass_close(&remote->fds);
}

void socket_io_free(struct remote *remote)
{
	socket_io_close(remote);
	output_free(&remote->out);
	input_free(&remote->in);
	free(remote);
}

void socket_io_replace(struct trnsci_session *session, struct handshake *handshake)
{
	struct remote *remote = session->peer;
	struct epoll_event event = {.events = EPOLLIN};

	input_settle(&remote->in);
	if (remote->epoll >= 0) /* a child may hold the old socket open, and epoll would then keep watching it */
		epoll_ctl(remote->epoll, EPOLL_CTL_DEL, remote->socket, NULL);
	/* Onto an open descriptor: this cannot fail for lack of one. */
	dup3(handshake->socket, remote->socket, O_CLOEXEC);
	close(handshake->socket);
	if (remote->polling) /* that thread polls the old socket; woken, it looks at the new one */
		eventfd_write(remote->wake, 1);
	fdpass_close(&remote->fds);
	remote->closing.code = 0;
	remote->fds.cut = false;
	remote->fds_wanted = false;
	adopt_input(remote, handshake);
	output_restart(&remote->out);
	session->connection++;
	if (remote->epoll >= 0)
		epoll_ctl(remote->epoll, EPOLL_CTL_ADD, remote->socket, &event);
	remote->epoll_out = false;
}

bool socket_io_was_sent(const struct trnsci_call *call)
{
	const struct remote *remote = call->session->peer;

	return !call->flight.needs_room && call->flight.ends <= remote->out.sent;
}

/* Without an answer nobody knows what these calls wrote. */
static void lose_outputs(struct trnsci_session *session)
{
	for (size_t i = 0; i < CALL_BUCKETS; i++)
		for (const struct trnsci_call *call = session->calls[i]; call; call = call->flight.chain)
			if (socket_io_was_sent(call))
				call_set_outputs_lost(call, true);
}

/* A daemon that lives is to free what the session had there, which counts against the user's limits. It then empties its memory. */
void socket_io_fail(struct trnsci_session *session, enum error_code code, const char *what, const char *why)
{
	struct remote *remote = session->peer;
	struct error error;

	if (session->failure.code)
		return;
	error_set(&error, code, "%s: %s", what, why);
	remote->lost = code != ERROR_BAD_REPLY && session->reconnect_ms >= 0;
	snprintf(remote->why_lost, sizeof remote->why_lost, "%s", why);
	lose_outputs(session);
	session_fail(session, &error);
	shutdown(remote->socket, SHUT_RDWR);
}

/* ---- receiving, with the lock ---- */

/* Returns the received descriptors if the call asked for some. */
static struct fdpass take_fds(struct remote *remote, const struct trnsci_call *call)
{
	struct fdpass fds = remote->fds;

	if (!call->wants_fds)
		return (struct fdpass){.count = 0};
	remote->fds = (struct fdpass){.count = 0};
	remote->fds_wanted = false;
	return fds;
}

/* Answers the call whose number the message has. A number that is not in flight ends the connection: one side has lost
 * count. */
static void answer_call(struct trnsci_session *session, const struct message *message, struct bump *bump)
{
	struct trnsci_call *call = call_table_find(session, message->msgid);
	struct error error = message->error;

	if (!call) {
		bump_free(bump);
		socket_io_fail(session, ERROR_BAD_REPLY, "connection", "an answer to a request that was not sent");
		return;
	}
	if (error.code && !call->wants_fds && ((struct remote *)session->peer)->events->failed(call, &error)) {
		bump_free(bump);
		return;
	}
	if (error.code == 0 && message->result.kind != VALUE_MAP)
		error_set(&error, ERROR_BAD_REPLY, "%s: the reply is not a map", call->method);
	struct value *result = error.code ? NULL : bump_alloc(bump, sizeof *result);

	if (result)
		*result = message->result;
	else if (error.code == 0)
		error_set(&error, ERROR_NO_MEMORY, "%s: the reply", call->method);
	call->answer.fds = take_fds(session->peer, call);
	call_finish(call, error.code ? &error : NULL, bump, NULL, result);
}

/* Returns the frame in memory that lives as long as its reply: a copy, or the whole input buffer if the frame is large.
 */
static char *keep_frame(struct input *in, struct bump *bump, size_t at, size_t size)
{
	char *frame = in->at;

	if (at > 0 || size < in->size || size < RECEIVE_BYTES)
		return bump_copy(bump, in->at + at, size);
	if (bump_defer(bump, free, frame) < 0)
		return NULL;
	in->at = NULL;
	in->room = 0;
	return frame;
}

/* Handles one frame: a reply, or the notification in which the daemon gives its reason to close. */
static void handle_frame(struct trnsci_session *session, size_t at, size_t size)
{
	struct bump *bump = bump_new_cached(&session->bump_cache);
	char *frame = bump ? keep_frame(&((struct remote *)session->peer)->in, bump, at, size) : NULL;
	struct message message;
	struct error error;

	if (!frame) {
		bump_free(bump);
		socket_io_fail(session, ERROR_NO_MEMORY, "connection", "a reply could not be stored");
		return;
	}
	if (codec_decode(frame, size, bump, &message, &error) < 0) {
		bump_free(bump);
		socket_io_fail(session, ERROR_BAD_REPLY, "connection", error.text);
	} else if (message.type == MESSAGE_RESPONSE) {
		answer_call(session, &message, bump);
	} else {
		if (!handshake_read_closing(&message, &((struct remote *)session->peer)->closing))
			((struct remote *)session->peer)->events->notified(session, &message);
		bump_free(bump);
		if (message.type == MESSAGE_REQUEST)
			socket_io_fail(session, ERROR_BAD_REPLY, "connection", "a daemon sends no requests");
	}
}

/* Handles a short reply straight from its bytes. Returns its size; 0 if the frame is to be handled as any other. */
static size_t handle_short_reply(struct trnsci_session *session, size_t at)
{
	struct remote *remote = session->peer;
	struct bump *bump;
	struct message message;
	size_t size;

	if (remote->scan.at > 0)
		return 0;
	bump = bump_new_cached(&session->bump_cache);
	size = bump ? reply_read(remote->in.at + at, remote->in.size - at, bump, &message) : 0;
	if (size > 0)
		answer_call(session, &message, bump);
	else
		bump_free(bump);
	return size;
}

/* Handles every whole frame in the input and keeps the rest for later. */
static void handle_frames(struct trnsci_session *session)
{
	struct remote *remote = session->peer;
	size_t at = 0, size;
	int r = 0;

	while (at < remote->in.size && !session->failure.code) {
		size = handle_short_reply(session, at);
		at += size;
		if (size > 0)
			continue;
		r = frame_scan_more(&remote->scan, remote->in.at + at, remote->in.size - at, &size);
		if (r <= 0)
			break;
		frame_scan_init(&remote->scan, &handshake_reply_limits);
		handle_frame(session, at, size);
		at += size;
	}
	if (r < 0)
		socket_io_fail(session, ERROR_BAD_REPLY, "connection", remote->scan.wrong);
	input_drop(&remote->in, at);
	if (remote->in.size == 0 && remote->in.room > KEEP_BYTES)
		input_free(&remote->in);
}

bool socket_io_receive(struct trnsci_session *session)
{
	struct remote *remote = session->peer;
	bool any = false;

	input_settle(&remote->in);
	while (!session->failure.code) {
		if (!input_make_room(&remote->in, RECEIVE_BYTES)) {
			socket_io_fail(session, ERROR_NO_MEMORY, "connection", "a reply could not be stored");
			break;
		}
		const size_t room = remote->in.room - remote->in.size;
		const ssize_t got = input_receive(&remote->in, remote->socket, remote->fds_wanted ? &remote->fds : NULL);

		if (got == -EAGAIN)
			break;
		if (got == -EPROTO) {
			socket_io_fail(session, ERROR_BAD_REPLY, "connection",
				       "a file descriptor that was not asked for");
			break;
		}
		if (got <= 0) {
			remote->events->lost(session, got ? strerror((int)-got) : "the daemon closed it");
			break;
		}
		any = true;
		handle_frames(session);
		if (remote->in.size > 0)
			remote->heard_ns = clock_ns();
		if ((size_t)got < room && !remote->fds_wanted)
			break;
	}
	return any;
}

bool socket_io_read_ahead(struct trnsci_session *session)
{
	struct remote *remote = session->peer;

	return !remote->fds_wanted && input_begin_ahead(&remote->in, RECEIVE_BYTES);
}

/* A short time limit of calls does not apply to the rest of a message: the daemon has begun to send it. */
static int rest_timeout_ms(const struct trnsci_session *session)
{
	return session->timeout_ms < REST_LEAST_MS ? REST_LEAST_MS : session->timeout_ms;
}

int64_t socket_io_rest_deadline(const struct trnsci_session *session)
{
	const struct remote *remote = session->peer;

	if (session->timeout_ms < 0 || remote->in.size == 0)
		return DEADLINE_NEVER;
	return remote->heard_ns + (int64_t)rest_timeout_ms(session) * 1000000;
}

void socket_io_fail_without_rest(struct trnsci_session *session)
{
	char why[80];

	snprintf(why, sizeof why, "the rest of a message has not come within %d ms", rest_timeout_ms(session));
	socket_io_fail(session, ERROR_TIMEOUT, "connection", why);
}

/* ---- sending, with the lock ---- */

/* EPOLLOUT is level-triggered: it must be off while there is nothing to send. */
void socket_io_watch(struct remote *remote)
{
	bool wanted = output_is_stuck(&remote->out);
	struct epoll_event event = {.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN};

	if (remote->epoll < 0 || wanted == remote->epoll_out)
		return;
	epoll_ctl(remote->epoll, EPOLL_CTL_MOD, remote->socket, &event);
	remote->epoll_out = wanted;
}

/* Writes the request behind those that wait to be sent. */
static int write_request(struct remote *remote, struct trnsci_call *call, struct error *err)
{
	struct bump *bump = NULL;
	const char *method = NULL;
	struct value params;
	int r = call_build_request(call, &bump, &method, &params, err);

	if (r == 0 && codec_request(&remote->out.waiting, call->flight.msgid, method, &params) < 0)
		r = error_set(err, ERROR_NO_MEMORY, "%s: no memory for the request", call->method);
	bump_free(bump);
	return r;
}

int socket_io_append(struct trnsci_call *call, struct error *err)
{
	struct remote *remote = call->session->peer;
	int r = call->internal ? 0 : call_check_inputs(call, err);

	if (call->wants_fds)
		input_settle(&remote->in); /* whoever reads ahead takes no descriptors */
	if (r == 0 && call->tied && call->tied_to != call->session->connection)
		r = error_set(err, ERROR_CLOSED, "%s: what it names ended with the daemon", call->method);
	const uint64_t begins = remote->out.sent + output_pending(&remote->out);

	if (r == 0)
		r = write_request(remote, call, err);
	if (r < 0)
		return r;
	call->flight.needs_room = false;
	call->flight.begins = begins;
	call->flight.ends = remote->out.sent + output_pending(&remote->out);
	remote->fds_wanted |= call->wants_fds;
	return 0;
}

/* A daemon that stops takes no more requests (-EPIPE), but answers those that it has: the connection lasts until the
 * daemon closes it. After any other failure no answer can come. */
static void end_sending(struct trnsci_session *session)
{
	struct remote *remote = session->peer;

	if (remote->out.error != -EPIPE)
		shutdown(remote->socket, SHUT_RDWR);
	socket_io_receive(session);
}

static void send_output(struct trnsci_session *session, pthread_mutex_t *lock)
{
	struct remote *remote = session->peer;
	const bool had_ended = remote->out.error != 0;

	if (remote->out.sending || session->failure.code)
		return;
	output_send(&remote->out, remote->socket, lock);
	if (remote->out.error)
		output_drop(&remote->out);
	socket_io_watch(remote);
	if (remote->out.error && !had_ended && !session->failure.code)
		end_sending(session);
}

void socket_io_flush(struct trnsci_session *session)
{
	send_output(session, NULL);
}

void socket_io_send(struct trnsci_session *session)
{
	send_output(session, &session->lock);
}
