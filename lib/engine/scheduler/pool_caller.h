/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that run in the thread of their caller, alone or with the pool's threads beside it. */
#ifndef TRNSCI_ENGINE_POOL_CALLER_H
#define TRNSCI_ENGINE_POOL_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/scheduler/job.h"
#include "engine/scheduler/lane.h"

struct account;
struct pool;

/* As pool_submit, but the job runs in this thread, inside fpenv_enter, until it ends or has to wait. One with
 * job->runs_in_caller is also built here piece by piece (JOB_AGAIN), and the pool's threads but one join it where that is
 * sooner. */
void pool_run_here(struct pool *pool, struct job *job);

/* Opens an account for jobs that run by pool_run_now, one at a time. NULL: there is no memory. */
struct account *pool_open_account(struct pool *pool);
/* Keeps what it has counted. Accepts NULL. */
void pool_close_account(struct pool *pool, struct account *account);

/* The same for a job that never waits and has no finish(), which may run again and again; job->account is set. Returns what
 * its last advance() returned; or -ERROR_NO_MEMORY, and it has not begun. */
int pool_run_now(struct pool *pool, struct job *job);

/* Counts so many jobs of one chunk, which this thread ran without the pool. */
void pool_count_alone(struct pool *pool, unsigned runs, uint64_t words, uint64_t took_ns);

/* Returns the jobs that ended in their callers' threads, and what their only chunks add to lane 0. */
void pool_count_callers(struct pool *pool, uint64_t *ret_runs, struct lane *ret_lane);

/* Returns how long a job may take by its first value, by counted work alone, to be run by pool_run_here in a thread that
 * has others to serve: a daemon's loop. shares_threads: as the job's. What runs where does not hang on a clock. */
uint64_t pool_here_ns(const struct pool *pool, bool shares_threads);

/* For the end of the pool. */
void pool_free_callers(struct pool *pool);

#endif
