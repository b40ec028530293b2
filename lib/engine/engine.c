/* SPDX-License-Identifier: Apache-2.0 */
/* Creates and destroys the engine's parts, and reports its figures. */
#include "engine/engine.h"

#include <stdlib.h>

#include "base/cpu.h"
#include "engine/engine_core.h"
#include "engine/scheduler/cpus.h"
#include "engine/scheduler/pool_caller.h"
#include "engine/steps/filter_cache.h"
#include "engine/steps/plan_cache.h"
#include "engine/memory/temp.h"

/* A thread's scratch: element-wise steps use 192 KiB of it, transforms what their plan says; only what is used is ever
 * touched, so that it stays within half of second-level cache. */
enum { PLAN_CACHE_BYTES = 256 << 20, WORK_MEMORY_BYTES = 288 << 20, SCRATCH_BYTES = 1 << 20 };

int engine_create(const struct engine_settings *settings, struct engine **ret_engine, struct error *err)
{
	const unsigned threads = settings->threads ? settings->threads : cpus_usable();
	const size_t plan_bytes = settings->plan_cache_bytes ? settings->plan_cache_bytes : PLAN_CACHE_BYTES;
	struct engine *engine;
	int error;

	if (threads > ENGINE_LANES)
		return error_set(err, ERROR_OUT_OF_RANGE, "threads: got %u, allowed is 1 to %d, or 0 for all CPUs",
				 threads, ENGINE_LANES);
	engine = aligned_alloc(_Alignof(struct engine), sizeof *engine);
	if (!engine)
		return error_set(err, ERROR_NO_MEMORY, "engine: no memory");
	*engine = (struct engine){.features = settings->features,
				  .instance = settings->instance,
				  .near_bytes = cpus_cache_bytes(),
				  .has_victim_l3 = cpus_have_victim_l3()};
	draw_select(engine->features, &engine->kernels);
	error = pool_create(threads, SCRATCH_BYTES, engine->lanes, &engine->pool);
	if (!error && settings->pin)
		pool_pin(engine->pool);
	if (!error)
		error = plans_create(engine, plan_bytes, &engine->plans);
	if (!error)
		error = filters_create(plan_bytes / 4, &engine->filters);
	if (!error)
		error = temps_create(engine, settings->work_memory_bytes ? settings->work_memory_bytes : WORK_MEMORY_BYTES,
				     &engine->temps);
	if (!error)
		pool_set_idle(engine->pool, temps_drop_unused, engine->temps);
	if (error) {
		engine_destroy(engine);
		return error_set(err, (enum error_code) - error, "threads: %u threads could not be started", threads);
	}
	*ret_engine = engine;
	return 0;
}

void engine_destroy(struct engine *engine)
{
	if (!engine)
		return;
	pool_destroy(engine->pool);
	plans_destroy(engine->plans);
	filters_destroy(engine->filters);
	temps_destroy(engine->temps);
	free(engine);
}

void engine_set_linger(struct engine *engine, uint64_t most_ns)
{
	pool_set_linger(engine->pool, most_ns);
}

bool engine_is_busy(const struct engine *engine)
{
	return pool_is_busy(engine->pool);
}

static int put_jobs(struct engine *engine, struct bump *bump, struct value *map)
{
	struct value jobs = value_map();
	uint64_t running, finished;

	pool_counts(engine->pool, &running, &finished);
	if (value_put(bump, &jobs, "running", value_uint(running)) ||
	    value_put(bump, &jobs, "finished", value_uint(finished)))
		return -ERROR_NO_MEMORY;
	return value_put(bump, map, "jobs", jobs);
}

int engine_stats(struct engine *engine, struct bump *bump, struct value *map)
{
	struct lane of_callers;
	uint64_t runs;

	pool_count_callers(engine->pool, &runs, &of_callers);
	if (value_put(bump, map, "cpu", value_string(cpu_level_name(engine->features))) ||
	    value_put(bump, map, "threads", value_uint(pool_threads(engine->pool))) ||
	    value_put(bump, map, "unpinned", value_uint(pool_unpinned(engine->pool))) || put_jobs(engine, bump, map) ||
	    plans_stats(engine->plans, bump, map) ||
	    temps_stats(engine->temps, bump, map) || lane_stats(engine->lanes, &of_callers, bump, map))
		return -ERROR_NO_MEMORY;
	return 0;
}
