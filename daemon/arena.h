/* SPDX-License-Identifier: Apache-2.0 */
/* A session's shared memory: one memfd, sized once and sealed, mapped here before anybody else has it.
 *
 * The client can write it, punch holes in it and keep it mapped for ever; it cannot resize it or add seals. At the end
 * it is punched whole, by the reaper and piece by piece, so what a client keeps holds none of our memory. */
#ifndef TRNSCI_DAEMON_ARENA_H
#define TRNSCI_DAEMON_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct arena;

/* size is rounded up to pages. -ERROR_NO_MEMORY, -ERROR_SYSTEM. gone(arg) is called, by the reaper, when the arena's
 * memory has been returned. */
int arena_create(uint64_t size, void (*gone)(void *arg, uint64_t size), void *arg, struct arena **ret_arena,
		 struct error *err);

/* Hands the arena, a struct arena, to the reaper; nobody may touch it any more. Any thread. */
void arena_release(void *arena);

void *arena_base(const struct arena *arena);
uint64_t arena_size(const struct arena *arena);
uint64_t arena_page(void);
/* To be passed to the client; stays the arena's. */
int arena_fd(const struct arena *arena);

#endif
