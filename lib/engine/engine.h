/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: 128 lanes on a pool of threads, the kernels this CPU may use, and the plans shared by all clients. */
#ifndef TRNSCI_ENGINE_ENGINE_H
#define TRNSCI_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/value.h"
#include "engine/scheduler/lane.h"

struct engine;

struct engine_settings {
	unsigned threads;       /* 1..128; 0: the CPUs that this process may use (affinity and cgroup quota) */
	uint32_t features;      /* cpu_feature bits that kernels may use: cpu_allowed() */
	size_t plan_cache_bytes; /* bound of the plan cache; 0: 256 MiB */
	uint64_t work_memory_bytes; /* bound of the work memory that is kept; 0: 256 MiB */
	bool pin;                /* threads stay on CPUs of their own, where there are as many of both */
	uint64_t instance;       /* what `version` shows, different for each daemon; 0: none */
};

/* On success *ret_engine is yours. -ERROR_NO_MEMORY, -ERROR_OUT_OF_RANGE (threads), -ERROR_SYSTEM (no thread). */
int engine_create(const struct engine_settings *settings, struct engine **ret_engine, struct error *err);

/* Every space must be gone. Accepts NULL. */
void engine_destroy(struct engine *engine);

/* Whether its threads have work. Any thread. */
bool engine_is_busy(const struct engine *engine);

/* Puts the engine's figures into map, allocated in bump: cpu, threads, lanes (per lane: chunks, words, busy_ns,
 * longest_ns), plans (count, bytes, bound, hits, misses), work_memory (bytes, bound, hits, misses), jobs. Any thread. */
int engine_stats(struct engine *engine, struct bump *bump, struct value *map);

#endif
