/* SPDX-License-Identifier: Apache-2.0 */
/* Temporaries: memory of requests that may be large. Giving back a large one takes the system far longer than a chunk
 * may (0.7 us a page), so it is done in pieces by a job of its own. */
#ifndef TRNSCI_ENGINE_TEMP_H
#define TRNSCI_ENGINE_TEMP_H

#include <stdint.h>

#include "engine/engine_core.h"

/* Uninitialised, aligned to 64; NULL when memory cannot be had. Any thread. */
void *temp_alloc(uint64_t bytes);

/* bytes: as allocated. Returns at once. Accepts NULL. Any thread, while the engine lives. */
void temp_free(struct engine *engine, void *temp, uint64_t bytes);

#endif
