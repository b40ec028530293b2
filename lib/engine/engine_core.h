/* SPDX-License-Identifier: Apache-2.0 */
/* The members of struct engine, private to lib/engine. */
#ifndef TRNSCI_ENGINE_ENGINE_CORE_H
#define TRNSCI_ENGINE_ENGINE_CORE_H

#include "dist/draw/draw.h"
#include "engine/scheduler/lane.h"
#include "engine/scheduler/pool.h"

struct plans;

struct engine {
	uint32_t features;
	uint64_t instance;
	struct draw_kernels kernels;
	struct lane lanes[ENGINE_LANES];
	struct pool *pool;
	struct plans *plans;
};

#endif
