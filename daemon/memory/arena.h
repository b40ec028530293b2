/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a session's shared memory: a memfd that is sized once, sealed, and mapped here before the client gets it.
 *
 * The client can write it, punch holes in it and keep it mapped for ever, but cannot resize it or add seals. When its
 * session ends, all its pages are freed in the background, so a mapping that a client keeps holds no memory; the last page
 * goes first, so a client that finds its own bytes there finds the whole content. When the daemon stops, the arena is left
 * as it is. */
#ifndef TRNSCI_DAEMON_ARENA_H
#define TRNSCI_DAEMON_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct arena;

/* A memfd that no client has used: mapped, pre-faulted, not sealed. */
struct arena_prefaulted {
	int fd;
	void *base;
	uint64_t bytes;
};

/* Makes an arena of size bytes, rounded up to pages. Takes prefaulted (or NULL) in any case. *ret_fd is the only
 * descriptor, for the client. gone(arg, size) is called on the background worker's thread when the memory has been
 * returned. Returns 0, -ERROR_NO_MEMORY or -ERROR_SYSTEM. */
int arena_create(uint64_t size, const struct arena_prefaulted *prefaulted, void (*gone)(void *arg, uint64_t size),
		 void *arg, struct arena **ret_arena, int *ret_fd, struct error *err);

/* Pre-faults the pages up to an offset, in the background. Call it on the loop's thread. */
void arena_prefault(struct arena *arena, uint64_t upto);

/* Parts of an arena, for prefault.c. The first returns an unsealed memfd or -errno, the second its mapping or MAP_FAILED;
 * the third pre-faults pages, as far as there is memory, and does not change their content. */
int arena_memfd(uint64_t size);
void *arena_map(int fd, uint64_t size);
void arena_populate(void *base, uint64_t size);

/* Leaves the pages to the client when the arena is released: the daemon stops. */
void arena_keep(struct arena *arena);

/* A session's arenas by their handles there, a list that begins at *list. */
void arena_list_add(struct arena **list, struct arena *arena, uint32_t handle);
struct arena *arena_list_find(struct arena *list, uint64_t handle); /* NULL: none */
struct arena *arena_list_next(const struct arena *arena);
void arena_list_remove(struct arena **list, uint64_t handle);

/* Frees the arena (a struct arena) in the background. Any thread. */
void arena_release(void *arena);

void *arena_base(const struct arena *arena);
uint64_t arena_size(const struct arena *arena);
uint64_t arena_page(void);
/* Returns the host's policy of huge pages for shared memory: "never", "advise", "always" ...; "unknown". The text is good until
 * this thread asks again. */
const char *arena_huge_pages(void);
#endif
