/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as a program makes and submits them: answers come to trnsci_next, or by callbacks in trnsci_dispatch. */
#include <string.h>
#include <sys/eventfd.h>

#include <trnsci/trnsci.h>

#include "call/table.h"
#include "call/run.h"
#include "call/send.h"
#include "queue_call.h"
#include "session/wait.h"

/* Callbacks that submit again must not keep one trnsci_dispatch running for ever. */
enum { DISPATCH_MOST = 1024 };

/* The library's own methods are refused: their replies bring descriptors, or name what the library keeps account of. */
int trnsci_call_new(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call)
{
	static const char *const own[] = {
		"arena",   "tile",         "free",   "cancel", "ring_attach", "ring_detach", "broadcast_attach",
		"prepare", "run_prepared", "release", "queue"};
	int r = session_check(session, NULL);

	if (r < 0)
		return r;
	if (!method)
		return -ERROR_MISSING_PARAMETER;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strcmp(method, own[i]) == 0)
			return -ERROR_NOT_SUPPORTED;
	return call_new(session, method, ret_call);
}

int trnsci_run(struct trnsci_call *call, const struct trnsci_changes *changes)
{
	if (!call)
		return -ERROR_NO_MEMORY;
	queue_call_count(call);
	return call_run_and_keep(call, changes);
}

int trnsci_submit(struct trnsci_call *call, const struct trnsci_changes *changes, trnsci_callback *done, void *arg)
{
	if (!call)
		return -ERROR_NO_MEMORY;
	if (call_is_in_flight(call) && session_check(call->session, NULL) == 0)
		return -ERROR_OUT_OF_RANGE;
	queue_call_count(call);
	call->done = done;
	call->done_arg = arg;
	return call_start(call, changes, true);
}

bool trnsci_call_done(const struct trnsci_call *call)
{
	return call && session_check(call->session, NULL) == 0 && !call_is_in_flight(call);
}

/* The descriptor stands for bytes to read and for answers that another thread has read already: the engine combines the
 * two. */
int trnsci_session_fd(struct trnsci_session *session)
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

/* Returns the oldest answered call with a callback, or the oldest one without; NULL if there is none. */
static struct trnsci_call *find_oldest(const struct trnsci_session *session, bool callback)
{
	struct trnsci_call *call = session->oldest;

	while (call && (call->done != NULL) != callback)
		call = call->newer;
	return call;
}

/* A connection that is lost ends the wait, too: nothing more will come. */
static bool is_over(const struct trnsci_session *session)
{
	return session->failure.code || session->closed;
}

static bool is_next_ready(void *arg)
{
	return find_oldest(arg, false) || is_over(arg);
}

static bool is_callback_ready(void *arg)
{
	return find_oldest(arg, true) || is_over(arg);
}

/* As long as answers wait to be taken, the program will be back, and the engine may send several requests at once. */
static int take_oldest(struct trnsci_session *session, bool callback, int64_t deadline, struct trnsci_call **ret_call)
{
	struct trnsci_call *call;
	int r = 0;

	pthread_mutex_lock(&session->lock);
	call = find_oldest(session, callback);
	if (!call) {
		r = session_wait(session, callback ? is_callback_ready : is_next_ready, session, deadline);
		call = find_oldest(session, callback);
	}
	if (r == 0 && !call)
		r = -ERROR_CLOSED;
	if (r == 0) {
		*ret_call = call;
		call_unlist(call);
		session->drains_answers = session->oldest && !callback;
	}
	pthread_mutex_unlock(&session->lock);
	return r;
}

int trnsci_next(struct trnsci_session *session, int timeout_ms, struct trnsci_call **ret_call, void **ret_arg)
{
	int r = session_check(session, NULL);

	if (r == 0)
		r = take_oldest(session, false, deadline_after(timeout_ms), ret_call);
	if (r == 0 && ret_arg)
		*ret_arg = (*ret_call)->done_arg;
	return r;
}

int trnsci_dispatch(struct trnsci_session *session, int timeout_ms)
{
	struct trnsci_call *call;
	int called = 0, r = session_check(session, NULL);

	if (r < 0)
		return r;
	session_ref(session);
	r = take_oldest(session, true, deadline_after(timeout_ms), &call);
	for (; r == 0; called++) {
		call->done(call, call->done_arg);
		r = called < DISPATCH_MOST ? take_oldest(session, true, 0, &call) : -ERROR_TIMEOUT;
	}
	session_unref(session);
	return called ? called : r;
}
