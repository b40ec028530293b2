/* SPDX-License-Identifier: Apache-2.0 */
/* The pool: threads that run the lanes, and jobs that take turns on them.
 *
 * A job is a sequence of stages; the chunks of a stage are independent. Lane i mod 128 counts chunk i. Each of T threads is
 * home to a T-th of the chunks, one behind the other: a CPU fetches ahead in the page that it works on, and where chunks
 * are columns, it would fetch what another CPU is about to write. A thread that has no chunk of its own left takes one of
 * another's. After each chunk a thread chooses again whom to serve, between clients by the time they have had (`struct
 * fair_entry`) and in turn between a client's jobs, so that a small request is never stuck behind a large one. What a
 * chunk computes must not depend on thread, lane or order. */
#ifndef TRNSCI_ENGINE_POOL_H
#define TRNSCI_ENGINE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/scheduler/job.h"
#include "engine/scheduler/lane.h"

struct pool;

/* threads 1..128; scratch_bytes for each. -ERROR_NO_MEMORY, -ERROR_SYSTEM. */
int pool_create(unsigned threads, size_t scratch_bytes, struct lane lanes[ENGINE_LANES], struct pool **ret_pool);
/* Jobs that are left are run to their ends; none may wait or come. Accepts NULL. */
void pool_destroy(struct pool *pool);

size_t pool_scratch_bytes(const struct pool *pool);
unsigned pool_threads(const struct pool *pool);

/* Keeps each thread on a CPU of its own while nobody else wants it, if this process may use as many CPUs as there are
 * threads. Call it before the first job. */
void pool_pin(struct pool *pool);
/* Returns how many of the pinned threads are free for now. Any thread. */
unsigned pool_unpinned(const struct pool *pool);

/* Lets a thread that has no more work look for some for so long before it sleeps, while that is found to be sooner. For
 * an engine whose clients are other processes, which have the thread's CPU whenever they want it. 0: not. Any time. */
void pool_set_linger(struct pool *pool, uint64_t most_ns);

/* Returns whether threads may linger for clients. Any thread. */
bool pool_lingers(const struct pool *pool);

/* Sets what a thread calls before it sleeps: idle(arg, now) returns after how many nanoseconds it is to be called
 * again; 0: not before pool_watch_idle, which makes a thread call it. Call the first before any job is submitted. */
void pool_set_idle(struct pool *pool, uint64_t (*idle)(void *arg, uint64_t at_ns), void *arg);
void pool_watch_idle(struct pool *pool);

/* Gives a job to the threads. It ends in finish(), whatever happens. */
void pool_submit(struct pool *pool, struct job *job);

/* Ends a JOB_WAIT, also one that is about to begin. The job must not have finished. Any thread, any number of times. */
void pool_wake(struct pool *pool, struct job *job);

/* The job gives no further chunk and finishes with -ERROR_CANCELLED unless it ends by itself before. Any thread, as
 * long as the job's memory lives. */
void pool_cancel(struct pool *pool, struct job *job);

/* Cancels a job that waits if its deadline has passed: those that work look by themselves. Any thread. */
void pool_expire(struct pool *pool, struct job *job);

/* Whether a job is with the threads. Any thread; without the lock. */
bool pool_is_busy(const struct pool *pool);

/* Jobs submitted and not yet finished, and those finished; one that ends in its caller's thread is finished only. */
void pool_counts(struct pool *pool, uint64_t *ret_running, uint64_t *ret_finished);

#endif
