/* SPDX-License-Identifier: Apache-2.0 */
/* The one thread that talks to clients: an event loop, a mailbox for the other threads, signals, the watchdog. */
#ifndef TRNSCI_DAEMON_LOOP_H
#define TRNSCI_DAEMON_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct event_base; /* libevent's */
struct loop;

/* Ignores the signals that would end the process and that mean nothing to it: SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGIO,
 * and SIGHUP (there is nothing to reload: sessions keep the settings they began with). Call it before anything else. */
void loop_ignore_signals(void);

/* SIGTERM and SIGINT call stop(arg) from the loop, once; a second one ends the process at once, as signals do. Threads
 * that were started before must block them. One loop in a process. -ERROR_SYSTEM, -ERROR_NO_MEMORY. */
int loop_create(void (*stop)(void *arg), void *arg, struct loop **ret_loop);
void loop_free(struct loop *loop);

struct event_base *loop_base(struct loop *loop);

/* Spins up to so long before it sleeps, while traffic is lively and busy(arg) says that no other thread needs the CPU.
 * Before loop_run; without it the loop never spins. */
void loop_set_spin(struct loop *loop, uint64_t most_ns, bool (*busy)(void *arg), void *arg);
/* An event that counts as traffic. try(arg), unless NULL, looks at once for more of it, which takes less than to look at
 * everything; forgotten by loop_forget(arg), which must be called before arg goes. */
void loop_note_traffic(struct loop *loop, void (*try)(void *arg), void *arg);
void loop_forget_traffic(struct loop *loop, const void *arg);

/* Until loop_end. Pings the service manager's watchdog as often as it wishes. */
void loop_run(struct loop *loop);
void loop_end(struct loop *loop);

/* A letter lies inside what it is about; deliver is called once for each posting, from the loop. */
struct loop_event {
	struct loop_event *next;
	void (*deliver)(struct loop_event *event);
};

/* Any thread. Never blocks. */
void loop_post(struct loop *loop, struct loop_event *event);

/* Calls changed(arg) from the loop whenever more has come to be read from fd, which is never read here. */
struct watch;
int loop_watch(struct loop *loop, int fd, void (*changed)(void *arg), void *arg, struct watch **ret_watch);
/* The same, every so often. */
int loop_repeat(struct loop *loop, uint64_t interval_us, void (*changed)(void *arg), void *arg,
		struct watch **ret_watch);
/* Accepts NULL. */
void loop_unwatch(struct watch *watch);

#endif
