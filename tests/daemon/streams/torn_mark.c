/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for the calls that read and write the mark of a state, in the whole program. The mark lies in memory: what the
 * last sync of a folder has made durable, and what was written since. Any folder is the one. */
#include "torn_mark.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "torn_vfs.h"

struct mark {
	ssize_t size; /* -1: there is none */
	char text[256];
};

static struct mark written = {.size = -1}, durable = {.size = -1};
static bool unsupported;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What the C library declares is not for a program to define. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static ssize_t read_mark(void *value, size_t size)
{
	ssize_t got;

	pthread_mutex_lock(&lock);
	got = unsupported || written.size < 0 ? -1 : written.size;
	errno = unsupported ? ENOTSUP : ENODATA;
	if (got > 0 && size)
		memcpy(value, written.text, (size_t)got < size ? (size_t)got : size);
	pthread_mutex_unlock(&lock);
	return got;
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)
{
	(void)fd;
	(void)name;
	return read_mark(value, size);
}

ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	(void)path;
	(void)name;
	return read_mark(value, size);
}

/* The very write in which the power goes may be kept. */
int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags)
{
	bool was_cut = torn_is_cut();
	const int error = torn_operation(true, false);

	(void)fd;
	(void)name;
	(void)flags;
	if (error == 0 || (torn_is_cut() && !was_cut)) {
		pthread_mutex_lock(&lock);
		written.size = (ssize_t)size;
		memcpy(written.text, value, size);
		pthread_mutex_unlock(&lock);
	}
	errno = error;
	return error ? -1 : 0;
}

int fsync(int fd)
{
	struct stat st;
	int error;

	if (fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode))
		return (int)syscall(SYS_fsync, fd);
	error = torn_operation(false, true);
	if (error == 0) {
		pthread_mutex_lock(&lock);
		durable = written;
		pthread_mutex_unlock(&lock);
	}
	errno = error;
	return error ? -1 : 0;
}

void torn_mark_settle(bool kept)
{
	if (kept)
		durable = written;
	else
		written = durable;
}

void torn_mark_forget(void)
{
	written.size = durable.size = -1;
	unsupported = false;
}

void torn_mark_unsupported(bool is)
{
	unsupported = is;
}
