/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a session's arenas. */
#include "arena.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Any value but 0, which an emptied page holds. */
#define TRAILER UINT64_C(0x6d61726b6564)

static _Atomic uint64_t *trailer_of(const struct arena *arena)
{
	return (_Atomic uint64_t *)(void *)(arena->base + arena->size - ARENA_RESERVE);
}

void arena_write_trailer(struct arena *arena)
{
	*trailer_of(arena) = TRAILER;
}

bool arena_has_trailer(const struct arena *arena)
{
	atomic_thread_fence(memory_order_acquire); /* after the reads of the tile */
	return *trailer_of(arena) == TRAILER;
}

void arena_add(struct trnsci_session *session, struct arena *arena)
{
	struct arena **link = &session->arenas;

	while (*link)
		link = &(*link)->next;
	*link = arena;
	arena->next = NULL;
}

struct arena *arena_find(const struct trnsci_session *session, uint64_t handle)
{
	struct arena *arena = session->arenas;

	while (arena && arena->handle != handle)
		arena = arena->next;
	return arena;
}

void arena_remove(struct trnsci_session *session, struct arena *arena)
{
	struct arena **link = &session->arenas;

	while (*link != arena)
		link = &(*link)->next;
	*link = arena->next;
	arena_free(arena);
}

void arena_remove_all(struct trnsci_session *session)
{
	while (session->arenas)
		arena_remove(session, session->arenas);
}

void arena_unmap(struct arena *arena)
{
	if (arena->fd < 0)
		return;
	munmap(arena->base, arena->size);
	close(arena->fd);
	arena->fd = -1;
	arena->base = NULL;
}

void arena_free(struct arena *arena)
{
	if (arena)
		arena_unmap(arena);
	free(arena);
}
