/* SPDX-License-Identifier: Apache-2.0 */
/* The reaper: chores in the order in which they came. */
#include "background.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/thread.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	struct background_task *first, **last;
	bool trim, stop;
} reaper = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* With the lock held; let go of while it works. false: there was nothing to do. */
static bool do_one(void)
{
	struct background_task *task = reaper.first;
	bool trim = !task && reaper.trim;

	if (!task && !trim)
		return false;
	if (task) {
		reaper.first = task->next;
		if (!reaper.first)
			reaper.last = &reaper.first;
	} else {
		reaper.trim = false;
	}
	pthread_mutex_unlock(&reaper.lock);
	if (task)
		task->run(task);
	else
		malloc_trim(0);
	pthread_mutex_lock(&reaper.lock);
	return true;
}

static void *thread_main(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&reaper.lock);
	while (do_one() || !reaper.stop)
		while (!reaper.first && !reaper.trim && !reaper.stop)
			pthread_cond_wait(&reaper.wake, &reaper.lock);
	pthread_mutex_unlock(&reaper.lock);
	return NULL;
}

int background_start(void)
{
	reaper.stop = false;
	reaper.last = &reaper.first;
	return thread_start("trnscid-reaper", thread_main, NULL, &reaper.thread);
}

void background_stop(void)
{
	pthread_mutex_lock(&reaper.lock);
	reaper.stop = true;
	pthread_cond_signal(&reaper.wake);
	pthread_mutex_unlock(&reaper.lock);
	pthread_join(reaper.thread, NULL);
}

void background_post(struct background_task *task)
{
	pthread_mutex_lock(&reaper.lock);
	task->next = NULL;
	*reaper.last = task;
	reaper.last = &task->next;
	pthread_cond_signal(&reaper.wake);
	pthread_mutex_unlock(&reaper.lock);
}

void background_trim_heap(void)
{
	pthread_mutex_lock(&reaper.lock);
	reaper.trim = true;
	pthread_cond_signal(&reaper.wake);
	pthread_mutex_unlock(&reaper.lock);
}
