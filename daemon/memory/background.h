/* SPDX-License-Identifier: Apache-2.0 */
/* A thread for work that the loop must not wait for: returning memory to the system and pre-faulting pages.
 *
 * Either takes about a microsecond a page, so tens of milliseconds for the memory of one client. */
#ifndef TRNSCI_DAEMON_BACKGROUND_H
#define TRNSCI_DAEMON_BACKGROUND_H

/* Embedded in what it works on. run is called once for each posting, on the worker's thread. */
struct background_task {
	struct background_task *next;
	void (*run)(struct background_task *task);
};

/* Starts the worker, one in a process. Returns 0 or -ERROR_SYSTEM. Stopping it waits until all tasks are done. */
int background_start(void);
void background_stop(void);

/* Queues a task, which is the worker's until it runs; its run may free it or post it again. Tasks run one after the other, in
 * the order of their postings: an arena's pages are pre-faulted before they are freed. Any thread; never waits for a task. */
void background_post(struct background_task *task);

/* Trims the heap when no task is left. Any thread. */
void background_trim_heap(void);

#endif
