/* SPDX-License-Identifier: Apache-2.0 */
/* The plan cache: each plan is made once, by the pool's threads, and shared by all clients.
 *
 * A plan that many ask for at once is made by one job of the cache's own, in pieces, while theirs wait without holding
 * a thread; when all of them are cancelled it is given up. Plans that nobody uses are kept, the least recently used
 * ones dropped when all together pass the bound. Any thread. */
#ifndef TRNSCI_ENGINE_PLAN_CACHE_H
#define TRNSCI_ENGINE_PLAN_CACHE_H

#include "engine/engine_core.h"
#include "fft/precision/precision.h"
#include "fft/plan/series.h"

struct plans;
struct plan_entry;

/* Beyond PLAN_SERIES: twice the enum fft_series, and 1 when it is orthogonal. All but complex: fast and double only. */
enum plan_kind { PLAN_COMPLEX, PLAN_REAL, PLAN_HERMITIAN, PLAN_SERIES, PLAN_KINDS = PLAN_SERIES + 2 * FFT_SERIES };

/* What a plan is for. */
struct plan_key {
	uint64_t n;
	enum precision precision; /* not kahan, whose plans are double's */
	unsigned kind;            /* enum plan_kind */
};

/* A job that waits for a plan. The owner's memory, from plans_wait until plans_unwait. */
struct plan_waiter {
	struct job *job;
	struct plan_waiter *next, *prev;
	bool linked;
};

/* -ERROR_NO_MEMORY. */
int plans_create(struct engine *engine, size_t bound_bytes, struct plans **ret_plans);
void plans_destroy(struct plans *plans); /* accepts NULL; the pool must be gone */

/* A use of the plan for that key, to be given back; it may not be ready. -ERROR_OUT_OF_RANGE, -ERROR_NO_MEMORY. */
int plans_take(struct plans *plans, struct plan_key key, struct plan_entry **ret_entry);
void plans_give(struct plans *plans, struct plan_entry *entry);

/* Phases, chunks, work and scratch may be asked at once; it may be run when it is ready. */
const struct fft_plan *plans_plan(const struct plan_entry *entry);
bool plans_ready(struct plans *plans, const struct plan_entry *entry);

/* Returns whether to leave the plan's next transform to one thread, by what was learned. Nothing was before the first call, which
 * returns `guess`. */
bool plans_run_single_thread(struct plans *plans, struct plan_entry *entry, bool guess);
/* Learns how long a transform took, alone or shared with other threads. */
void plans_learn(struct plans *plans, struct plan_entry *entry, bool single_thread, uint64_t took_ns);

/* 0: it is ready. 1: the waiter's job will be woken. Or the error with which its making failed. */
int plans_wait(struct plans *plans, struct plan_entry *entry, struct plan_waiter *waiter);
/* After it, the waiter's job is woken no more. */
void plans_unwait(struct plans *plans, struct plan_entry *entry, struct plan_waiter *waiter);

/* Puts the map `plans` {count, making, bytes, bound, hits, misses} into map: plans in all, and
 * of these not yet ready; bytes of the ready ones. */
int plans_stats(struct plans *plans, struct bump *bump, struct value *map);

#endif
