/* SPDX-License-Identifier: Apache-2.0 */
/* A session's shared memory: a memfd that is sized once, sealed, and mapped here before the client gets it.
 *
 * The client can write it, punch holes in it and keep it mapped for ever, but cannot resize it or add seals. When its
 * session ends, the arena is marked and all its pages are freed in the background, so a mapping that a client keeps holds
 * no memory. When the daemon stops, the arena is left as it is. */
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

/* Makes an arena of size bytes, rounded up to pages. Takes prefaulted (or NULL) in any case. gone(arg, size) is called on
 * the background worker's thread when the memory has been returned. Returns 0, -ERROR_NO_MEMORY or -ERROR_SYSTEM. */
int arena_create(uint64_t size, const struct arena_prefaulted *prefaulted, void (*gone)(void *arg, uint64_t size),
		 void *arg, struct arena **ret_arena, struct error *err);

/* Pre-faults the pages up to an offset, in the background. Call it on the loop's thread. */
void arena_prefault(struct arena *arena, uint64_t upto);

/* Parts of an arena, for prefault.c. The first returns an unsealed memfd or -errno, the second its mapping or MAP_FAILED;
 * the third pre-faults pages, as far as there is memory, and does not change their content. */
int arena_memfd(uint64_t size);
void *arena_map(int fd, uint64_t size);
void arena_populate(int fd, void *base, uint64_t from, uint64_t to);

/* Leaves the pages to the client when the arena is released: the daemon stops. */
void arena_keep(struct arena *arena);
/* Sets the memfd's mode to 0. Call it while the session's socket is still open: a client that finds its connection closed
 * sees by the mode whether the content stays. */
void arena_mark(struct arena *arena);

/* Frees the arena (a struct arena) in the background. Any thread. */
void arena_release(void *arena);

void *arena_base(const struct arena *arena);
uint64_t arena_size(const struct arena *arena);
uint64_t arena_page(void);
/* Returns the host's policy of huge pages for shared memory: "never", "advise", "always" ...; "unknown". */
const char *arena_huge_pages(void);
/* Returns the arena's own descriptor: duplicate it to pass it on. */
int arena_fd(const struct arena *arena);

#endif
