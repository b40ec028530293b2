/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting again.
 *
 * The first wait for a daemon blocks whoever noticed the loss, for reconnect_ms. Afterwards an outage may be long: each attempt is
 * then short, and they are apart, so a loop of calls fails quickly and goes on soon after the daemon is back.
 *
 * A call that only computes may be computed twice, and is sent again to the daemon that answers. A call that moves a
 * named stream, or writes a tile that it reads, is not: nobody knows whether it was done. A request that was not sent
 * to its last byte was not done, so it is sent again whatever it is. No call is sent again twice: it may be what ended
 * the first daemon. */
#include "reconnect.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "call/table.h"
#include "call/tiles.h"
#include "handshake.h"
#include "queue.h"
#include "queue_attach.h"
#include "restore.h"
#include "socket_io.h"

enum {
	PAUSE_MS = 10,      /* between two attempts of a wait */
	APART_MS = 100,     /* from the end of an attempt to the next, once the wait was in vain */
	ATTEMPT_MS = 500,   /* such an attempt may take: a daemon that is being started answers late */
	RESTORE_MS = 10000, /* to restore the tiles once a daemon has answered: there may be many */
	TEXT_ROOM = 240,
};

/* ---- a daemon that answers ---- */

static int greet_and_restore(struct trnsci_session *session, struct handshake *handshake,
			     char instance[HANDSHAKE_INSTANCE], struct error *err)
{
	const struct remote *remote = session->peer;
	int r = handshake_greet(handshake, instance, err);

	if (r < 0)
		return r;
	handshake->deadline += (int64_t)RESTORE_MS * 1000000;
	return restore_tiles(session, handshake, strcmp(instance, remote->instance) != 0, err);
}

/* Some errors pass: a daemon that has dropped us counts our old arena against our quota until it has emptied it. */
static bool may_pass(int error)
{
	return error != -ERROR_BAD_REPLY && error_kind(error) == ERROR_KIND_FAILED;
}

/* On success the handshake and its socket are the caller's. */
static int connect_once(struct trnsci_session *session, int64_t deadline, struct handshake *ret_handshake,
			char instance[HANDSHAKE_INSTANCE], struct error *err)
{
	const int left_ms = deadline_left_ms(deadline);
	int fd = -1;
	int r = handshake_connect(session->address, left_ms > 0 ? left_ms : 1, &fd, err);

	if (r == 0) {
		handshake_init(ret_handshake, fd, deadline);
		r = greet_and_restore(session, ret_handshake, instance, err);
		if (r < 0) {
			handshake_end(ret_handshake);
			close(fd);
		}
	}
	if (r < 0 && err->code != -r)
		error_set(err, (enum error_code) - r, "connection: %s", error_meaning(r));
	return r;
}

/* Tries until a daemon answers and has our tiles, or the time is up. An attempt that the end of the time cut off knows
 * no reason: that of the attempt before it counts. */
static int connect_again(struct trnsci_session *session, struct handshake *ret_handshake,
			 char instance[HANDSHAKE_INSTANCE], struct error *err)
{
	const int64_t deadline = deadline_after(session->reconnect_ms);
	const struct timespec pause = {0, PAUSE_MS * 1000000};
	struct error reason = {0};
	int r;

	do {
		r = connect_once(session, deadline, ret_handshake, instance, err);
		if (r == 0 || !may_pass(r))
			return r;
		if (r != -ERROR_TIMEOUT || !reason.code)
			reason = *err;
		nanosleep(&pause, NULL);
	} while (clock_ns() < deadline);
	*err = reason;
	return -reason.code;
}

/* ---- what was in flight ---- */

/* Returns NULL if the call may be sent again. */
static const char *why_not_again(const struct trnsci_call *call)
{
	if (call->flight.cancelling)
		return "it was to be cancelled";
	if (strcmp(call->method, "cancel") == 0)
		return "what it cancels is over";
	if (call->flight.sent_again)
		return "it has been sent again before, and that daemon ended as well";
	if (call->internal || !socket_io_was_sent(call))
		return NULL;
	if (call_effect(call) != EFFECT_NONE)
		return "it is no pure function of its parameters, and may have been done";
	return call_works_in_place(call) ? "it writes a tile that it reads, and may have begun" : NULL;
}

/* Answers a call that is not sent again; the tiles that it may have written are lost. Returns whether it answered it.
 */
static bool give_up(struct trnsci_call *call)
{
	const char *why = why_not_again(call);
	struct error error;

	if (why)
		error_set(&error, ERROR_CLOSED, "%s: the daemon ended before its answer came; not repeated: %s",
			  call->method, why);
	else if (call->internal || call_check_inputs(call, &error) == 0)
		return false;
	if (socket_io_was_sent(call))
		call_set_outputs_lost(call, true);
	call_finish(call, &error, NULL, NULL, NULL);
	return true;
}

/* Skips calls whose request is not written yet: their senders will write them for the new connection. */
static struct trnsci_call *find_unvisited(struct trnsci_call *call, unsigned round)
{
	while (call && (call->flight.ends == CALL_UNSENT || call->flight.round == round))
		call = call->flight.chain;
	return call;
}

/* Visits each call once. A call that ends may end others: one for an arena those that wait for it. So the search begins anew
 * after each visit. */
static bool for_each_begun(struct trnsci_session *session, bool (*visit)(struct trnsci_call *call))
{
	const unsigned round = ++((struct remote *)session->peer)->rounds;
	struct trnsci_call *call;
	bool any = false;

	for (size_t i = 0; i < CALL_BUCKETS; i++)
		while ((call = find_unvisited(session->calls[i], round))) {
			call->flight.round = round;
			any |= visit(call);
		}
	return any;
}

static bool send_again(struct trnsci_call *call)
{
	struct error error;

	call->flight.sent_again = true;
	call->flight.sent_by_queue = false;
	if (socket_io_append(call, &error) < 0)
		call_finish(call, &error, NULL, NULL, NULL);
	return true;
}

/* A call that is given up may leave a tile half written, and a call that reads the tile is then given up, too. */
static void give_up_dependent_calls(struct trnsci_session *session)
{
	while (for_each_begun(session, give_up))
		;
}

/* Returns the call of which a part was sent; NULL: there is none. */
static struct trnsci_call *find_cut_off(const struct trnsci_session *session)
{
	const uint64_t sent = ((struct remote *)session->peer)->out.sent;

	for (size_t i = 0; i < CALL_BUCKETS; i++)
		for (struct trnsci_call *call = session->calls[i]; call; call = call->flight.chain)
			if (call->flight.ends != CALL_UNSENT && call->flight.begins < sent && sent < call->flight.ends)
				return call;
	return NULL;
}

/* Answers the call whose message the daemon refused, as larger than it takes: sent again, it would end the next connection. */
static void give_up_refused(struct trnsci_session *session)
{
	const struct error *closing = &((struct remote *)session->peer)->closing;
	struct trnsci_call *call = closing->code == ERROR_BAD_FRAME ? find_cut_off(session) : NULL;
	const char *reason = strchr(closing->text, ' '); /* behind the error's name */
	struct error error;

	if (!call)
		return;
	error_set(&error, ERROR_BAD_FRAME, "%s: the daemon refused its message:%s; larger arrays go into tiles", call->method,
		  reason ? reason : "");
	call_finish(call, &error, NULL, NULL, NULL);
}

/* ---- the session ---- */

/* The handshake's connection is the session's from now on. */
static void resume(struct trnsci_session *session, struct handshake *handshake, const char instance[HANDSHAKE_INSTANCE])
{
	struct remote *remote = session->peer;

	give_up_refused(session);
	give_up_dependent_calls(session);
	socket_io_replace(session, handshake);
	queue_end(remote->queue);
	remote->queue = NULL;
	memcpy(remote->instance, instance, HANDSHAKE_INSTANCE);
	for_each_begun(session, send_again);
	socket_io_flush(session);
}

/* Describes why the daemon was lost, and why the last attempt failed. The next one may come in a while. */
static void explain(struct trnsci_session *session, const char *why, const struct error *attempt, char text[TEXT_ROOM])
{
	struct remote *remote = session->peer;

	snprintf(text, TEXT_ROOM, "%.100s; again: %.125s", why, attempt->text);
	remote->next_attempt_ns = clock_ns() + (int64_t)APART_MS * 1000000;
}

void reconnect(struct trnsci_session *session, const char *why)
{
	struct remote *remote = session->peer;
	char instance[HANDSHAKE_INSTANCE], first[sizeof remote->why_lost], text[TEXT_ROOM];
	struct handshake handshake;
	struct error error = {0};

	if (session->closed || session->failure.code)
		return;
	output_settle(&remote->out); /* which requests were sent is known from here on */
	snprintf(first, sizeof first, "%.150s", remote->closing.code ? remote->closing.text : why);
	if (session->reconnect_ms < 0) {
		socket_io_fail(session, ERROR_CLOSED, "connection", first);
	} else if (connect_again(session, &handshake, instance, &error) < 0) {
		explain(session, first, &error, text);
		socket_io_fail(session, ERROR_CLOSED, "connection", text);
		memcpy(remote->why_lost, first, sizeof first); /* for later attempts, each with a reason of its own */
	} else {
		resume(session, &handshake, instance);
	}
}

void reconnect_once(struct trnsci_session *session)
{
	struct remote *remote = session->peer;
	char instance[HANDSHAKE_INSTANCE], text[TEXT_ROOM];
	struct handshake handshake;
	struct error error = {0};

	if (!remote->lost || session->closed || clock_ns() < remote->next_attempt_ns)
		return;
	output_settle(&remote->out);
	if (connect_once(session, deadline_after(ATTEMPT_MS), &handshake, instance, &error) < 0) {
		explain(session, remote->why_lost, &error, text);
		error_set(&session->failure, ERROR_CLOSED, "connection: %s", text);
		return;
	}
	remote->lost = false;
	session->failure = (struct error){0};
	resume(session, &handshake, instance);
}
