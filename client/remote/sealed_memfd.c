/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of memory and descriptors that a daemon passes. */
#include "sealed_memfd.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "call/run.h"

/* A condition of session_wait: evaluated with the lock. */
static bool may_run(void *arg)
{
	const struct trnsci_session *session = arg;

	return !session->fds_pending || session->closed;
}

/* Who waits also polls: nobody else may be waiting for the answer to a request for an arena. */
int sealed_memfd_run_call(struct trnsci_call *call, struct error *err)
{
	struct trnsci_session *session = call->session;
	int r;

	pthread_mutex_lock(&session->lock);
	session_wait(session, may_run, session, DEADLINE_NEVER);
	session->fds_pending = true;
	pthread_mutex_unlock(&session->lock);
	call->wants_fds = true;
	r = call_run(call, err);
	pthread_mutex_lock(&session->lock);
	session->fds_pending = false;
	session_wake(session);
	pthread_mutex_unlock(&session->lock);
	if (session->engine->tend_arenas)
		session->engine->tend_arenas(session);
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
