/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as a program makes and submits them; answers come to trnsci_next. */
#include <string.h>
#include <sys/eventfd.h>

#include <trnsci/trnsci.h>

#include "call/table.h"
#include "call/run.h"
#include "call/send.h"
#include "session/wait.h"

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

int trnsci_run(struct trnsci_call *call, const struct trnsci_param *changes)
{
	int r;

	if (!call)
		return -ERROR_NO_MEMORY;
	r = call_change(call, changes);
	return r < 0 ? r : call_run_and_keep(call);
}

int trnsci_submit(struct trnsci_call *call, const struct trnsci_param *changes, void *arg)
{
	int r;

	if (!call)
		return -ERROR_NO_MEMORY;
	if (call_is_in_flight(call) && session_check(call->session, NULL) == 0)
		return -ERROR_OUT_OF_RANGE;
	r = call_change(call, changes);
	if (r < 0)
		return r;
	call->arg = arg;
	return call_start(call, true);
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

/* A connection that is lost ends the wait, too: nothing more will come. */
static bool is_next_ready(void *arg)
{
	const struct trnsci_session *session = arg;

	return session->oldest || session->failure.code || session->closed;
}

/* As long as answers wait to be taken, the program will be back, and the engine may send several requests at once. */
int trnsci_next(struct trnsci_session *session, int timeout_ms, struct trnsci_call **ret_call, void **ret_arg)
{
	struct trnsci_call *call;
	int r = session_check(session, NULL);

	if (r < 0)
		return r;
	const int64_t deadline = deadline_after(timeout_ms);

	pthread_mutex_lock(&session->lock);
	if (!session->oldest)
		r = session_wait(session, is_next_ready, session, deadline);
	call = session->oldest;
	if (r == 0 && !call)
		r = -ERROR_CLOSED;
	if (r == 0) {
		*ret_call = call;
		if (ret_arg)
			*ret_arg = call->arg;
		call_unlist(call);
		session->drains_answers = session->oldest;
	}
	pthread_mutex_unlock(&session->lock);
	return r;
}
