/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop of the thread that talks to clients: sockets, events from other threads, signals, the watchdog.
 *
 * All functions belong to the loop's thread, but for loop_post. While requests keep coming the loop polls for a while before it
 * sleeps, since to sleep and be woken takes longer than a small request. */
#ifndef TRNSCI_DAEMON_LOOP_H
#define TRNSCI_DAEMON_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct event_base; /* libevent's */
struct loop;

/* Ignores signals that would end the process for no reason: SIGPIPE, SIGXFSZ (a limit of file sizes, which memory of ours
 * counts for), SIGUSR1, SIGUSR2, SIGALRM, SIGIO, and SIGHUP until the loop takes it over. Call it before anything else. */
void loop_ignore_signals(void);

/* Makes the loop, one in a process. The first SIGTERM or SIGINT calls stop(arg) from the loop, a second one ends the
 * process. Threads that were started before must block both, and SIGHUP. Returns 0, -ERROR_SYSTEM or -ERROR_NO_MEMORY. */
int loop_create(void (*stop)(void *arg), void *arg, struct loop **ret_loop);
void loop_free(struct loop *loop);

struct event_base *loop_base(struct loop *loop);

/* Calls reload(arg) from the loop at each SIGHUP, until the loop stops. Default: SIGHUP does nothing. */
void loop_set_reload(struct loop *loop, void (*reload)(void *arg), void *arg);

/* Lets the loop poll for up to most_ns before it sleeps, while requests keep coming and busy(arg) returns false: no other
 * thread needs the CPU. Call it on the loop's thread, or before loop_run. Default: the loop never polls. */
void loop_set_spin(struct loop *loop, uint64_t most_ns, bool (*busy)(void *arg), void *arg);
/* Notes that requests keep coming. While the loop polls, it calls try(arg) (unless NULL) to look for more from the same
 * client, which costs less than to look at all. Call loop_forget_traffic(arg) before arg is freed. */
void loop_note_traffic(struct loop *loop, void (*try)(void *arg), void *arg);
void loop_forget_traffic(struct loop *loop, const void *arg);

/* Calls collect(arg) after each round of events. It returns true while other threads hold what the loop has given them and
 * do not report it: the loop does not sleep then. Default: nothing is called. */
void loop_set_collect(struct loop *loop, bool (*collect)(void *arg), void *arg);
/* Returns how many events of this round are still to be handled. */
unsigned loop_count_waiting(const struct loop *loop);

/* Shared memory that the loop looks at while it polls, embedded in what it is about. */
struct loop_poller {
	struct loop_poller *next, *prev;
	bool polled; /* by the loop */
	uint64_t period; /* of loop_count_client, in which it was counted last */
	/* Returns whether there was anything to do. May stop this poller or others. */
	bool (*poll)(struct loop_poller *poller);
	/* The loop is about to sleep: the other side must wake it from now on. Returns false if there was something to do
	 * meanwhile: then the poller stays, and the loop does not sleep. */
	bool (*sleep)(struct loop_poller *poller);
};

/* Polls from now on, until the loop sleeps. Call it on the loop's thread; again does nothing. */
void loop_poll(struct loop *loop, struct loop_poller *poller);
void loop_stop_polling(struct loop *loop, struct loop_poller *poller);
/* Counts a client that worked at now_ns (CLOCK_MONOTONIC). waits: it waits for the result. Returns true if 2 to 64 clients worked in
 * the last 33 ms and most waited: the loop then yields its CPU after each round, and waiting clients do better to yield than to
 * sleep. */
bool loop_count_client(struct loop *loop, struct loop_poller *poller, bool waits, uint64_t now_ns);

/* Runs until loop_end. Notifies the service manager's watchdog as often as it requires. */
void loop_run(struct loop *loop);
void loop_end(struct loop *loop);

/* An event from another thread, embedded in what it is about. deliver is called once for each posting, from the loop; it may
 * free the event. */
struct loop_event {
	struct loop_event *next; /* the loop's, under its lock */
	void (*deliver)(struct loop_event *event);
};

/* Posts an event, which is the loop's until it is delivered: do not post it again before. What the thread wrote before is seen
 * by deliver. Events are delivered in the order of their postings. Any thread. Never blocks. */
void loop_post(struct loop *loop, struct loop_event *event);

/* Calls changed(arg) from the loop whenever fd gets something to read. fd is never read here. */
struct watch;
int loop_watch(struct loop *loop, int fd, void (*changed)(void *arg), void *arg, struct watch **ret_watch);
/* Calls changed(arg) from the loop every interval_us. */
int loop_repeat(struct loop *loop, uint64_t interval_us, void (*changed)(void *arg), void *arg,
		struct watch **ret_watch);
/* Accepts NULL. */
void loop_unwatch(struct watch *watch);

#endif
