/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: memfds, from their seals to their holes. */
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/checked.h"
#include "reaper.h"

/* About a millisecond of punching, after which others get at the locks. */
enum { PIECE_BYTES = 8 << 20 };

struct arena {
	struct chore chore; /* first: the reaper's handle on it */
	void *base;
	uint64_t size;
	int fd;
	void (*gone)(void *arg, uint64_t size);
	void *arg;
};

static void take_down(struct chore *chore)
{
	struct arena *arena = (struct arena *)chore;

	for (uint64_t at = 0; at < arena->size; at += PIECE_BYTES)
		fallocate(arena->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, PIECE_BYTES);
	munmap(arena->base, arena->size);
	close(arena->fd);
	arena->gone(arena->arg, arena->size);
	free(arena);
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

	released->chore.run = take_down;
	reaper_post(&released->chore);
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
