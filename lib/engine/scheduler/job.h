/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: what the pool's threads run, stage by stage, and the account of the client that a job belongs to. */
#ifndef TRNSCI_ENGINE_JOB_H
#define TRNSCI_ENGINE_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_SCRATCH_ALL SIZE_MAX

struct account;
struct cost;
struct job;

/* What a job does next, as its advance() returns it. */
enum job_next {
	JOB_END,   /* nothing: it is finished */
	JOB_STAGE, /* job->n_chunks chunks, then advance() again */
	JOB_AGAIN, /* advance() again, at the job's next turn */
	JOB_WAIT,  /* advance() again, after pool_wake() */
};

struct job_ops {
	/* enum job_next or a negative error, at which the job ends. At most CHUNK_MOST_NS, like a chunk (base/chunk.h). No chunk of the
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
	bool runs_in_caller; /* runs in the caller's thread from its beginning to its end, and threads join it */
	/* Asked by the caller's thread between chunks, from time to time, whether to cancel the job; NULL: never. */
	bool (*interrupted)(void *arg);
	void *interrupted_arg;
	/* Set by advance() with JOB_STAGE. */
	size_t n_chunks;
	uint64_t chunk_ns; /* first value of the time of a chunk; 0: not known */
	struct cost *cost; /* what it takes of that; NULL: not learned */
	bool single_thread; /* threads do not join the stage */
	size_t scratch_bytes; /* that each chunk of the job's only stage needs; JOB_SCRATCH_ALL: all, or there are several */
	/* The pool's own. */
	atomic_bool cancelled;
	atomic_bool late; /* cancelled by its deadline */
	uint64_t ask_ns;  /* when its caller is asked next; 0: not set yet */
	uint64_t began_ns, ended_ns; /* when threads first advanced it, and when it was finished; 0: it ran in a caller's thread */
	struct job *next, *prev;
	int state;
	/* Of one that runs again and again by pool_run_now: where it counts; whether it is one chunk, which later runs begin
	 * with, without advance(); runs until the next that is timed, and what the last one took. */
	struct account *account;
	bool is_single;
	unsigned untimed;
	uint64_t brief_ns;
	bool woken, exhausted, queued, threaded;
	atomic_uint workers;   /* threads that work on it; changed with the lock */
	struct cursor *cursors;
};

#endif
