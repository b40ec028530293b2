/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

int thread_start(const char *name, void *(*run)(void *arg), void *arg, pthread_t *ret_thread)
{
	sigset_t all, old;
	pthread_t thread;
	char cut[16];
	int error;

	/* A thread inherits the mask: blocked before it exists, so that there is no moment without. */
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

/* The kernel's struct sched_attr, as it was first; the C library does not always have it. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period; /* the first is the slice of an ordinary thread */
};

static bool get(struct attributes *ret)
{
	return syscall(SYS_sched_getattr, 0, ret, (unsigned)sizeof *ret, 0u) == 0 && ret->policy == SCHED_OTHER;
}

/* Older systems take any slice and keep none. */
bool thread_set_slice(uint64_t ns)
{
	struct attributes attributes = {0};

	if (!get(&attributes))
		return false;
	attributes.size = sizeof attributes;
	attributes.runtime = ns;
	return syscall(SYS_sched_setattr, 0, &attributes, 0u) == 0 && get(&attributes) && attributes.runtime == ns;
}
