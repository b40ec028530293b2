/* SPDX-License-Identifier: Apache-2.0 */
/* A crowd: clients of a daemon, each a process with a session of the installed library, that begin at the same moment.
 *
 *     parent   crowd_start ......................... crowd_release ......... crowd_join, then reads the outcomes
 *     client   opens its session, crowd_wait_for_start  - - -  runs, writes its outcome, ends
 *
 * One crowd in a process. Whatever fails ends the process, and the parent when a client has failed. */
#ifndef TESTS_BENCH_CROWD_H
#define TESTS_BENCH_CROWD_H

#include <stddef.h>
#include <sys/types.h>

#include <trnsci/trnsci.h>

enum { CROWD_MAX = 1024 };

/* What a client reports, in memory that all share. */
struct outcome {
	double runs, seconds, cpu, p99; /* cpu: seconds; p99: as the bench says */
};

struct crowd {
	int n;
	pid_t pids[CROWD_MAX];
	struct outcome *outcomes; /* of client i: outcomes[i] */
};

extern struct crowd crowd;
extern const char *crowd_address; /* of the daemon; set before a session is opened */
extern int crowd_queue;           /* trnsci_options.queue of the sessions */
extern int crowd_client;          /* in a client: its number, below crowd.n */

/* Prints what failed and ends the process. */
_Noreturn void crowd_fail(const char *what);
/* Does so if r is an error, which err (or NULL) describes. */
void crowd_check(int r, const struct trnsci_error *err);
struct trnsci_session *crowd_open_session(size_t arena_bytes);

/* Starts n clients, which call client; returns when all wait for the start. */
void crowd_start(int n, void (*client)(struct outcome *ret_outcome));
/* In a client: reports that it is ready, and waits until crowd_release. */
void crowd_wait_for_start(void);
void crowd_release(void);
/* Waits until all clients have ended. */
void crowd_join(void);

#endif
