/* SPDX-License-Identifier: Apache-2.0 */
/* Sending calls and waiting for them: one, or whichever is answered next. */
#include <sys/eventfd.h>

#include <trnsci/trnsci.h>

#include "call.h"
#include "session.h"

/* Called by one trnsci_dispatch: callbacks that submit again must not keep it for ever. */
enum { DISPATCH_MOST = 1024 };

/* A condition of session_wait: evaluated with the lock. */
static bool call_ready(void *arg)
{
	return ((struct trnsci_call *)arg)->state != CALL_FLYING;
}

/* Of a call that is not in flight; one that never was is the caller's mistake. With the lock. */
static int result_of(struct trnsci_call *call)
{
	call_unqueue(call);
	return call->state == CALL_IDLE && !call->error.code ? -ERROR_OUT_OF_RANGE : -call->error.code;
}

static int wait_until(struct trnsci_call *call, int64_t deadline)
{
	struct trnsci_session *session = call->session;
	int r = session_check(session, NULL);

	if (r < 0)
		return r;
	pthread_mutex_lock(&session->lock);
	r = session_wait(session, call_ready, call, deadline);
	if (r == 0)
		r = result_of(call);
	pthread_mutex_unlock(&session->lock);
	return r;
}

/* The call stays in flight until the engine answers it; only its text is written now. */
static int give_up(struct trnsci_call *call)
{
	struct error error;

	trnsci_cancel(call);
	error_set(&error, ERROR_TIMEOUT, "%s: no answer within %d ms", call->method, call->session->timeout_ms);
	pthread_mutex_lock(&call->session->lock);
	if (call->state == CALL_FLYING)
		error_give(&call->error, &error);
	pthread_mutex_unlock(&call->session->lock);
	return -ERROR_TIMEOUT;
}

int trnsci_submit(struct trnsci_call *call, const struct trnsci_changes *changes, trnsci_callback *done, void *arg)
{
	if (!call)
		return -ERROR_NO_MEMORY;
	if (session_check(call->session, NULL) == 0 && call_is_flying(call))
		return -ERROR_OUT_OF_RANGE;
	call->done = done;
	call->done_arg = arg;
	return call_start(call, changes, true);
}

int call_run_until(struct trnsci_call *call, const struct trnsci_changes *changes, int64_t deadline)
{
	int r = call_start(call, changes, false);

	if (r < 0 || call->held) /* or run in this thread */
		return r;
	r = wait_until(call, deadline);
	return r == -ERROR_TIMEOUT && call_is_flying(call) ? give_up(call) : r;
}

int trnsci_run(struct trnsci_call *call, const struct trnsci_changes *changes)
{
	return call ? call_run_until(call, changes, deadline_after(call->session->timeout_ms)) : -ERROR_NO_MEMORY;
}

bool trnsci_done(const struct trnsci_call *call)
{
	return call && session_check(call->session, NULL) == 0 && !call_is_flying(call);
}

int trnsci_wait(struct trnsci_call *call, int timeout_ms)
{
	return call ? wait_until(call, deadline_after(timeout_ms)) : -ERROR_NO_MEMORY;
}

/* The descriptor stands for two things, bytes to read and answers that another thread has read already: the engine
 * combines them. */
int trnsci_fd(struct trnsci_session *session)
{
	int r = session_check(session, NULL);

	if (r < 0)
		return r;
	pthread_mutex_lock(&session->lock);
	if (session->ready_fd < 0)
		session->ready_fd = eventfd(session->oldest ? 1 : 0, EFD_NONBLOCK | EFD_CLOEXEC);
	r = session->ready_fd < 0 ? -ERROR_SYSTEM : session->engine->poll_fd(session);
	pthread_mutex_unlock(&session->lock);
	return r;
}

/* The oldest answered call with a callback, or the oldest without. */
static struct trnsci_call *oldest(const struct trnsci_session *session, bool callback)
{
	struct trnsci_call *call = session->oldest;

	while (call && (call->done != NULL) != callback)
		call = call->newer;
	return call;
}

/* A connection that is gone ends the wait, too: nothing more will come. */
static bool is_over(const struct trnsci_session *session)
{
	return session->failure.code || session->closed;
}

static bool next_ready(void *arg)
{
	return oldest(arg, false) || is_over(arg);
}

static bool callback_ready(void *arg)
{
	return oldest(arg, true) || is_over(arg);
}

/* Takes the next out of the queue. */
static int take(struct trnsci_session *session, bool callback, int64_t deadline, struct trnsci_call **ret_call)
{
	struct trnsci_call *call;
	int r;

	pthread_mutex_lock(&session->lock);
	r = session_wait(session, callback ? callback_ready : next_ready, session, deadline);
	call = oldest(session, callback);
	if (r == 0 && !call)
		r = -ERROR_CLOSED;
	if (r == 0) {
		*ret_call = call;
		call_unqueue(call);
	}
	pthread_mutex_unlock(&session->lock);
	return r;
}

int trnsci_next(struct trnsci_session *session, int timeout_ms, struct trnsci_call **ret_call, void **ret_arg)
{
	int r = session_check(session, NULL);

	if (r == 0)
		r = take(session, false, deadline_after(timeout_ms), ret_call);
	if (r == 0 && ret_arg)
		*ret_arg = (*ret_call)->done_arg;
	return r;
}

int trnsci_dispatch(struct trnsci_session *session, int timeout_ms)
{
	struct trnsci_call *call;
	int called = 0, r = session_check(session, NULL);

	if (r == 0)
		r = take(session, true, deadline_after(timeout_ms), &call);
	for (; r == 0; called++) {
		call->done(call, call->done_arg);
		r = called < DISPATCH_MOST ? take(session, true, 0, &call) : -ERROR_TIMEOUT;
	}
	return called ? called : r;
}
