/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that stops may still answer for a moment, one that starts may count the memory of the old session, and the owner of a
 * broadcast has to make it again: attempts are repeated for as long as the session waits for a lost daemon. */
#include "reattach.h"

#include <time.h>

#include "session/wait.h"

enum { PAUSE_MS = 10 };

int reattach_keep(struct reattach *reattach, const struct trnsci_call *call, struct error *err)
{
	if (!call->session->engine->restore)
		return 0;
	if (call_new(call->session, call->method, &reattach->recipe) < 0)
		return error_set(err, ERROR_NO_MEMORY, "%s: no call could be made", call->method);
	args_copy(trnsci_call_args(reattach->recipe), call->params);
	return 0;
}

void reattach_free(struct reattach *reattach)
{
	if (reattach->recipe)
		call_unref(reattach->recipe);
	reattach->recipe = NULL;
}

int reattach_call(const struct reattach *reattach, struct trnsci_call **ret_call, struct error *err)
{
	int r = call_make(reattach->recipe->session, reattach->recipe->method, ret_call, err);

	if (r == 0)
		args_copy(trnsci_call_args(*ret_call), reattach->recipe->params);
	return r;
}

static bool may_pass(const struct reattach *reattach, int r)
{
	return (error_kind(r) == ERROR_KIND_FAILED && r != -ERROR_BAD_REPLY) || (r == -ERROR_NOT_FOUND && reattach->awaits_owner);
}

static bool has_failed(struct trnsci_session *session)
{
	uint64_t connection;

	return session_get_connection(session, &connection, NULL) < 0;
}

/* The time that is left to a broadcast's owner begins when the session is back. */
int reattach_wait(struct reattach *reattach, const char *what, int (*attach)(void *reader, struct error *err), void *reader,
		  int64_t deadline, struct error *err)
{
	struct trnsci_session *session = reattach->recipe->session;
	const struct timespec pause = {0, PAUSE_MS * 1000000};
	struct error reason = {0};
	int r;

	while ((r = attach(reader, &reason)) < 0 && may_pass(reattach, r)) {
		const bool over = r == -ERROR_CLOSED && has_failed(session);

		if (!over && reattach->given_up_ns == 0)
			reattach->given_up_ns = deadline_after(session->reconnect_ms);
		if (over || clock_ns() >= reattach->given_up_ns)
			return error_set(err, ERROR_CLOSED, "%s: it ended with the daemon; again: %.180s", what, reason.text);
		if (clock_ns() >= deadline)
			return error_set(err, ERROR_TIMEOUT, "%s: it ended with the daemon, and was not attached again in time", what);
		nanosleep(&pause, NULL);
	}
	reattach->given_up_ns = 0;
	reattach->times += r == 0;
	if (r < 0 && err)
		*err = reason;
	return r;
}
