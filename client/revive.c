/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting, the first time and again.
 *
 * A pure function of its parameters may be computed twice: it is sent again to the daemon that comes back, but once only,
 * since it may be what ended the first. What moves a named stream on is not: nobody knows whether it was done. */
#include "revive.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "history.h"
#include "line.h"
#include "reopen.h"
#include "wire.h"

/* Of making tiles again, at least: some may be much work. */
enum { PAUSE_MS = 10, REOPEN_MS = 10000 };

/* ---- what may be done again ---- */

bool call_binds(const struct trnsci_call *call)
{
	return call_effect(call) == EFFECT_SESSION && !call->own;
}

/* What cannot be repeated is not sent into a connection that is known to be over. */
void call_look_first(struct trnsci_call *call)
{
	if (call_effect(call) == EFFECT_LASTING)
		wire_receive(call->session);
}

/* ---- a daemon that answers ---- */

static int talk(struct trnsci_session *session, struct line *line, struct error *err)
{
	int r = line_greet(line, err);

	if (r < 0)
		return r;
	line->deadline += (int64_t)REOPEN_MS * 1000000;
	return reopen(session, line, err);
}

/* What may be otherwise soon: a daemon that has dropped us gives back the arena that we had only when it has emptied it. */
static bool is_worth_another(int error)
{
	return error != -ERROR_BAD_REPLY && error_kind(error) == ERROR_KIND_FAILED;
}

/* Until one answers and has our tiles, or the time is over. */
static int connect_again(struct trnsci_session *session, int *ret_socket, struct error *err)
{
	const int64_t deadline = clock_ns() + (int64_t)session->reconnect_ms * 1000000;
	const struct timespec pause = {0, PAUSE_MS * 1000000};
	int r;

	do {
		struct line line;
		int fd = -1;

		r = line_connect(session->address, session->reconnect_ms, &fd, err);
		if (r == 0) {
			line_init(&line, fd, deadline);
			r = talk(session, &line, err);
			line_end(&line);
			if (r == 0) {
				*ret_socket = fd;
				return 0;
			}
			close(fd);
		}
		if (err->code != -r)
			error_set(err, (enum error_code) - r, "connection: %s", error_meaning(r));
		if (!is_worth_another(r))
			return r;
		nanosleep(&pause, NULL);
	} while (clock_ns() < deadline);
	return r;
}

/* ---- what was in flight ---- */

static void end(struct trnsci_call *call, const struct error *error)
{
	struct trnsci_session *session = call->session;

	if (call_finish(call, error, NULL, NULL, NULL)) {
		call_discard(call);
		session_unref_locked(session);
	}
}

static void give_up(struct trnsci_call *call, const char *why)
{
	struct error error;

	error_set(&error, ERROR_CLOSED, "%s: the daemon went before its answer came; not repeated: %s", call->method, why);
	end(call, &error);
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
	remote->fds_wanted |= call->wants_fds;
	zone_free(zone);
}

static void repeat(struct trnsci_call *call)
{
	struct error error;

	if (call->unsent)
		return; /* its sender is about to */
	if (call->cancelling)
		give_up(call, "it was to be cancelled");
	else if (strcmp(call->method, "cancel") == 0)
		give_up(call, "what it cancels is over");
	else if (call_effect(call) != EFFECT_NONE && !call->own)
		give_up(call, "it is no pure function of its parameters, and may have been done");
	else if (call->repeated)
		give_up(call, "it has been, and that daemon went as well");
	else if (!call->own && history_check(call, &error) < 0)
		end(call, &error);
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
	struct error error = {0}, failure;
	int fd = -1;

	if (session->closed || session->failure.code)
		return;
	if (!remote->greeted && remote->closing.code) {
		session_fail(session, &remote->closing);
		return;
	}
	why = remote->closing.code ? remote->closing.text : why;
	if (remote->bound) {
		wire_fail(session, ERROR_CLOSED, "connection, and with it rings, broadcasts or kept programs", why);
	} else if (!remote->greeted || session->reconnect_ms < 0) {
		wire_fail(session, ERROR_CLOSED, "connection", why);
	} else if (connect_again(session, &fd, &error) < 0) {
		error_set(&failure, ERROR_CLOSED, "connection: %s; again: %s", why, error.text);
		session_fail(session, &failure);
	} else {
		wire_replace(session, fd);
		repeat_all(session);
	}
}
