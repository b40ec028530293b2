/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on their way to the engine. */
#include "send.h"

#include "session/wait.h"
#include "table.h"

/* What a tied call names went with its connection: such a call brings no session back. */
int call_begin(struct trnsci_call *call, bool answers_to_next, struct error *err)
{
	struct trnsci_session *session = call->session;

	if (session->closed)
		return error_set(err, ERROR_CLOSED, "%s: the session was closed", call->method);
	if (session->failure.code && !call->tied && session->engine->restore)
		session->engine->restore(session);
	if (session->failure.code)
		return session_report_failure(session, err);
	call_unqueue(call);
	call->answers_to_next = answers_to_next;
	call_ref(call); /* once it is answered, another thread may free it */
	call_table_add(call);
	return 0;
}

/* Ends a call that the engine has not taken, and returns the error's negative code. Another thread may have failed the session
 * since: then the call has been answered with all others, as if it had been sent, and the result is 0. */
static int withdraw(struct trnsci_call *call, const struct error *error)
{
	int r = 0;

	pthread_mutex_lock(&call->session->lock);
	if (call->state == CALL_IN_FLIGHT) {
		r = call_set_error(call, error);
		call_table_remove(call);
		session_wake(call->session);
	}
	pthread_mutex_unlock(&call->session->lock);
	return r;
}

/* No lock is held while the engine takes the request: an embedded one may compute and answer it there and then. */
int call_send(struct trnsci_call *call)
{
	struct error error = {0};
	int r = call->session->engine->send(call, &error);

	if (r < 0) {
		if (!error.code)
			error_set(&error, (enum error_code) - r, "%s: the request could not be sent", call->method);
		r = withdraw(call, &error);
	}
	call_unref(call);
	return r;
}

void call_unlist(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;

	call_unqueue(call);
	if (!session->oldest && session->drains_answers && session->engine->flush)
		session->engine->flush(session);
	session->drains_answers = session->drains_answers && session->oldest;
}

void call_send_unawaited(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	struct error ignored;

	pthread_mutex_lock(&session->lock);
	int r = !args_are_good(&call->args) ? -ERROR_NO_MEMORY : call_begin(call, false, &ignored);
	pthread_mutex_unlock(&session->lock);
	if (r == 0)
		r = call_send(call);
	if (r < 0 && call->answered) {
		pthread_mutex_lock(&session->lock);
		call->answered(call);
		pthread_mutex_unlock(&session->lock);
	}
	call_unref(call);
}

void call_cancel(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;

	pthread_mutex_lock(&session->lock);
	bool cancels = call->state == CALL_IN_FLIGHT && !call->flight.cancelling;
	call->flight.cancelling = true;
	call_ref(call);
	pthread_mutex_unlock(&session->lock);
	if (cancels)
		session->engine->cancel(call);
	call_unref(call);
}
