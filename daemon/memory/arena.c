/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: memfds, from their seals to their holes. */
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "background.h"
#include "base/checked.h"

/* About a millisecond of punching, after which others get at the locks. */
enum { PIECE_BYTES = 8 << 20, TOUCH_BYTES = 256 << 10 };

struct arena {
	struct background_task task; /* first: the reaper's handle on it */
	struct background_task touching;
	void *base;
	uint64_t size;
	int fd;
	uint64_t touched;        /* the reaper's, but for the beginning */
	_Atomic uint64_t wanted; /* to be touched up to here */
	atomic_bool posted;
	bool kept; /* its pages are the client's */
	void (*gone)(void *arg, uint64_t size);
	void *arg;
};

static void take_down(struct background_task *task)
{
	struct arena *arena = (struct arena *)task;

	for (uint64_t at = 0; at < arena->size && !arena->kept; at += PIECE_BYTES)
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

/* The word in brackets: "always within_size advise [never] deny force". */
const char *arena_huge_pages(void)
{
	static _Thread_local char line[128];
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "re");
	const char *word = file && fgets(line, sizeof line, file) ? strchr(line, '[') : NULL;

	if (file)
		fclose(file);
	if (!word)
		return "unknown";
	line[strcspn(line, "]")] = '\0';
	return word + 1;
}

int arena_memfd(uint64_t size)
{
	int fd = memfd_create("trnsci-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) < 0) {
		int saved = errno;

		close(fd);
		return -saved;
	}
	return fd;
}

/* Huge pages are taken where the host offers them: shmem_enabled is "advise" or more. */
void *arena_map(int fd, uint64_t size)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

	if (base != MAP_FAILED)
		madvise(base, size, MADV_HUGEPAGE);
	return base;
}

/* Neither changes what is there; the second makes pages without mapping them, for kernels before 5.14. */
void arena_touch(int fd, void *base, uint64_t from, uint64_t to)
{
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
	for (uint64_t at = from; at < to; at += TOUCH_BYTES) {
		const uint64_t size = to - at < TOUCH_BYTES ? to - at : TOUCH_BYTES;

		if (madvise((char *)base + at, size, MADV_POPULATE_WRITE) < 0 &&
		    fallocate(fd, 0, (off_t)at, (off_t)size) < 0)
			return;
	}
}

static int seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0 ? -errno : 0;
}

static int no_mapping(uint64_t size, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "arena: mapping %" PRIu64 " bytes: %s", size, strerror(errno));
}

static int make_fresh(uint64_t size, struct arena *arena, struct error *err)
{
	int fd = arena_memfd(size), r = fd < 0 ? fd : seal(fd);

	if (r < 0) {
		if (fd >= 0)
			close(fd);
		return error_set(err, ERROR_SYSTEM, "arena: memfd of %" PRIu64 " bytes: %s", size, strerror(-r));
	}
	arena->base = arena_map(fd, size);
	if (arena->base == MAP_FAILED) {
		r = no_mapping(size, err);
		close(fd);
		return r;
	}
	arena->fd = fd;
	return 0;
}

/* The spare becomes as large as is wanted. */
static int make_of_spare(uint64_t size, const struct arena_prefaulted *spare, struct arena *arena, struct error *err)
{
	void *base = MAP_FAILED;

	if (ftruncate(spare->fd, (off_t)size) == 0 && seal(spare->fd) == 0)
		base = mremap(spare->base, spare->bytes, size, MREMAP_MAYMOVE);
	if (base == MAP_FAILED) {
		int r = no_mapping(size, err);

		munmap(spare->base, spare->bytes);
		close(spare->fd);
		return r;
	}
	madvise(base, size, MADV_HUGEPAGE);
	arena->base = base;
	arena->fd = spare->fd;
	arena->touched = spare->bytes < size ? spare->bytes : size;
	atomic_init(&arena->wanted, arena->touched);
	return 0;
}

int arena_create(uint64_t size, const struct arena_prefaulted *spare, void (*gone)(void *arg, uint64_t size), void *arg,
		 struct arena **ret_arena, struct error *err)
{
	struct arena *arena = calloc(1, sizeof *arena);
	int r;

	if (!arena || round_up_overflows(size, arena_page(), &size))
		r = error_set(err, ERROR_NO_MEMORY, "arena: %" PRIu64 " bytes", size);
	else
		r = spare ? make_of_spare(size, spare, arena, err) : make_fresh(size, arena, err);
	if (r < 0) {
		free(arena);
		return r;
	}
	arena->size = size;
	arena->gone = gone;
	arena->arg = arg;
	*ret_arena = arena;
	return 0;
}

/* By the reaper, before it can come to take_down. */
static void touch(struct background_task *task)
{
	struct arena *arena = (struct arena *)((char *)task - offsetof(struct arena, touching));
	uint64_t upto;

	do {
		upto = atomic_load(&arena->wanted);
		if (upto > arena->touched)
			arena_touch(arena->fd, arena->base, arena->touched, upto);
		arena->touched = upto > arena->touched ? upto : arena->touched;
		atomic_store(&arena->posted, false);
	} while (atomic_load(&arena->wanted) > arena->touched && !atomic_exchange(&arena->posted, true));
}

void arena_want(struct arena *arena, uint64_t upto)
{
	upto = upto < arena->size ? upto : arena->size;
	if (upto <= atomic_load(&arena->wanted))
		return;
	atomic_store(&arena->wanted, upto);
	if (atomic_exchange(&arena->posted, true))
		return;
	arena->touching.run = touch;
	background_post(&arena->touching);
}

void arena_keep(struct arena *arena)
{
	arena->kept = true;
}

/* Never fails: the memfd is ours. */
void arena_mark(struct arena *arena)
{
	fchmod(arena->fd, 0);
}

void arena_release(void *arena)
{
	struct arena *released = arena;

	released->task.run = take_down;
	background_post(&released->task);
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
