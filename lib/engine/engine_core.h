/* SPDX-License-Identifier: Apache-2.0 */
/* The members of struct engine, private to lib/engine. */
#ifndef TRNSCI_ENGINE_ENGINE_CORE_H
#define TRNSCI_ENGINE_ENGINE_CORE_H

#include "dist/draw/draw.h"
#include "engine/scheduler/cost.h"
#include "engine/scheduler/lane.h"
#include "engine/scheduler/pool.h"

struct plans;
struct temps;

enum { ENGINE_COSTS = 1024 };

struct engine {
	uint32_t features;
	uint64_t instance;
	struct draw_kernels kernels;
	struct lane lanes[ENGINE_LANES];
	struct pool *pool;
	struct plans *plans;
	struct temps *temps;
	struct cost costs[ENGINE_COSTS]; /* by enum cost_row */
};

#endif
