/* SPDX-License-Identifier: Apache-2.0 */
/* The least that a reply over a Unix socket can take: a process that answers 64 bytes with size=. spin=1: neither side
 * sleeps, but between two turns, since the spinning server would keep a CPU from the other workers. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/worker.h"

enum {
	REQUEST_BYTES = 64,
	MOST_LOOKS = 3000, /* in vain, about 1 ms: then it sleeps */
};

static char bytes[65536];
static size_t reply_bytes;
static int end, flags;
static pid_t child;

static void move_bytes(int fd, size_t size, bool out)
{
	unsigned looks = 0;

	for (size_t at = 0; at < size;) {
		const int how = looks++ < MOST_LOOKS ? flags : flags & ~MSG_DONTWAIT;
		const ssize_t moved = out ? send(fd, bytes + at, size - at, how) : recv(fd, bytes + at, size - at, how);

		if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR))
			_exit(0);
		at += moved > 0 ? (size_t)moved : 0;
	}
}

static void serve(int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		move_bytes(fd, REQUEST_BYTES, false);
		move_bytes(fd, reply_bytes, true);
	}
}

void work_open(void)
{
	int pair[2];

	reply_bytes = (size_t)case_number("size", 64);
	flags = MSG_NOSIGNAL | (case_is("spin", "1") ? MSG_DONTWAIT : 0);
	if (reply_bytes > sizeof bytes || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		work_fail("a socket");
	child = fork();
	if (child == 0) {
		close(pair[0]);
		serve(pair[1]);
	}
	close(pair[1]);
	end = pair[0];
}

void work_run(void)
{
	move_bytes(end, REQUEST_BYTES, true);
	move_bytes(end, reply_bytes, false);
}

void work_close(void)
{
	close(end);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
