/* SPDX-License-Identifier: Apache-2.0 */
/* A session's shared memory: one memfd, sized once and sealed, mapped here before anybody else has it.
 *
 * The client can write it, punch holes in it and keep it mapped for ever; it cannot resize it or add seals. When its
 * session ends it is marked and then punched whole, by the reaper and piece by piece, so what a client keeps holds none
 * of our memory. When the daemon ends it is left as it is. */
#ifndef TRNSCI_DAEMON_ARENA_H
#define TRNSCI_DAEMON_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct arena;

/* A memfd that no client has had: mapped, touched, not sealed. */
struct arena_prefaulted {
	int fd;
	void *base;
	uint64_t bytes;
};

/* size is rounded up to pages. spare (or NULL) is taken, whatever happens. -ERROR_NO_MEMORY, -ERROR_SYSTEM. gone(arg) is
 * called, by the reaper, when the arena's memory has been returned. */
int arena_create(uint64_t size, const struct arena_prefaulted *spare, void (*gone)(void *arg, uint64_t size), void *arg, struct arena **ret_arena,
		 struct error *err);

/* Its pages up to there shall be there before they are needed: the reaper touches them. The loop's thread. */
void arena_want(struct arena *arena, uint64_t upto);

/* For spares: an unsealed memfd, or -errno; its mapping, or MAP_FAILED; and its pages, made without changing what they
 * hold, as far as memory can be had. */
int arena_memfd(uint64_t size);
void *arena_map(int fd, uint64_t size);
void arena_touch(int fd, void *base, uint64_t from, uint64_t to);

/* Before arena_release. The daemon stops: the pages stay, and are the client's. */
void arena_keep(struct arena *arena);
/* Before arena_release, while the session's socket is still open: the memfd's mode becomes 0. So a client that finds
 * the connection closed can see whether its content stays. */
void arena_mark(struct arena *arena);

/* Hands the arena, a struct arena, to the reaper; nobody may touch it any more. Any thread. */
void arena_release(void *arena);

void *arena_base(const struct arena *arena);
uint64_t arena_size(const struct arena *arena);
uint64_t arena_page(void);
/* What the host says of huge pages for shared memory: "never", "advise", "always" ...; "unknown". */
const char *arena_huge_pages(void);
/* To be passed to the client; stays the arena's. */
int arena_fd(const struct arena *arena);

#endif
