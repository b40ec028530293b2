/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of memory and descriptors that a daemon passes. */
#include "sealed_memfd.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "call/run.h"
#include "session/public_error.h"
#include "session/wait.h"

/* A condition of session_wait: evaluated with the lock. */
static bool may_run(void *arg)
{
	const struct trnsci_session *session = arg;

	return !session->fds_pending || session->closed;
}

/* Others may ask for descriptors from now on. With the lock. */
static void let_others_ask(struct trnsci_call *call)
{
	if (!call->wants_fds)
		return;
	call->wants_fds = false;
	call->session->fds_pending = false;
	session_wake(call->session);
}

/* Who waits also polls: nobody else may be waiting for the answer to a request for an arena. */
static int await_turn(struct trnsci_call *call, int64_t deadline, struct error *err)
{
	struct trnsci_session *session = call->session;
	int r;

	pthread_mutex_lock(&session->lock);
	r = session_wait(session, may_run, session, deadline);
	if (r == 0)
		session->fds_pending = call->wants_fds = true;
	pthread_mutex_unlock(&session->lock);
	return r < 0 ? error_set(err, ERROR_TIMEOUT, "%s: no answer within %d ms to an earlier request for memory", call->method,
				 session->timeout_ms)
		     : 0;
}

/* A call that has exceeded its time limit stays in flight, and its descriptors may still come: only its answer, also `cancelled`,
 * lets others ask. */
static int run_in_turn(struct trnsci_call *call, int64_t deadline, struct error *err)
{
	int r;

	call->answered = let_others_ask;
	r = call_start(call, false);
	if (r == 0)
		r = call_await(call, deadline);
	if (r == 0)
		return 0;
	error_import(err, &call->answer.error);
	pthread_mutex_lock(&call->session->lock);
	if (call->state != CALL_IN_FLIGHT) /* it may not have been sent at all */
		let_others_ask(call);
	pthread_mutex_unlock(&call->session->lock);
	return r;
}

int sealed_memfd_run_call(struct trnsci_call *call, int timeout_ms, struct error *err)
{
	struct trnsci_session *session = call->session;
	const int64_t deadline = deadline_after(timeout_ms);
	int r = await_turn(call, deadline, err);

	if (r == 0)
		r = run_in_turn(call, deadline, err);
	session_ref(session);
	if (r < 0)
		trnsci_call_free(call);
	if (session->engine->tend_arenas)
		session->engine->tend_arenas(session);
	session_unref(session);
	return r;
}

int sealed_memfd_check_count(const struct fdpass *fds, unsigned count, const char *what, struct error *err)
{
	if (fds->cut)
		return error_set(
			err, ERROR_SYSTEM,
			"%s: file descriptors of the reply were lost, this process can have no more (RLIMIT_NOFILE)",
			what);
	if (fds->count != count)
		return error_set(err, ERROR_BAD_REPLY, "%s: %u file descriptors came with the reply, allowed is %u",
				 what, fds->count, count);
	return 0;
}

/* Without the seals the daemon could shrink the file, and a read past its end would raise SIGBUS. */
int sealed_memfd_check(int fd, uint64_t bytes, bool readonly, const char *what, struct error *err)
{
	const int needed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (readonly ? F_SEAL_FUTURE_WRITE : 0);
	const int seals = fcntl(fd, F_GET_SEALS);
	struct stat status;

	if (seals < 0 || (seals & needed) != needed)
		return error_set(err, ERROR_BAD_REPLY, "%s: its memory is not sealed as it must be", what);
	if (fstat(fd, &status) < 0 || status.st_size <= 0 || (uint64_t)status.st_size != bytes)
		return error_set(err, ERROR_BAD_REPLY, "%s: its memory is not of the %llu bytes that the reply says",
				 what, (unsigned long long)bytes);
	return 0;
}
