/* SPDX-License-Identifier: Apache-2.0 */
/* What a session sends, and when it must wait. */
#include "session.h"

#include "log.h"

enum {
	HIGH_WATER_BYTES = 256 << 10, /* of replies to be sent, above which nothing is read: PROTOCOL.md states it */
	TURN_NS = 100000,             /* for each 1 of the session's weight */
	TURN_MAX_NS = 1000000,        /* whatever the weight: the others wait no longer for one session */
};

void session_continue(struct session *session)
{
	if (session->fd >= 0)
		session->advance(session);
	else
		session->free_if_done(session);
}

uint64_t session_turn_end_ns(const struct session *session)
{
	const uint64_t ns = (uint64_t)TURN_NS * session->weight;

	session->service->clock_ns = stats_now_ns();
	return session->service->clock_ns + (ns < TURN_MAX_NS ? ns : TURN_MAX_NS);
}

/* Returns true if the results of one more request might not fit. One request alone may always run: with a limit below
 * inline_bytes it would wait for ever. */
static bool replies_are_full(const struct session *session)
{
	const uint64_t used = quota_share_used(&session->replies);

	return used > 0 && used + session->inline_bytes > session->reply_bytes;
}

bool session_must_wait(const struct session *session)
{
	return session->finished || session->n_detached || outbox_pending(&session->outbox) >= HIGH_WATER_BYTES ||
	       replies_are_full(session);
}

/* Replies with an error if the reply did not fit; r: what the outbox returned for it. A client that leaves no room even for the
 * error is not answered any more: its input ends. */
static void check_reply(struct session *session, uint32_t msgid, int r)
{
	struct error too_large;

	if (r == 0)
		return;
	error_set(&too_large, (enum error_code) - r,
		  "reply: more bytes than may be held, allowed: the setting buffer_bytes");
	if (outbox_reply(&session->outbox, msgid, &too_large, NULL, NULL) < 0)
		session_end_for_limit(session);
}

void session_reply(struct session *session, uint32_t msgid, const struct error *error, const struct value *result,
		   struct fdpass *fds)
{
	if (error && error->code)
		session->service->stats.errors++;
	check_reply(session, msgid, outbox_reply(&session->outbox, msgid, error, result, fds));
}

void session_note_slow(struct session *session, struct slow_request *request)
{
	request->session = session->id;
	request->pid = session->pid;
	request->uid = quota_user_uid(session->user);
	session->service->stats.slow_requests++;
	slow_log_add(&session->service->slow_log, request);
}

void session_reply_owned(struct session *session, uint32_t msgid, const struct value *result, void (*release)(void *owner),
			 void *owner)
{
	int r = outbox_reply_owned(&session->outbox, msgid, result, release, owner);

	if (r < 0)
		release(owner);
	check_reply(session, msgid, r);
}

void session_end_input(struct session *session, uint64_t *counter, const struct error *reason)
{
	struct bump *bump = bump_new();
	struct value params = value_map();

	++*counter;
	log_client(LEVEL_DEBUG, session->id, quota_user_uid(session->user), "no more is read: %s", reason->text);
	session->eof = true;
	session->backlog = false;
	if (bump && value_put(bump, &params, "kind", value_uint((uint64_t)error_kind(reason->code))) == 0 &&
	    value_put(bump, &params, "text", value_string(reason->text)) == 0)
		outbox_notify(&session->outbox, "error", &params);
	bump_free(bump);
}

void session_end_for_limit(struct session *session)
{
	struct error err;

	error_set(&err, ERROR_LIMIT,
		  "messages: more bytes than may be held, allowed: the settings buffer_bytes, and half of "
		  "buffer_total_bytes for a user");
	session_end_input(session, &session->service->stats.over_limit, &err);
}
