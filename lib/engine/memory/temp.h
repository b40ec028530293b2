/* SPDX-License-Identifier: Apache-2.0 */
/* Work memory: temporaries of requests, which may be large.
 *
 * What was used is kept for those that follow, so that a call in steady state asks the system for nothing: a new page
 * costs 0.2 to 3 us. Blocks come in sizes of eight to an octave, and one is used again for its own size. They are given
 * back when all kept ones pass the bound, the least recently used first, or after 10 s without use: in pieces, by a job
 * of their own, since that takes far longer than a chunk may (0.7 us a page). */
#ifndef TRNSCI_ENGINE_TEMP_H
#define TRNSCI_ENGINE_TEMP_H

#include <stdint.h>

#include "engine/engine_core.h"

struct temps;

/* bound_bytes: of what is kept. -ERROR_NO_MEMORY */
int temps_create(struct engine *engine, uint64_t bound_bytes, struct temps **ret_temps);
/* Unmaps what is kept. Results that outlive the engine keep the structure alive. Accepts NULL; the pool must be gone.
 */
void temps_destroy(struct temps *temps);

/* Returns uninitialised memory, aligned to 64, with whatever an earlier request left there; NULL: no memory. Any
 * thread. */
void *temp_alloc(struct engine *engine, uint64_t bytes);

/* Gives memory back. bytes: as allocated. Never blocks on the system: large blocks are unmapped by a job. Accepts NULL.
 * Any thread, while the engine lives. */
void temp_free(struct engine *engine, void *temp, uint64_t bytes);

/* The same, but it is freed with the bump allocator, also when the engine is gone by then. */
void *temp_alloc_result(struct engine *engine, struct bump *bump, uint64_t bytes);

/* For pool_set_idle: gives back what was not used for 10 s. Returns when to call it again, in nanoseconds from at_ns;
 * 0: nothing is kept. */
uint64_t temps_drop_unused(void *temps, uint64_t at_ns);

/* Puts the map `work_memory` {bytes, bound, hits, misses} into map: bytes that are kept. */
int temps_stats(struct temps *temps, struct bump *bump, struct value *map);

#endif
