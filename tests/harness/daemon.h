/* SPDX-License-Identifier: Apache-2.0 */
/* A real daemon in a child process, on a private socket in a folder of its own. Everything asserts. Readiness is the
 * daemon's own READY=1, never a sleep. */
#ifndef TESTS_HARNESS_DAEMON_H
#define TESTS_HARNESS_DAEMON_H

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* Arguments of a daemon: ARGUMENTS("--threads=2", "--connections=4"). */
#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct daemon {
	pid_t pid;
	char dir[64], socket[96], notify[96];
	int notify_fd; /* datagrams that it sends to its service manager */
	unsigned most_files; /* its limit of open files, from daemon_spawn on; 0: ours */
};

/* The path of the daemon's binary, beside this test's. */
const char *daemon_binary(void);

/* dir and notify socket, without a process yet. */
void daemon_prepare(struct daemon *daemon);
/* Starts it with --socket (unless that is empty) and these arguments (NULL at the end; or NULL), and environment beyond
 * ours. Does not wait.
 */
void daemon_spawn(struct daemon *daemon, const char *const *arguments, const char *const *environment);
/* The next datagram, which must begin with prefix (others before it are skipped), within DEADLINE_S. */
void daemon_await(struct daemon *daemon, const char *prefix);
/* All of the above, to READY=1. */
void daemon_start(struct daemon *daemon, const char *const *arguments);
/* Starts another in the folder of one that has ended, and waits for its READY=1. */
void daemon_respawn(struct daemon *daemon, const char *const *arguments);

/* Returns its exit status; 128 + signal when one ended it. Waits at most DEADLINE_S. */
int daemon_wait(struct daemon *daemon);
/* Sends the signal, and the same. */
int daemon_strike(struct daemon *daemon, int signal_number);
/* SIGSTOP; returns once all its threads stand still. SIGCONT ends that. */
void daemon_halt(struct daemon *daemon);
/* SIGTERM; must exit with 0 and leave nothing at its socket's path. Removes the folder. */
void daemon_stop(struct daemon *daemon);
/* Removes the folder, and kills the daemon if there is one. */
void daemon_discard(struct daemon *daemon);
void daemon_remove_dir(struct daemon *daemon);

unsigned daemon_fds(const struct daemon *daemon);
/* A line of /proc/PID/status in KiB: "VmRSS", "RssShmem", "RssAnon", "VmSize"; or a count: "Threads". */
uint64_t daemon_kib(const struct daemon *daemon, const char *line);

#endif
