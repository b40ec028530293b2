/* SPDX-License-Identifier: Apache-2.0 */
/* A session's memory: the tiles of one client in its arenas, its prepared calls, its open requests and its limits.
 *
 * The client may write an arena at any moment, so nothing in it is used as an index, a length or a bound: all
 * bookkeeping lies outside. Handles are never reused within a session. */
#ifndef TRNSCI_ENGINE_ENGINE_SESSION_H
#define TRNSCI_ENGINE_ENGINE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/value.h"
#include "engine/memory/session_owner.h"

struct engine;
struct engine_session;

/* On success *ret_memory is yours (one reference). 0 in a limit stands for its default. Returns 0 or -ERROR_NO_MEMORY.
 */
int engine_session_create(struct engine *engine, const struct session_owner *limits,
			  struct engine_session **ret_memory);

/* Adds an arena, a mapping that tiles are placed in: base on a page, size in bytes. Arenas are used in the order in
 * which they were added. release(arg) is called, on any thread, when it is detached or the last reference is gone.
 * *ret_arena (may be NULL) is its handle, which is never used again. Returns 0, -ERROR_LIMIT when no handle is left, or
 * -ERROR_NO_MEMORY. */
int engine_session_attach(struct engine_session *session, void *base, size_t size, void (*release)(void *arg),
			  void *arg, uint32_t *ret_arena);
/* Releases an arena without tiles. Returns 0; or -ERROR_NOT_FOUND (no such arena) or -ERROR_OUT_OF_RANGE (it holds a
 * tile, or one that was freed and is still in use), with a text. Any thread. */
int engine_session_detach(struct engine_session *session, uint64_t arena, struct error *err);

/* Returns the arena that got the last tile (0: none did, or it is gone), and the end of its furthest tile so far as an
 * offset into it. Any thread. */
uint32_t engine_session_reach(struct engine_session *session, uint64_t *ret_reach);

/* Returns the bytes that tiles occupy. Any thread. */
uint64_t engine_session_bytes_used(struct engine_session *session);

/* States whether nobody but this session makes requests: threads then join those that are computed in their caller's
 * thread, where the engine's threads linger. The thread that starts its requests calls it. */
void engine_session_set_sole_client(struct engine_session *session, bool sole_client);
/* Returns whether they would join a request now. The same thread. */
bool engine_session_shares_threads(const struct engine_session *session);

/* Cancels running requests, rejects new ones and drops the owner's reference. Each running request holds a reference
 * and still calls its done callback. Accepts NULL. */
void engine_session_close(struct engine_session *session);
/* Only cancels and rejects, without delay. engine_session_is_large then returns whether engine_session_close would take
 * long (many tiles or prepared calls). */
void engine_session_stop(struct engine_session *session);
bool engine_session_is_large(struct engine_session *session);

/* Puts arenas, bytes, bytes_used, tiles, prepared and jobs into map. Any thread. */
int engine_session_stats(struct engine_session *session, struct bump *bump, struct value *map);

#endif
