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

struct session_memory;

/* On success *ret_memory is yours (one reference). 0 in a limit stands for its default. Returns 0 or -ERROR_NO_MEMORY. */
int session_memory_create(struct engine *engine, const struct session_limits *limits,
			  struct session_memory **ret_memory);

/* Attaches the mapping that tiles are placed in, once: base on a page, size in bytes. release(arg) is called, on any
 * thread, when the last reference is gone. Returns 0, or -ERROR_LIMIT when a mapping is attached already. */
int session_memory_attach(struct session_memory *memory, void *base, size_t size, void (*release)(void *arg),
			  void *arg);

/* Returns the end of the furthest tile so far, as an offset into the mapping. Any thread. */
uint64_t session_memory_reach(struct session_memory *memory);

/* Returns the bytes that tiles occupy. Any thread. */
uint64_t session_memory_bytes_used(struct session_memory *memory);

/* Cancels running requests, rejects new ones and drops the owner's reference. Each running request holds a reference
 * and still calls its done callback. Accepts NULL. */
void session_memory_close(struct session_memory *memory);
/* Only cancels and rejects, without delay. session_memory_is_large then returns whether session_memory_close would take
 * long (many tiles or prepared calls). */
void session_memory_stop(struct session_memory *memory);
bool session_memory_is_large(struct session_memory *memory);

/* Puts bytes, bytes_used, tiles, prepared and jobs into map. Any thread. */
int session_memory_stats(struct session_memory *memory, struct bump *bump, struct value *map);

#endif
