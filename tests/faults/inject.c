/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before the C library: lets the nth allocation or system call of a process fail, or kills it there.
 *
 * Each wrapper names the errors that its call can give here; a sweep over one error passes by all others. What a program
 * cannot get on with at all (a mutex) is not wrapped. The names that end in 64 are SQLite's. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "inject.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define EXPORT __attribute__((visibility("default")))

static struct fault_page *page;

__attribute__((constructor)) static void find_page(void)
{
	const char *path = getenv(FAULT_PAGE);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	unsetenv(FAULT_PAGE);
	if (at != MAP_FAILED)
		page = at;
}

/* Whether this call is the one; errno is then set. errors ends with 0. */
static bool hit(const char *what, bool system_call, const int *errors)
{
	int error;

	if (!page || !page->armed)
		return false;
	error = page->error;
	if (page->kill) {
		if (system_call && atomic_fetch_add(&page->seen, 1) + 1 == page->nth)
			kill(getpid(), SIGKILL);
		return false;
	}
	while (*errors && *errors != error)
		errors++;
	if (!*errors)
		return false;
	const long at = atomic_fetch_add(&page->seen, 1) + 1;
	if (page->nth < 1 || (page->lasting ? at < page->nth : at != page->nth))
		return false;
	strncpy(page->what, what, sizeof page->what - 1);
	atomic_fetch_add(&page->hits, 1);
	errno = error;
	return true;
}

#define FAILS(...) hit(__func__, true, (const int[]){__VA_ARGS__, 0})
#define NO_MEMORY  hit(__func__, false, (const int[]){ENOMEM, 0})

/* The C library's own, found once; NULL in what dlsym itself calls. */
#define NEXT(name)                                                                                                     \
	static __typeof__(name) *next;                                                                                 \
	if (!next)                                                                                                     \
		next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* ------- memory ------- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

EXPORT void *malloc(size_t size)
{
	return NO_MEMORY ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return NO_MEMORY ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *old, size_t size)
{
	return NO_MEMORY ? NULL : __libc_realloc(old, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return NO_MEMORY ? NULL : __libc_memalign(alignment, size);
}

EXPORT int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *at = NO_MEMORY ? NULL : __libc_memalign(alignment, size);

	if (!at)
		return ENOMEM;
	*ret = at;
	return 0;
}

EXPORT void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	NEXT(mmap);
	return FAILS(ENOMEM) ? MAP_FAILED : next(at, size, protection, flags, fd, offset);
}

EXPORT void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
	NEXT(mmap64);
	return FAILS(ENOMEM) ? MAP_FAILED : next(at, size, protection, flags, fd, offset);
}

EXPORT void *mremap(void *at, size_t size, size_t wanted, int flags, ...)
{
	va_list args;

	NEXT(mremap);
	va_start(args, flags);
	void *where = va_arg(args, void *);
	va_end(args);
	return FAILS(ENOMEM) ? MAP_FAILED : next(at, size, wanted, flags, where);
}

/* Of a mapping that lies beside another of its kind; it then stays. */
EXPORT int munmap(void *at, size_t size)
{
	NEXT(munmap);
	return FAILS(ENOMEM) ? -1 : next(at, size);
}

/* ------- system calls: X(result, name, parameters, arguments, errors) ------- */

#define CALLS(X)                                                                                                       \
	X(ssize_t, pread, (int fd, void *at, size_t size, off_t from), (fd, at, size, from), EINTR, EIO)               \
	X(ssize_t, pwrite, (int fd, const void *at, size_t size, off_t to), (fd, at, size, to), EINTR, EIO, ENOSPC)    \
	X(ssize_t, recv, (int fd, void *at, size_t size, int flags), (fd, at, size, flags), EINTR, EAGAIN, ENOMEM)     \
	X(ssize_t, recvmsg, (int fd, struct msghdr * message, int flags), (fd, message, flags), EINTR, EAGAIN, ENOMEM) \
	X(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), EINTR, EAGAIN,    \
	  ENOMEM)                                                                                                      \
	X(int, accept4, (int fd, struct sockaddr * at, socklen_t * size, int flags), (fd, at, size, flags), EINTR,     \
	  EAGAIN, ENOMEM, EMFILE, ENFILE)                                                                              \
	X(int, epoll_create1, (int flags), (flags), ENOMEM, EMFILE, ENFILE)                                            \
	X(int, eventfd, (unsigned int count, int flags), (count, flags), ENOMEM, EMFILE, ENFILE)                       \
	X(int, memfd_create, (const char *name, unsigned int flags), (name, flags), ENOMEM, EMFILE, ENFILE)            \
	X(int, ftruncate, (int fd, off_t size), (fd, size), EINTR, ENOSPC, EIO)                                        \
	X(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size), EINTR, ENOSPC)               \
	X(ssize_t, pread64, (int fd, void *at, size_t size, off64_t from), (fd, at, size, from), EINTR, EIO)           \
	X(ssize_t, pwrite64, (int fd, const void *at, size_t size, off64_t to), (fd, at, size, to), EINTR, EIO,        \
	  ENOSPC)                                                                                                      \
	X(int, ftruncate64, (int fd, off64_t size), (fd, size), EINTR, ENOSPC, EIO)                                    \
	X(int, stat, (const char *path, struct stat *ret), (path, ret), ENOMEM, EIO)                                   \
	X(int, lstat, (const char *path, struct stat *ret), (path, ret), ENOMEM, EIO)                                  \
	X(int, fstat, (int fd, struct stat *ret), (fd, ret), ENOMEM, EIO)                                              \
	X(int, stat64, (const char *path, struct stat64 *ret), (path, ret), ENOMEM, EIO)                               \
	X(int, lstat64, (const char *path, struct stat64 *ret), (path, ret), ENOMEM, EIO)                              \
	X(int, fstat64, (int fd, struct stat64 *ret), (fd, ret), ENOMEM, EIO)                                          \
	X(int, access, (const char *path, int mode), (path, mode), ENOMEM, EIO)                                        \
	X(int, mkdir, (const char *path, mode_t mode), (path, mode), ENOMEM, ENOSPC, EIO)                              \
	X(int, chmod, (const char *path, mode_t mode), (path, mode), ENOMEM, EIO)                                      \
	X(int, rename, (const char *from, const char *to), (from, to), ENOMEM, ENOSPC, EIO)                            \
	X(int, unlink, (const char *path), (path), ENOMEM, EIO)                                                        \
	X(int, flock, (int fd, int what), (fd, what), EINTR, ENOMEM)                                                   \
	X(ssize_t, fgetxattr, (int fd, const char *name, void *at, size_t size), (fd, name, at, size), ENOMEM, EIO)    \
	X(int, fsetxattr, (int fd, const char *name, const void *at, size_t size, int flags),                          \
	  (fd, name, at, size, flags), ENOMEM, ENOSPC, EIO)                                                            \
	X(int, statx, (int fd, const char *path, int flags, unsigned mask, struct statx *ret),                         \
	  (fd, path, flags, mask, ret), ENOMEM, EIO)                                                                   \
	X(int, fsync, (int fd), (fd), EIO, ENOSPC)                                                                     \
	X(int, fdatasync, (int fd), (fd), EIO, ENOSPC)                                                                 \
	X(int, socket, (int domain, int type, int protocol), (domain, type, protocol), ENOMEM, EMFILE, ENFILE)         \
	X(int, bind, (int fd, const struct sockaddr *at, socklen_t size), (fd, at, size), ENOMEM, ENOSPC)              \
	X(int, listen, (int fd, int backlog), (fd, backlog), ENOMEM)                                                   \
	X(int, connect, (int fd, const struct sockaddr *at, socklen_t size), (fd, at, size), EINTR, EAGAIN, ENOMEM)    \
	X(ssize_t, send, (int fd, const void *at, size_t size, int flags), (fd, at, size, flags), EINTR, EAGAIN,       \
	  ENOMEM)                                                                                                      \
	X(int, poll, (struct pollfd *fds, nfds_t count, int ms), (fds, count, ms), EINTR, ENOMEM)                      \
	X(int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags), ENOMEM, EMFILE, ENFILE)           \
	X(int, timerfd_create, (int clock, int flags), (clock, flags), ENOMEM, EMFILE, ENFILE)                         \
	X(int, getsockopt, (int fd, int level, int name, void *at, socklen_t *size), (fd, level, name, at, size),      \
	  ENOMEM)                                                                                                      \
	X(int, madvise, (void *at, size_t size, int advice), (at, size, advice), ENOMEM, EAGAIN)

#define X(result, name, parameters, arguments, ...)                                                                    \
	EXPORT result name parameters                                                                                  \
	{                                                                                                              \
		NEXT(name);                                                                                            \
		return FAILS(__VA_ARGS__) ? -1 : next arguments;                                                       \
	}
CALLS(X)
#undef X

/* Eight bytes are an eventfd's, which is never full nor out of order. */
EXPORT ssize_t read(int fd, void *at, size_t size)
{
	bool fails;

	NEXT(read);
	if (size == sizeof(uint64_t))
		fails = FAILS(EINTR, EAGAIN);
	else
		fails = FAILS(EINTR, EAGAIN, EIO);
	return fails ? -1 : next(fd, at, size);
}

EXPORT ssize_t write(int fd, const void *at, size_t size)
{
	bool fails;

	NEXT(write);
	if (size == sizeof(uint64_t))
		fails = FAILS(EINTR);
	else
		fails = FAILS(EINTR, EAGAIN, EIO, ENOSPC);
	return fails ? -1 : next(fd, at, size);
}

EXPORT int setsockopt(int fd, int level, int name, const void *at, socklen_t size)
{
	enum { PASSRIGHTS = 83 };

	NEXT(setsockopt);
	if (page && page->old_kernel && level == SOL_SOCKET && name == PASSRIGHTS) {
		errno = ENOPROTOOPT;
		return -1;
	}
	return FAILS(ENOMEM) ? -1 : next(fd, level, name, at, size);
}

/* Only a wait can be interrupted. */
EXPORT int epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
	NEXT(epoll_wait);
	return ms != 0 && FAILS(EINTR) ? -1 : next(fd, events, most, ms);
}

static void linger(int fd)
{
	const int ms = page ? atomic_load(&page->close_ms) : 0;
	struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
	struct stat status;

	if (ms && fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode))
		nanosleep(&time, NULL);
}

/* Closed all the same, whatever it says. */
EXPORT int close(int fd)
{
	NEXT(close);
	linger(fd);
	int r = next(fd);

	return FAILS(EINTR, EIO) ? -1 : r;
}

/* Only what is added takes memory. */
EXPORT int epoll_ctl(int fd, int what, int of, struct epoll_event *event)
{
	NEXT(epoll_ctl);
	return what == EPOLL_CTL_ADD && FAILS(ENOMEM, ENOSPC) ? -1 : next(fd, what, of, event);
}

#define FCNTL(name)                                                                                                    \
	EXPORT int name(int fd, int command, ...)                                                                      \
	{                                                                                                              \
		va_list args;                                                                                          \
                                                                                                                       \
		NEXT(name);                                                                                            \
		va_start(args, command);                                                                               \
		void *argument = va_arg(args, void *);                                                                 \
		va_end(args);                                                                                          \
		return FAILS(ENOMEM, EMFILE) ? -1 : next(fd, command, argument);                                       \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

#define OPEN(name)                                                                                                     \
	EXPORT int name(const char *path, int flags, ...)                                                              \
	{                                                                                                              \
		va_list args;                                                                                          \
                                                                                                                       \
		NEXT(name);                                                                                            \
		va_start(args, flags);                                                                                 \
		mode_t mode = va_arg(args, mode_t);                                                                    \
		va_end(args);                                                                                          \
		return FAILS(EINTR, ENOMEM, EMFILE, ENFILE, ENOSPC, EIO) ? -1 : next(path, flags, mode);               \
	}
OPEN(open)
OPEN(open64)

EXPORT FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen);
	return FAILS(ENOMEM, EMFILE, ENFILE) ? NULL : next(path, mode);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *arg)
{
	NEXT(pthread_create);
	return FAILS(EAGAIN, ENOMEM) ? EAGAIN : next(thread, how, start, arg);
}

/* ------- clocks that are set ------- */

EXPORT int clock_gettime(clockid_t clock, struct timespec *ret)
{
	NEXT(clock_gettime);
	int r = next(clock, ret);

	if (page && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		ret->tv_sec += page->clock_jump_s;
	return r;
}

EXPORT int gettimeofday(struct timeval *restrict ret, void *restrict bump)
{
	NEXT(gettimeofday);
	int r = next(ret, bump);

	if (page)
		ret->tv_sec += page->clock_jump_s;
	return r;
}

EXPORT time_t time(time_t *ret)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}
