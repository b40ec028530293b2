/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting, the first time and again.
 *
 * A pure function of its parameters may be computed twice: it is sent again to the daemon that comes back, but once only,
 * since it may be what ended the first. What moves a named stream on is not: nobody knows whether it was done. */
#include "revive.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "wire.h"

#include "engine/operations.h"

enum { PAUSE_MS = 10, GREETING_BYTES = 4096 };

int remote_connect(const char *path, int timeout_ms, int *ret_socket, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};

	if (!*path || strlen(path) >= sizeof address.sun_path)
		return error_set(err, ERROR_OUT_OF_RANGE, "address: %zu bytes, allowed 1 to %zu", strlen(path),
				 sizeof address.sun_path - 1);
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout); /* a full backlog makes connect wait */
	if (connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
		error_set(err, ERROR_NO_DAEMON, "%s: %s", path, strerror(errno));
		close(fd);
		return -ERROR_NO_DAEMON;
	}
	*ret_socket = fd;
	return 0;
}

/* ---- what may be done again ---- */

static enum method_effect effect_of(const struct trnsci_call *call)
{
	const struct operation *operation = operation_find(call->method, strlen(call->method));

	return operation ? operation_effect(operation) : EFFECT_LASTING;
}

bool call_binds(const struct trnsci_call *call)
{
	return effect_of(call) == EFFECT_SESSION;
}

/* What cannot be repeated is not sent into a connection that is known to be over. */
void call_look_first(struct trnsci_call *call)
{
	if (effect_of(call) != EFFECT_LASTING)
		return;
	call->unsent = true;
	wire_receive(call->session);
	call->unsent = false;
}

/* ---- a daemon that answers ---- */

/* Whether the first message is an answer that names our protocol; 0: it has not all come. */
static int read_greeting(const char *bytes, size_t size)
{
	struct zone *zone = zone_new();
	struct frame_scan scan;
	struct message message;
	uint64_t protocol = 0;
	size_t length;
	int r;

	frame_scan_init(&scan, NULL);
	r = zone ? frame_scan_more(&scan, bytes, size, &length) : -ERROR_NO_MEMORY;
	if (r == 1) {
		const struct value *number = NULL;

		r = codec_decode(bytes, length, zone, &message, NULL);
		if (r == 0 && message.type == MESSAGE_RESPONSE && !message.error.code)
			number = value_get(&message.result, "protocol");
		r = number && value_to_u64(number, &protocol) && protocol == REMOTE_PROTOCOL && length == size ? 1 : -ERROR_BAD_REPLY;
	}
	zone_free(zone);
	return r;
}

/* Alone on its connection yet: version, and its answer. */
static int greet_again(int fd, int64_t deadline)
{
	static const char request[] = "\x94\x00\x00\xa7version\x90";
	char bytes[GREETING_BYTES];
	size_t size = 0;
	int r = 0;

	if (fdpass_send(fd, request, sizeof request - 1, NULL) != (ssize_t)sizeof request - 1)
		return -ERROR_CLOSED;
	while (r == 0 && size < sizeof bytes) {
		struct pollfd news = {fd, POLLIN, 0};
		ssize_t got = poll(&news, 1, deadline_left_ms(deadline)) == 1
				      ? recv(fd, bytes + size, sizeof bytes - size, MSG_DONTWAIT)
				      : -1;

		if (got <= 0)
			return -ERROR_CLOSED;
		size += (size_t)got;
		r = read_greeting(bytes, size);
	}
	return r == 1 ? 0 : -ERROR_BAD_REPLY;
}

/* Until one answers, or the time is over. */
static int connect_again(const struct trnsci_session *session, int *ret_socket)
{
	const int64_t deadline = clock_ns() + (int64_t)session->reconnect_ms * 1000000;
	const struct timespec pause = {0, PAUSE_MS * 1000000};

	do {
		int fd = -1;

		if (remote_connect(session->address, session->reconnect_ms, &fd, NULL) == 0) {
			int r = greet_again(fd, deadline);

			if (r == 0) {
				*ret_socket = fd;
				return 0;
			}
			close(fd);
			if (r == -ERROR_BAD_REPLY)
				return r;
		}
		nanosleep(&pause, NULL);
	} while (clock_ns() < deadline);
	return -ERROR_NO_DAEMON;
}

/* ---- what was in flight ---- */

static void give_up(struct trnsci_call *call, const char *why)
{
	struct trnsci_session *session = call->session;
	struct error error;

	error_set(&error, ERROR_CLOSED, "%s: the daemon went before its answer came; not repeated: %s", call->method, why);
	if (call_finish(call, &error, NULL, NULL, NULL)) {
		call_discard(call);
		session_unref_locked(session);
	}
}

static void send_again(struct trnsci_call *call)
{
	struct remote *remote = call->session->peer;
	struct zone *zone = NULL;
	struct value params;
	struct error error;

	if (call_prepare(call, &zone, &params, &error) < 0 ||
	    codec_request(&remote->out, call->msgid, call->method, &params) < 0)
		give_up(call, "no memory for it");
	else
		call->repeated = true;
	zone_free(zone);
}

static void repeat(struct trnsci_call *call)
{
	if (call->unsent)
		return; /* its sender is about to */
	if (call->cancelling)
		give_up(call, "it was to be cancelled");
	else if (strcmp(call->method, "cancel") == 0)
		give_up(call, "what it cancels is over");
	else if (effect_of(call) != EFFECT_NONE)
		give_up(call, "it is no pure function of its parameters, and may have been done");
	else if (call->repeated)
		give_up(call, "it has been, and that daemon went as well");
	else
		send_again(call);
}

static void repeat_all(struct trnsci_session *session)
{
	for (size_t i = 0; i < CALL_BUCKETS; i++)
		for (struct trnsci_call *call = session->calls[i], *next; call; call = next) {
			next = call->chain;
			repeat(call);
		}
	wire_flush(session);
	pthread_cond_broadcast(&session->changed);
}

void revive(struct trnsci_session *session, const char *why)
{
	struct remote *remote = session->peer;
	int fd = -1;

	if (session->closed || session->failure.code)
		return;
	if (remote->bound)
		wire_fail(session, ERROR_CLOSED, "connection, and with it tiles, rings and programs", why);
	else if (!remote->greeted || session->reconnect_ms < 0 || connect_again(session, &fd) < 0)
		wire_fail(session, ERROR_CLOSED, "connection", why);
	if (session->failure.code)
		return;
	wire_replace(remote, fd);
	repeat_all(session);
}
