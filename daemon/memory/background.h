/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that gives large memory back to the system: it takes most of a microsecond a page, so tens of milliseconds
 * for what one client may have held, during which the loop would serve nobody. */
#ifndef TRNSCI_DAEMON_REAPER_H
#define TRNSCI_DAEMON_REAPER_H

/* Lies inside what is to be taken down; run is called once, by the reaper. */
struct chore {
	struct chore *next;
	void (*run)(struct chore *chore);
};

/* One in a process. -ERROR_SYSTEM. Stopping waits until all chores are done. */
int reaper_start(void);
void reaper_stop(void);

/* Any thread. */
void reaper_post(struct chore *chore);

/* Trims the heap, some time soon. Any thread. */
void reaper_trim(void);

#endif
