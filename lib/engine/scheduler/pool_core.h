/* SPDX-License-Identifier: Apache-2.0 */
/* The members of struct pool, and what its own threads (pool.c) and the threads of callers (pool_caller.c) share.
 *
 * A job of the pool, and who may touch it:
 *
 *     NEW        its owner. pool_submit: READY
 *     READY      is queued, with `lock`. A thread takes it: ADVANCING
 *     ADVANCING  one thread, in advance(), without `lock`. JOB_STAGE: RUNNING; JOB_AGAIN: READY; JOB_WAIT: WAITING;
 *                JOB_END or an error: FINISHED
 *     RUNNING    any threads, which take chunks by its cursors, without `lock`. The last one leaves it: ADVANCING
 *     WAITING    nobody. pool_wake, pool_cancel, pool_expire: READY
 *     FINISHED   finish(), then its owner
 *
 * `lock` guards the queue and the jobs' states in it, who sleeps (thread.sleeps, sleepers), idle(), and the lists of callers and
 * accounts. It is held for a few hundred nanoseconds: never while advance(), run(), finish() or idle() runs. Owners call
 * pool_wake with locks of their own, so nothing else is locked below it.
 *
 * A job in its caller's thread has no state here: that thread advances it and runs its chunks. For others to join it:
 *
 *     the caller                                      a thread of the pool
 *     takes `sharing`, or works alone
 *     sets cursors, seat, is_long, then `open`
 *     takes `lock`: wakes sleepers                    visitors + 1
 *     takes chunks until none is left                 reads `open`; takes chunks until none is left
 *     sets `open` to NULL                             visitors - 1
 *     waits until no visitors are left: spins,        the last one: if is_awaited, takes `lock` and signals `settled`
 *       then is_awaited, `lock`, sleeps at `settled`
 *     gives `sharing` back
 *
 * So `sharing` comes before `lock`, and nobody waits for it. A thread counts itself before it looks at `open`, and the caller
 * closes that before it looks at the count: one of them sees the other (both sequentially consistent).
 *
 * One thread at a time has a struct caller and its account: a free one is taken from `caller` by an exchange, or from `callers`
 * with `lock`. */
#ifndef TRNSCI_ENGINE_POOL_CORE_H
#define TRNSCI_ENGINE_POOL_CORE_H

#include <pthread.h>
#include <stdalign.h>

#include "base/clock.h"
#include "engine/scheduler/fair_queue.h"
#include "engine/scheduler/job.h"
#include "engine/scheduler/lane.h"
#include "engine/scheduler/linger.h"
#include "engine/scheduler/pin.h"

enum state {
	STATE_NEW,       /* not yet given to the pool */
	STATE_READY,     /* queued: advance() is due */
	STATE_ADVANCING, /* advance() runs, or is about to: one thread has the job */
	STATE_RUNNING,   /* chunks are given, or were and are still worked on */
	STATE_WAITING,
	STATE_FINISHED,
};

/* The chunks of a stage whose home is one thread. They follow one another: what it fetches ahead is its own. */
struct cursor {
	alignas(64) _Atomic uint64_t next;
	uint64_t end;
};

struct thread {
	struct pool *pool;
	pthread_t id;
	unsigned index;
	void *scratch;
	pthread_cond_t wake;
	bool sleeps;       /* until it is signalled; with the lock */
	bool slept;
	bool lingers;      /* before it sleeps: callers or clients may have more for it */
	bool waits;        /* since it had work last */
	struct linger linger; /* for clients; most_ns 0: only for callers */
	uint64_t yield_ns; /* when it does next */
	struct pin pin;
};

/* What runs in callers' threads have counted; one thread's at a time. */
struct account {
	struct lane lane;      /* what their chunks add to lane 0 */
	_Atomic uint64_t runs; /* jobs that ended */
	struct account *next, *prev; /* among all; guarded by the pool's lock */
};

/* What a caller's thread needs while it computes; one thread's at a time. */
struct caller {
	struct cursor *cursors; /* of each thread */
	void *scratch;
	struct account *account;
	/* Work that no thread was woken for yet, in stages that follow one another closely. */
	uint64_t missed_ns, last_ns;
};

enum { CALLERS_MAX = 8 };

struct pool {
	alignas(64) pthread_mutex_t lock;
	/* The stage of a caller's job that threads may join, without the lock: they count as visitors before they look
	 * at it, and its caller, who has `sharing`, waits for none to be left before anything else becomes of it. */
	alignas(64) atomic_flag sharing;
	_Atomic(struct job *) open; /* NULL: there is none, or all of its chunks are taken */
	atomic_bool is_long;        /* the stage: also for threads that lost their CPUs */
	atomic_uint seat;           /* the thread that the caller stands in for, which does not join */
	atomic_bool is_awaited; /* the caller sleeps for the last one to leave */
	pthread_cond_t settled;
	alignas(64) atomic_uint visitors;
	alignas(64) atomic_bool has_callers; /* so threads stay awake for a while when they have no work */
	struct fair_queue fair_queue;
	_Atomic uint64_t linger_ns;
	atomic_uint sleepers; /* changed with the lock */
	unsigned n_threads, n_started;
	bool stopping;
	uint64_t (*idle)(void *arg, uint64_t at_ns); /* NULL: nothing to do */
	void *idle_arg;
	bool watches; /* a thread that sleeps will call it */
	bool asked;   /* for a call of it */
	size_t scratch_bytes;
	struct lane *lanes;
	cpu_set_t cpus; /* of the process, if threads are pinned */
	uint8_t seats[CPU_SETSIZE]; /* the thread that is pinned to a CPU; the last one where none is */
	uint64_t submitted, finished;
	_Atomic uint64_t here;    /* finished where they arrived, and not among those submitted, nor in runs of callers */
	atomic_uint threaded; /* unfinished jobs that the threads have, or had before they wait */
	_Atomic(struct caller *) caller; /* NULL: it is in use, or not had yet */
	struct caller *callers[CALLERS_MAX]; /* for several at once */
	unsigned n_callers;
	struct account *accounts;
	struct lane gone; /* what those have counted that were closed */
	struct thread threads[];
};

/* Returns whether the job is to stop, also because it is past its deadline, which is remembered. */
bool pool_job_stops(struct job *job, uint64_t at_ns);

/* Shares the chunks from `first` on out to the cursors. No thread works on the stage meanwhile. */
void pool_set_cursors(const struct pool *pool, struct cursor *cursors, uint64_t first, uint64_t n_chunks);

/* Takes a chunk of the current stage: own chunks first, then those of the threads behind. Returns false when the stage
 * has none left. */
bool pool_claim_chunk(const struct pool *pool, struct job *job, unsigned thread, size_t *ret_chunk);

/* Runs a chunk from *start_ns to its end, which becomes the next one's start. Returns what it took. learns: its cost is
 * learned; of a caller's job only by the caller, since what all threads write at each chunk keeps them waiting. */
uint64_t pool_run_chunk(struct pool *pool, struct job *job, size_t chunk, bool learns, void *scratch, uint64_t *start_ns);

/* The same for a thread of the pool, which learns from stages of the pool's own jobs, and notes how long it was gone. */
uint64_t pool_run_thread_chunk(struct thread *thread, struct job *job, size_t chunk, uint64_t *start_ns);

/* Gives the CPU away now and then, between chunks; *at_ns is now, before and after. */
void pool_let_others(struct thread *thread, uint64_t *at_ns);

/* Queues a job whose advance() is due. Hold the lock. */
void pool_queue_job(struct pool *pool, struct job *job);

/* Returns the thread that the calling thread would keep from its CPU. */
unsigned pool_seat(const struct pool *pool);

/* Lets a thread go on that sleeps, and returns it: `wake` is to be signalled. Hold the lock. */
struct thread *pool_end_sleep(struct thread *thread);

/* Wakes up to that many threads that sleep, last the one of this CPU. Hold the lock. */
void pool_wake_sleepers(struct pool *pool, size_t threads);

#endif
