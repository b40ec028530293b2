/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that signals do not interrupt. */
#include "base/thread.h"

#include <signal.h>
#include <stdio.h>

#include "base/error.h"

int thread_start(const char *name, void *(*run)(void *arg), void *arg, pthread_t *ret_thread)
{
	sigset_t all, old;
	pthread_t thread;
	char cut[16];
	int error;

	/* A new thread inherits the mask, so signals are blocked from its first instruction on. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error)
		return -ERROR_SYSTEM;
	snprintf(cut, sizeof cut, "%s", name);
	pthread_setname_np(thread, cut);
	*ret_thread = thread;
	return 0;
}
