/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: 128 lanes on a pool of threads, the kernels this CPU may use, and the plans shared by all clients.
 *
 * A process has one engine for each daemon or embedded session that it runs. How a request passes through it:
 *
 *     request.h         a method's name and a map of parameters
 *       operations/     finds the method's row and binds the parameters
 *       compile/        turns them into steps over buffers; finds tiles, checks shapes
 *       call/           joins the steps to segments that run chunk by chunk, finds the position of each draw, and keeps
 *                       what is to be run again with other positions and tiles
 *       scheduler/      shares the threads among jobs, chunk by chunk
 *       steps/          computes a chunk with the kernels of lib/distributions, lib/fft and lib/gemm
 *       memory/         the tiles of each session, in memory that the owner of the session maps
 *       producers/      rings and broadcasts: jobs that fill shared memory until their reader is gone
 *
 * The layers below know neither sockets nor sessions' peers: the daemon and the embedded client own engine_session, and
 * act for it by callbacks (session_owner, deferred_reply_ops). */
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
	size_t plan_cache_bytes; /* bound of the plan cache; 0: 256 MiB. Filters of coloured noise have a quarter of it besides */
	uint64_t work_memory_bytes; /* bound of the work memory that is kept; 0: 288 MiB */
	bool pin;                /* threads stay on CPUs of their own, where there are as many of both */
	uint64_t instance;       /* what `version` shows, different for each daemon; 0: none */
};

/* Starts the engine's threads, which sleep until there is work. On success *ret_engine is yours; on failure it is
 * untouched. -ERROR_NO_MEMORY, -ERROR_OUT_OF_RANGE (threads), -ERROR_SYSTEM (no thread). */
int engine_create(const struct engine_settings *settings, struct engine **ret_engine, struct error *err);

/* Joins the threads and frees plans and work memory. Every session's memory must be gone before. Accepts NULL. */
void engine_destroy(struct engine *engine);

/* Lets threads that have no more work look for some for so long before they sleep (pool_set_linger). Any thread. */
void engine_set_linger(struct engine *engine, uint64_t most_ns);

/* Returns whether its threads have work. Any thread; the answer may be old when it arrives. */
bool engine_is_busy(const struct engine *engine);

/* Puts the engine's figures into map, allocated in bump: cpu, threads, lanes (per lane: chunks, words, busy_ns,
 * longest_ns), plans (count, bytes, bound, hits, misses), work_memory (bytes, bound, hits, misses), jobs. Counters are
 * read one by one while others count, so they need not agree with each other. Any thread. Returns 0 or
 * -ERROR_NO_MEMORY. */
int engine_stats(struct engine *engine, struct bump *bump, struct value *map);

#endif
