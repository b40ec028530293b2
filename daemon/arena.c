/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas, and the thread that returns their memory. */
#include "arena.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/checked.h"

/* About a millisecond of punching, after which others get at the locks. */
enum { PIECE_BYTES = 8 << 20 };

struct arena {
	struct arena *next;
	void *base;
	uint64_t size;
	int fd;
	void (*gone)(void *arg, uint64_t size);
	void *arg;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	struct arena *waiting;
	bool stop;
} reaper = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static void take_down(struct arena *arena)
{
	for (uint64_t at = 0; at < arena->size; at += PIECE_BYTES)
		fallocate(arena->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, PIECE_BYTES);
	munmap(arena->base, arena->size);
	close(arena->fd);
	arena->gone(arena->arg, arena->size);
	free(arena);
}

static void *reap(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&reaper.lock);
	for (;;) {
		struct arena *arena = reaper.waiting;

		if (!arena && reaper.stop)
			break;
		if (!arena) {
			pthread_cond_wait(&reaper.wake, &reaper.lock);
			continue;
		}
		reaper.waiting = arena->next;
		pthread_mutex_unlock(&reaper.lock);
		take_down(arena);
		pthread_mutex_lock(&reaper.lock);
	}
	pthread_mutex_unlock(&reaper.lock);
	return NULL;
}

int arena_reaper_start(void)
{
	reaper.stop = false;
	return pthread_create(&reaper.thread, NULL, reap, NULL) ? -ERROR_SYSTEM : 0;
}

void arena_reaper_stop(void)
{
	pthread_mutex_lock(&reaper.lock);
	reaper.stop = true;
	pthread_cond_signal(&reaper.wake);
	pthread_mutex_unlock(&reaper.lock);
	pthread_join(reaper.thread, NULL);
}

uint64_t arena_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static int open_memfd(uint64_t size)
{
	int fd = memfd_create("trnsci-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
		int saved = errno;

		close(fd);
		return -saved;
	}
	return fd;
}

int arena_create(uint64_t size, void (*gone)(void *arg, uint64_t size), void *arg, struct arena **ret_arena,
		 struct error *err)
{
	struct arena *arena = malloc(sizeof *arena);
	void *base;
	int fd;

	if (!arena || round_up_overflows(size, arena_page(), &size)) {
		free(arena);
		return error_set(err, ERROR_NO_MEMORY, "arena: %" PRIu64 " bytes", size);
	}
	fd = open_memfd(size);
	if (fd < 0) {
		free(arena);
		return error_set(err, ERROR_SYSTEM, "arena: memfd of %" PRIu64 " bytes: %s", size, strerror(-fd));
	}
	base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (base == MAP_FAILED) {
		error_set(err, ERROR_SYSTEM, "arena: mapping %" PRIu64 " bytes: %s", size, strerror(errno));
		close(fd);
		free(arena);
		return -ERROR_SYSTEM;
	}
	*arena = (struct arena){.base = base, .size = size, .fd = fd, .gone = gone, .arg = arg};
	*ret_arena = arena;
	return 0;
}

void arena_release(void *arena)
{
	struct arena *released = arena;

	pthread_mutex_lock(&reaper.lock);
	released->next = reaper.waiting;
	reaper.waiting = released;
	pthread_cond_signal(&reaper.wake);
	pthread_mutex_unlock(&reaper.lock);
}

void *arena_base(const struct arena *arena)
{
	return arena->base;
}

uint64_t arena_size(const struct arena *arena)
{
	return arena->size;
}

int arena_fd(const struct arena *arena)
{
	return arena->fd;
}
