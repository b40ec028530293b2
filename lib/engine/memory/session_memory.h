/* SPDX-License-Identifier: Apache-2.0 */
/* A session's memory: the tiles of one client in its arenas, its prepared calls, its open requests and its limits.
 *
 * The client may write an arena at any moment, so nothing in it is used as an index, a length or a bound: all
 * bookkeeping lies outside. Handles are never reused within a session. */
#ifndef TRNSCI_ENGINE_SESSION_MEMORY_H
#define TRNSCI_ENGINE_SESSION_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/value.h"
#include "engine/memory/session_limits.h"

struct engine;
struct session_memory;

/* On success *ret_memory is yours (one reference). 0 in a limit stands for its default. Returns 0 or -ERROR_NO_MEMORY.
 */
int session_memory_create(struct engine *engine, const struct session_limits *limits,
			  struct session_memory **ret_memory);

/* Adds an arena, a mapping that tiles are placed in: base on a page, size in bytes. Arenas are used in the order in
 * which they were added. release(arg) is called, on any thread, when it is detached or the last reference is gone.
 * *ret_arena (may be NULL) is its handle, which is never used again. Returns 0, -ERROR_LIMIT when no handle is left, or
 * -ERROR_NO_MEMORY. */
int session_memory_attach(struct session_memory *memory, void *base, size_t size, void (*release)(void *arg),
			  void *arg, uint32_t *ret_arena);
/* Releases an arena without tiles. Returns 0; or -ERROR_NOT_FOUND (no such arena) or -ERROR_OUT_OF_RANGE (it holds a
 * tile, or one that was freed and is still in use), with a text. Any thread. */
int session_memory_detach(struct session_memory *memory, uint64_t arena, struct error *err);

/* Returns the arena that got the last tile (0: none did, or it is gone), and the end of its furthest tile so far as an
 * offset into it. Any thread. */
uint32_t session_memory_reach(struct session_memory *memory, uint64_t *ret_reach);

/* Returns the bytes that tiles occupy. Any thread. */
uint64_t session_memory_bytes_used(struct session_memory *memory);

/* States whether nobody but this session makes requests: threads then join those that are computed in their caller's
 * thread, where the engine's threads linger. The thread that starts its requests calls it. */
void session_memory_set_alone(struct session_memory *memory, bool alone);
/* Returns whether they would join a request now. The same thread. */
bool session_memory_joins(const struct session_memory *memory);

/* Cancels running requests, rejects new ones and drops the owner's reference. Each running request holds a reference
 * and still calls its done callback. Accepts NULL. */
void session_memory_close(struct session_memory *memory);
/* Only cancels and rejects, without delay. session_memory_is_large then returns whether session_memory_close would take
 * long (many tiles or prepared calls). */
void session_memory_stop(struct session_memory *memory);
bool session_memory_is_large(struct session_memory *memory);

/* Puts arenas, bytes, bytes_used, tiles, prepared and jobs into map. Any thread. */
int session_memory_stats(struct session_memory *memory, struct bump *bump, struct value *map);

#endif
