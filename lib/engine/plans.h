/* SPDX-License-Identifier: Apache-2.0 */
/* The plan cache: each plan is made once, by the pool's threads, and shared by all clients. */
#ifndef TRNSCI_ENGINE_PLANS_H
#define TRNSCI_ENGINE_PLANS_H

#include "engine/core.h"
#include "fft/fft.h"

struct plans;

/* bound_bytes: of the plans kept while nobody uses them. -ERROR_NO_MEMORY. */
int plans_create(struct engine *engine, size_t bound_bytes, struct plans **ret_plans);
void plans_destroy(struct plans *plans); /* accepts NULL; the pool must be gone */

/* Puts the map `plans` {count, bytes, bound, hits, misses} into map. */
int plans_stats(struct plans *plans, struct zone *zone, struct value *map);

#endif
