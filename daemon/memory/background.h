/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that gives large memory back to the system: it takes most of a microsecond a page, so tens of milliseconds
 * for what one client may have held, during which the loop would serve nobody. */
#ifndef TRNSCI_DAEMON_REAPER_H
#define TRNSCI_DAEMON_REAPER_H

/* Lies inside what is to be taken down; run is called once, by the reaper. */
struct background_task {
	struct background_task *next;
	void (*run)(struct background_task *task);
};

/* One in a process. -ERROR_SYSTEM. Stopping waits until all chores are done. */
int background_start(void);
void background_stop(void);

/* Any thread. */
void background_post(struct background_task *task);

/* Trims the heap, some time soon. Any thread. */
void background_trim_heap(void);

#endif
