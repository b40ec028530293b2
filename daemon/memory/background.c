/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks run in the order in which they were posted. */
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
} worker = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* Call with the lock held; it is released while the task runs. Returns false if there was nothing to do. */
static bool run_next_task(void)
{
	struct background_task *task = worker.first;
	bool trim = !task && worker.trim;

	if (!task && !trim)
		return false;
	if (task) {
		worker.first = task->next;
		if (!worker.first)
			worker.last = &worker.first;
	} else {
		worker.trim = false;
	}
	pthread_mutex_unlock(&worker.lock);
	if (task)
		task->run(task);
	else
		malloc_trim(0);
	pthread_mutex_lock(&worker.lock);
	return true;
}

static void *worker_main(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&worker.lock);
	while (run_next_task() || !worker.stop)
		while (!worker.first && !worker.trim && !worker.stop)
			pthread_cond_wait(&worker.wake, &worker.lock);
	pthread_mutex_unlock(&worker.lock);
	return NULL;
}

int background_start(void)
{
	worker.stop = false;
	worker.last = &worker.first;
	return thread_start("trnscid-bg", worker_main, NULL, &worker.thread);
}

void background_stop(void)
{
	pthread_mutex_lock(&worker.lock);
	worker.stop = true;
	pthread_cond_signal(&worker.wake);
	pthread_mutex_unlock(&worker.lock);
	pthread_join(worker.thread, NULL);
}

void background_post(struct background_task *task)
{
	pthread_mutex_lock(&worker.lock);
	task->next = NULL;
	*worker.last = task;
	worker.last = &task->next;
	pthread_cond_signal(&worker.wake);
	pthread_mutex_unlock(&worker.lock);
}

void background_trim_heap(void)
{
	pthread_mutex_lock(&worker.lock);
	worker.trim = true;
	pthread_cond_signal(&worker.wake);
	pthread_mutex_unlock(&worker.lock);
}
