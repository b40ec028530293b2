/* SPDX-License-Identifier: Apache-2.0 */
/* A trnscid of the test's own, on a private socket; ready when it says so by the service manager's protocol. */
#ifndef TESTS_CLIENT_DAEMON_H
#define TESTS_CLIENT_DAEMON_H

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct daemon {
	pid_t pid;
	char folder[64], socket[96], lock[112], notify[96];
	int notify_fd;
};

static inline int daemon_wait_ready(struct daemon *daemon)
{
	struct pollfd poll_fd = {.fd = daemon->notify_fd, .events = POLLIN};
	char text[1024];

	for (;;) {
		if (poll(&poll_fd, 1, 20000) <= 0)
			return -1;
		ssize_t size = recv(daemon->notify_fd, text, sizeof text - 1, 0);

		if (size < 0)
			return -1;
		text[size] = '\0';
		if (strstr(text, "READY=1"))
			return 0;
	}
}

/* In the folder that there is, also where another has died. 0, or -1. */
static inline int daemon_spawn(struct daemon *daemon, const char *threads, const char *setting)
{
	const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
	char program[512];

	snprintf(program, sizeof program, "%s/bin/trnscid", build);
	daemon->pid = fork();
	if (daemon->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that dies leaves none behind */
		setenv("NOTIFY_SOCKET", daemon->notify, 1);
		setenv("XDG_STATE_HOME", daemon->folder, 1);
		execl(program, program, "--socket", daemon->socket, "--threads", threads, setting, (char *)NULL);
		_exit(127);
	}
	return daemon_wait_ready(daemon);
}

/* $BUILD/bin/trnscid with that many threads and another setting, or NULL. 0, or -1. */
static inline int daemon_start_with(struct daemon *daemon, const char *threads, const char *setting)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	strcpy(daemon->folder, "/tmp/trnsci-check-XXXXXX");
	if (!mkdtemp(daemon->folder))
		return -1;
	snprintf(daemon->socket, sizeof daemon->socket, "%s/d.sock", daemon->folder);
	snprintf(daemon->lock, sizeof daemon->lock, "%s.lock", daemon->socket);
	snprintf(daemon->notify, sizeof daemon->notify, "%s/notify", daemon->folder);
	strcpy(address.sun_path, daemon->notify);
	daemon->notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (bind(daemon->notify_fd, (struct sockaddr *)&address, sizeof address) < 0)
		return -1;
	return daemon_spawn(daemon, threads, setting);
}

static inline int daemon_start(struct daemon *daemon, const char *threads)
{
	return daemon_start_with(daemon, threads, NULL);
}

/* What named streams have left. */
static inline void daemon_remove_state(const struct daemon *daemon)
{
	static const char *const names[] = {"trnsci/streams.db", "trnsci/streams.db-journal"};
	char path[128];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", daemon->folder, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/trnsci", daemon->folder);
	rmdir(path);
}

/* Its exit status. */
static inline int daemon_stop(struct daemon *daemon, int signal_number)
{
	int status = -1;

	if (daemon->pid > 0) {
		kill(daemon->pid, signal_number);
		waitpid(daemon->pid, &status, 0);
	}
	daemon->pid = 0;
	close(daemon->notify_fd);
	unlink(daemon->socket);
	unlink(daemon->lock);
	unlink(daemon->notify);
	daemon_remove_state(daemon);
	rmdir(daemon->folder);
	return status;
}

#endif
