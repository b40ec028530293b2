/* SPDX-License-Identifier: Apache-2.0 */
/* The members of struct engine, private to lib/engine. */
#ifndef TRNSCI_ENGINE_ENGINE_CORE_H
#define TRNSCI_ENGINE_ENGINE_CORE_H

#include "distributions/draw/draw.h"
#include "engine/scheduler/cost.h"
#include "engine/scheduler/lane.h"
#include "engine/scheduler/pool.h"

struct plans;
struct filters;
struct temps;

enum { ENGINE_COSTS = 1024 }; /* at least as many as there are rows of costs */

/* All but lanes, costs and what the pointers lead to is constant once the engine has been created. */
struct engine {
	uint32_t features;           /* cpu_feature bits that kernels may use */
	uint64_t instance;           /* of the daemon; 0: none */
	size_t near_bytes;           /* of the cache that a core has for itself */
	bool has_victim_l3;          /* what leaves it is soon back (scheduler/cpus.h) */
	struct draw_kernels kernels; /* chosen once, by features */
	struct lane lanes[ENGINE_LANES]; /* counters; several threads may count on one lane */
	struct pool *pool;           /* owned, as plans, filters and temps */
	struct plans *plans;         /* tables of transforms, shared by all sessions */
	struct filters *filters;     /* of coloured noise, likewise */
	struct temps *temps;         /* work memory between runs */
	struct cost costs[ENGINE_COSTS]; /* learned from chunks as they run; they never choose bytes */
};

#endif
