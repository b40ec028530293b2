/* SPDX-License-Identifier: Apache-2.0 */
/* A session's memory: the tiles of one client in one mapping, its prepared calls, its open requests and its limits.
 *
 * The client may write the mapping at any moment, so nothing in it is used as an index, a length or a bound: all
 * bookkeeping lies outside. Handles are never reused within a session. */
#ifndef TRNSCI_ENGINE_SESSION_MEMORY_H
#define TRNSCI_ENGINE_SESSION_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/memory/session_limits.h"

struct space;

/* On success *ret_space is yours (one reference). */
int space_create(struct engine *engine, const struct space_limits *limits, struct space **ret_space);

/* Gives the space its memory, once: base aligned to a page. release(arg) is called, on any thread, when the space's
 * last reference is gone. -ERROR_LIMIT when it has memory already. */
int space_attach(struct space *space, void *base, size_t size, void (*release)(void *arg), void *arg);

/* Returns the end of the furthest tile so far, as an offset. Any thread. */
uint64_t space_reach(struct space *space);

/* Returns the bytes that its tiles occupy. Any thread. */
uint64_t space_bytes_used(struct space *space);

/* Cancels running requests, rejects new ones and drops the owner's reference. Each running request holds a reference
 * and still calls its done callback. Accepts NULL. */
void space_close(struct space *space);
/* Only cancels and rejects, without delay. Then space_is_large says whether space_close would take long (many tiles or
 * prepared calls). */
void space_stop(struct space *space);
bool space_is_large(struct space *space);

/* Puts the space's figures into map: bytes, bytes_used, tiles, prepared, jobs. Any thread. */
int space_stats(struct space *space, struct bump *bump, struct value *map);

#endif
