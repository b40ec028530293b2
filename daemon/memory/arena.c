/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: memfds, from their seals to the freeing of their pages. */
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
#include "base/huge_map.h"

/* One call of the kernel takes about a millisecond for PIECE_BYTES, and then lets others at its locks. */
enum { PIECE_BYTES = 8 << 20, POPULATE_BYTES = 256 << 10 };

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

struct arena {
	struct background_task free_task; /* must be the first member */
	struct background_task prefault_task;
	void *base;         /* our mapping, writable like the client's: the content is the client's at any moment */
	uint64_t size;      /* bytes, whole pages; constant */
	struct arena *next; /* of its session; this and handle are the loop's thread's */
	uint32_t handle;
	uint64_t prefaulted;     /* bytes, from the start; the background worker's once the arena is made */
	_Atomic uint64_t wanted; /* bytes that are to be pre-faulted; grows only, written by the loop's thread */
	atomic_bool posted;      /* prefault_task is queued, or runs and will read `wanted` again */
	bool kept;               /* its pages are left to the client; set before arena_release posts free_task */
	void (*gone)(void *arg, uint64_t size);
	void *arg;
};

/* Removes the pages from the memfd, whoever has it open. The last page first: PROTOCOL.md lets a client keep bytes of its own
 * there, by which it sees that the rest may be gone. If it may be part of a huge page, all of that goes first, at once: to
 * remove one page would break it up, into pages that are freed one by one. */
static void empty(char *base, uint64_t size)
{
	const uint64_t last = size - (size % HUGE_PAGE_BYTES ? arena_page() : HUGE_PAGE_BYTES);

	madvise(base + last, size - last, MADV_REMOVE);
	for (uint64_t at = 0; at < last; at += PIECE_BYTES)
		madvise(base + at, last - at < PIECE_BYTES ? last - at : PIECE_BYTES, MADV_REMOVE);
}

static void free_arena(struct background_task *task)
{
	struct arena *arena = (struct arena *)task;

	if (!arena->kept)
		empty(arena->base, arena->size);
	munmap(arena->base, arena->size);
	arena->gone(arena->arg, arena->size);
	free(arena);
}

uint64_t arena_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The file holds "always within_size advise [never] deny force": the policy is the word in brackets. */
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

/* MADV_HUGEPAGE has an effect where the host's shmem_enabled is "advise" or more. */
void *arena_map(int fd, uint64_t size)
{
	void *base = huge_map(size, MAP_SHARED | MAP_NORESERVE, fd);

	if (base != MAP_FAILED)
		madvise(base, size, MADV_HUGEPAGE);
	return base;
}

/* Makes pages of the system's size. Kernels before 5.14 refuse it: pages are then made by their first use. */
static void populate_small(char *base, uint64_t from, uint64_t to)
{
	for (uint64_t at = from; at < to; at += POPULATE_BYTES) {
		const uint64_t size = to - at < POPULATE_BYTES ? to - at : POPULATE_BYTES;

		if (madvise(base + at, size, MADV_POPULATE_WRITE) < 0)
			return;
	}
}

/* Makes one huge page of all the pages here, of which there must be one. MADV_COLLAPSE does not ask shmem_enabled, which is
 * "never" on most hosts. Kernels before 6.1 refuse it, and all do while memory is short or a page is in use. */
static bool populate_huge(char *at)
{
	return madvise(at, (size_t)arena_page(), MADV_POPULATE_WRITE) == 0 &&
	       madvise(at, HUGE_PAGE_BYTES, MADV_COLLAPSE) == 0;
}

/* Does not change the content. Begins with the huge page that an earlier call left unfinished, and makes one of which half is
 * wanted; it is mapped once it is made. The first refusal ends the search for huge pages, since the kernel looks long for them
 * where memory is fragmented. size: of the mapping. */
static void populate(char *base, uint64_t size, uint64_t from, uint64_t to)
{
	bool huge = true;

	for (uint64_t at = from - from % HUGE_PAGE_BYTES; at < to; at += HUGE_PAGE_BYTES) {
		const uint64_t end = to - at < HUGE_PAGE_BYTES ? to : at + HUGE_PAGE_BYTES;

		huge = huge && end - at >= HUGE_PAGE_BYTES / 2 && size - at >= HUGE_PAGE_BYTES && populate_huge(base + at);
		if (!huge)
			populate_small(base, at < from ? from : at, end);
	}
}

/* Returns how much of an arena is likely to be used: clients make a last huge page whole of which they need half. */
static uint64_t likely_used(uint64_t size)
{
	return size % HUGE_PAGE_BYTES ? size : size - HUGE_PAGE_BYTES / 2;
}

void arena_populate(void *base, uint64_t size)
{
	populate(base, size, 0, likely_used(size));
}

/* SHRINK: a client could truncate the file, and our next access would end in SIGBUS. GROW: it could make pages that are not
 * charged. SEAL: it could add FUTURE_WRITE, and the pages could not be removed any more. */
static int seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0 ? -errno : 0;
}

static int fail_mapping(uint64_t size, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "arena: mapping %" PRIu64 " bytes: %s", size, strerror(errno));
}

static int make_new(uint64_t size, struct arena *arena, int *ret_fd, struct error *err)
{
	int fd = arena_memfd(size), r = fd < 0 ? fd : seal(fd);

	if (r < 0) {
		if (fd >= 0)
			close(fd);
		return error_set(err, ERROR_SYSTEM, "arena: memfd of %" PRIu64 " bytes: %s", size, strerror(-r));
	}
	arena->base = arena_map(fd, size);
	if (arena->base == MAP_FAILED) {
		r = fail_mapping(size, err);
		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

/* Resizes the pre-faulted memory to what was asked for. */
static int make_of_prefaulted(uint64_t size, const struct arena_prefaulted *prefaulted, struct arena *arena, int *ret_fd,
			      struct error *err)
{
	void *base = MAP_FAILED;

	if (ftruncate(prefaulted->fd, (off_t)size) == 0 && seal(prefaulted->fd) == 0)
		base = huge_remap(prefaulted->base, prefaulted->bytes, size);
	if (base == MAP_FAILED) {
		int r = fail_mapping(size, err);

		munmap(prefaulted->base, prefaulted->bytes);
		close(prefaulted->fd);
		return r;
	}
	madvise(base, size, MADV_HUGEPAGE);
	arena->base = base;
	*ret_fd = prefaulted->fd;
	arena->prefaulted = likely_used(prefaulted->bytes);
	atomic_init(&arena->wanted, arena->prefaulted);
	return 0;
}

int arena_create(uint64_t size, const struct arena_prefaulted *prefaulted, void (*gone)(void *arg, uint64_t size), void *arg,
		 struct arena **ret_arena, int *ret_fd, struct error *err)
{
	struct arena *arena = calloc(1, sizeof *arena);
	int r;

	if (!arena || round_up_overflows(size, arena_page(), &size))
		r = error_set(err, ERROR_NO_MEMORY, "arena: %" PRIu64 " bytes", size);
	else
		r = prefaulted ? make_of_prefaulted(size, prefaulted, arena, ret_fd, err)
			       : make_new(size, arena, ret_fd, err);
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

/* Runs on the background worker's thread, always before free_arena.
 *
 * The loop stores `wanted` and then looks at `posted`; this stores `posted` and then looks at `wanted`. Both are sequentially
 * consistent, so at least one of the two sees the other's store: no request is lost, and the task is never queued twice. */
static void prefault_pages(struct background_task *task)
{
	struct arena *arena = (struct arena *)((char *)task - offsetof(struct arena, prefault_task));
	uint64_t upto;

	do {
		upto = atomic_load(&arena->wanted);
		if (upto > arena->prefaulted)
			populate(arena->base, arena->size, arena->prefaulted, upto);
		arena->prefaulted = upto > arena->prefaulted ? upto : arena->prefaulted;
		atomic_store(&arena->posted, false);
	} while (atomic_load(&arena->wanted) > arena->prefaulted && !atomic_exchange(&arena->posted, true));
}

void arena_prefault(struct arena *arena, uint64_t upto)
{
	upto = upto < arena->size ? upto : arena->size;
	if (upto <= atomic_load(&arena->wanted))
		return;
	atomic_store(&arena->wanted, upto);
	if (atomic_exchange(&arena->posted, true))
		return;
	arena->prefault_task.run = prefault_pages;
	background_post(&arena->prefault_task);
}

void arena_keep(struct arena *arena)
{
	arena->kept = true;
}

void arena_list_add(struct arena **list, struct arena *arena, uint32_t handle)
{
	arena->handle = handle;
	arena->next = *list;
	*list = arena;
}

struct arena *arena_list_find(struct arena *list, uint64_t handle)
{
	while (list && list->handle != handle)
		list = list->next;
	return list;
}

struct arena *arena_list_next(const struct arena *arena)
{
	return arena->next;
}

void arena_list_remove(struct arena **list, uint64_t handle)
{
	while (*list && (*list)->handle != handle)
		list = &(*list)->next;
	if (*list)
		*list = (*list)->next;
}

void arena_release(void *arena)
{
	struct arena *released = arena;

	released->free_task.run = free_arena;
	background_post(&released->free_task);
}

void *arena_base(const struct arena *arena)
{
	return arena->base;
}

uint64_t arena_size(const struct arena *arena)
{
	return arena->size;
}
