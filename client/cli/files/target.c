/* SPDX-License-Identifier: Apache-2.0 */
/* Where bytes are written. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The file under its temporary name; "" when there is none. A signal handler reads it, so it is written only while the
 * signals are blocked. */
static char temporary[PATH_MAX];

/* The signals that end a process and come from outside. */
static const int ending_signals[] = {SIGINT,  SIGTERM, SIGHUP,	SIGQUIT,   SIGPIPE, SIGXCPU,
				     SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGBUS};

enum { N_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

/* The default action then ends the process, so that a shell sees an interrupted command (128 + signal). */
static void remove_temporary(int number)
{
	if (temporary[0])
		unlink(temporary);
	signal(number, SIG_DFL);
	raise(number);
}

static void set_temporary(const char *path)
{
	sigset_t blocked, before;

	sigemptyset(&blocked);
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaddset(&blocked, ending_signals[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	snprintf(temporary, sizeof temporary, "%s", path);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Signals that the parent chose to ignore stay ignored. */
static void catch_signals(void)
{
	for (size_t i = 0; i < N_SIGNALS; i++) {
		struct sigaction action;

		if (sigaction(ending_signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
			action.sa_handler = remove_temporary;
			sigaction(ending_signals[i], &action, NULL);
		}
	}
}

/* A file of a random name in the folder of path, with the rights of the file that it will replace. -1 on error. */
static int make_temporary(const char *path, const struct stat *replaced)
{
	const char *slash = strrchr(path, '/');
	const int folder = slash ? (int)(slash - path) + 1 : 0;
	char name[PATH_MAX];
	uint64_t random;
	int fd = -1;

	for (int attempt = 0; attempt < 100 && fd < 0; attempt++) {
		if (getrandom(&random, sizeof random, 0) != sizeof random)
			return -1;
		if ((size_t)snprintf(name, sizeof name, "%.*s.trnsci-%016llx", folder, path,
				     (unsigned long long)random) >= sizeof name) {
			errno = ENAMETOOLONG;
			return -1;
		}
		set_temporary(name);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0)
			set_temporary("");
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	if (fd >= 0 && replaced) {
		if (fchown(fd, replaced->st_uid, replaced->st_gid) < 0)
			errno = 0; /* only root gives files away; the file is then ours */
		fchmod(fd, replaced->st_mode & 07777);
	}
	return fd;
}

/* A link is followed, so that the file behind it is replaced and not the link. */
static int open_file(struct target *target)
{
	struct stat status;
	const bool exists = stat(target->name, &status) == 0;

	if (exists && (!S_ISREG(status.st_mode) || access(target->name, W_OK) < 0))
		return open(target->name, O_WRONLY | O_CLOEXEC);
	if (!exists && lstat(target->name, &status) == 0) /* a link to nothing yet */
		return open(target->name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (exists ? !realpath(target->name, target->path)
		   : (size_t)snprintf(target->path, sizeof target->path, "%s", target->name) >= sizeof target->path)
		return -1;
	const int fd = make_temporary(target->path, exists ? &status : NULL);

	if (fd >= 0 || !exists)
		return fd;
	target->path[0] = '\0'; /* a folder that takes no new file */
	return open(target->name, O_WRONLY | O_TRUNC | O_CLOEXEC);
}

int target_open(const char *name, struct target *ret_target)
{
	const bool to_stdout = !name || strcmp(name, "-") == 0;

	*ret_target = (struct target){.fd = STDOUT_FILENO, .name = to_stdout ? "stdout" : name};
	if (to_stdout)
		return EXIT_OK;
	catch_signals();
	ret_target->fd = open_file(ret_target);
	return ret_target->fd < 0 ? complain(EXIT_CANNOT_CREATE, "%s: %s", name, strerror(errno)) : EXIT_OK;
}

static const char *why(int error)
{
	return error == EFBIG ? "it would exceed the file size limit (ulimit -f)" : strerror(error);
}

/* SIGPIPE ends the process unless the parent ignores it. */
int target_write(struct target *target, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		const ssize_t wrote = write(target->fd, at, size);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0 && errno == EPIPE)
			return EXIT_IO;
		if (wrote <= 0)
			return complain(EXIT_IO, "%s: %s", target->name, why(wrote < 0 ? errno : ENOSPC));
		at += wrote;
		size -= (size_t)wrote;
	}
	return EXIT_OK;
}

int target_check_room(const struct target *target, uint64_t bytes)
{
	struct statvfs room;

	if (!target->path[0] || fstatvfs(target->fd, &room) < 0 || room.f_blocks == 0)
		return EXIT_OK;
	const double free_bytes = (double)(geteuid() ? room.f_bavail : room.f_bfree) * (double)room.f_frsize;

	if ((double)bytes <= free_bytes)
		return EXIT_OK;
	return complain(EXIT_IO, "%s: %.3g GB, free are %.3g GB", target->name, (double)bytes * 1e-9, free_bytes * 1e-9);
}

int target_close(struct target *target, int code)
{
	if (close(target->fd) < 0 && code == EXIT_OK)
		code = complain(EXIT_IO, "%s: %s", target->name, strerror(errno));
	if (!target->path[0])
		return code;
	if (code == EXIT_OK && rename(temporary, target->path) < 0)
		code = complain(EXIT_CANNOT_CREATE, "%s: %s", target->name, strerror(errno));
	if (code != EXIT_OK)
		unlink(temporary);
	set_temporary("");
	return code;
}
