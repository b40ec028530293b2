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
	struct chore *first, **last;
	bool trim, stop;
} reaper = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* With the lock held; let go of while it works. false: there was nothing to do. */
static bool do_one(void)
{
	struct chore *chore = reaper.first;
	bool trim = !chore && reaper.trim;

	if (!chore && !trim)
		return false;
	if (chore) {
		reaper.first = chore->next;
		if (!reaper.first)
			reaper.last = &reaper.first;
	} else {
		reaper.trim = false;
	}
	pthread_mutex_unlock(&reaper.lock);
	if (chore)
		chore->run(chore);
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

int reaper_start(void)
{
	reaper.stop = false;
	reaper.last = &reaper.first;
	return thread_start("trnscid-reaper", thread_main, NULL, &reaper.thread);
}

void reaper_stop(void)
{
	pthread_mutex_lock(&reaper.lock);
	reaper.stop = true;
	pthread_cond_signal(&reaper.wake);
	pthread_mutex_unlock(&reaper.lock);
	pthread_join(reaper.thread, NULL);
}

void reaper_post(struct chore *chore)
{
	pthread_mutex_lock(&reaper.lock);
	chore->next = NULL;
	*reaper.last = chore;
	reaper.last = &chore->next;
	pthread_cond_signal(&reaper.wake);
	pthread_mutex_unlock(&reaper.lock);
}

void reaper_trim(void)
{
	pthread_mutex_lock(&reaper.lock);
	reaper.trim = true;
	pthread_cond_signal(&reaper.wake);
	pthread_mutex_unlock(&reaper.lock);
}
