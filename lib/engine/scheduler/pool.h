/* SPDX-License-Identifier: Apache-2.0 */
/* The pool: threads that run the lanes, and jobs that take turns on them.
 *
 * A job is a sequence of stages; the chunks of a stage are independent. Chunk i belongs to lane i mod 128, whose home
 * is thread l mod T; a thread that has no chunk of its own left takes one of another's. After each chunk a thread
 * chooses again whom to serve, between clients by the time they have had (`struct fair_entry`) and in turn between a
 * client's jobs, so that a small request is never stuck behind a large one. What a chunk computes must not depend on
 * thread, lane or order. */
#ifndef TRNSCI_ENGINE_POOL_H
#define TRNSCI_ENGINE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/scheduler/lane.h"

struct pool;
struct job;

/* What a job does next, told by its advance(). */
enum job_next {
	JOB_END,   /* nothing: it is finished */
	JOB_STAGE, /* job->n_chunks chunks, then advance() again */
	JOB_AGAIN, /* advance() again, at the job's next turn */
	JOB_WAIT,  /* advance() again, after pool_wake() */
};

struct job_ops {
	/* enum job_next or a negative error, at which the job ends. At most about 250 us, like a chunk. No chunk of the
	 * job runs meanwhile. */
	int (*advance)(struct job *job);
	/* Runs a chunk of the current stage and returns the words it made. Any threads at once. scratch is the
	 * thread's own: pool_scratch_bytes, aligned to 64. */
	uint64_t (*run)(struct job *job, size_t chunk, void *scratch);
	/* Once, as the last thing; the job may be freed by it. 0, an error of advance(), or -ERROR_CANCELLED. */
	void (*finish)(struct job *job, int error);
};

/* The jobs of one client that have chunks to give. Zero-initialise; but for weight the pool's own. */
struct fair_entry {
	unsigned weight; /* shares of time while others have work, set by the owner; 0: 1 */
	uint64_t clock;   /* time had, divided by the weight */
	uint64_t chunk_ns; /* what the last chunk took; 0: never served */
	struct fair_entry *child, *next, *prev;
	struct job *jobs;
};

struct job {
	/* Set by the owner before pool_submit or pool_run_here. */
	const struct job_ops *ops;
	struct fair_entry *fair_entry;
	uint64_t deadline_ns; /* CLOCK_MONOTONIC, past which it is cancelled at the next chunk; 0: none */
	size_t n_chunks;      /* set by advance() with JOB_STAGE */
	/* The pool's own. */
	atomic_bool cancelled;
	atomic_bool late; /* cancelled by its deadline */
	struct job *next, *prev;
	int state;
	bool woken, exhausted, queued, threaded;
	unsigned workers;
	struct cursor *cursors;
};

/* threads 1..128; scratch_bytes for each. -ERROR_NO_MEMORY, -ERROR_SYSTEM. */
int pool_create(unsigned threads, size_t scratch_bytes, struct lane lanes[ENGINE_LANES], struct pool **ret_pool);
/* Jobs that are left are run to their ends; none may wait or come. Accepts NULL. */
void pool_destroy(struct pool *pool);

size_t pool_scratch_bytes(const struct pool *pool);
unsigned pool_threads(const struct pool *pool);

/* Keeps each thread on a CPU of its own: cpus_pin. */
void pool_pin(struct pool *pool);

/* Gives a job to the threads. It ends in finish(), whatever happens. */
void pool_submit(struct pool *pool, struct job *job);

/* The same, but the job runs in this thread, inside fpenv_enter, until it ends or has to wait. */
void pool_run_here(struct pool *pool, struct job *job);

/* The same for a job that never waits and has no finish(), which may run again and again: what its last advance() said, or
 * -ERROR_NO_MEMORY, and it has not begun. */
int pool_run_now(struct pool *pool, struct job *job);

/* Ends a JOB_WAIT, also one that is about to begin. The job must not have finished. Any thread, any number of times. */
void pool_wake(struct pool *pool, struct job *job);

/* The job gives no further chunk and finishes with -ERROR_CANCELLED unless it ends by itself before. Any thread, as
 * long as the job's memory lives. */
void pool_cancel(struct pool *pool, struct job *job);

/* Cancels a job that waits if its deadline has passed: those that work look by themselves. Any thread. */
void pool_expire(struct pool *pool, struct job *job);

/* Whether a job is with the threads. Any thread; without the lock. */
bool pool_is_busy(const struct pool *pool);

/* Jobs submitted and not yet finished, and those finished; one that ends in pool_run_here is finished only. */
void pool_counts(struct pool *pool, uint64_t *ret_running, uint64_t *ret_finished);

#endif
