/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and turns.
 *
 * One lock guards the queue and every job's state. Chunks are taken without it, by a cursor for each home thread; the
 * lock is passed once for each chunk while several jobs are queued, and hardly ever while one is alone. A stage's
 * cursors are set while no thread works on the job, so a cursor never belongs to another stage than its reader's. */
#include "engine/scheduler/pool.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/thread.h"
#include "engine/scheduler/cpus.h"
#include "engine/scheduler/fair_queue.h"

enum state {
	STATE_NEW,       /* not yet given to the pool */
	STATE_READY,     /* queued: advance() is due */
	STATE_ADVANCING, /* advance() runs, or is about to: one thread has the job */
	STATE_RUNNING,   /* chunks are given, or were and are still worked on */
	STATE_WAITING,
	STATE_FINISHED,
};

/* The next of the chunks whose home is one thread. */
struct cursor {
	alignas(64) _Atomic uint64_t next;
};

struct thread {
	struct pool *pool;
	pthread_t id;
	unsigned index;
	void *scratch;
	bool slept;
	uint64_t yield_ns; /* when it does next */
};

/* Clients run on the same CPUs, and the system might look only at its next tick, milliseconds later, whether one of
 * them should run instead of a lane that never sleeps. So lanes let go between chunks; not at once, though: who waits
 * for a short job may do so spinning, and would have the CPU before the job. Nor to a program that computes without
 * end: a yield to it costs its whole turn, and the system shares the CPU out without being asked. */
enum {
	SPARES_MAX = 8,
	YIELD_NS = 50 * 1000,        /* of chunks between two yields */
	FIRST_YIELD_NS = 500 * 1000, /* after a sleep */
	LONG_YIELD_NS = 700 * 1000,  /* a client's bursts are shorter */
	LONG_YIELD_REST = 16,        /* as many times as long passes before the next one */
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct fair_queue fair_queue;
	unsigned sleepers, n_threads, n_started;
	bool stopping;
	size_t scratch_bytes;
	struct lane *lanes;
	uint64_t submitted, finished;
	_Atomic uint64_t here;    /* finished where they arrived, and not among those submitted */
	atomic_uint threaded; /* unfinished jobs that the threads have, or had before they wait */
	_Atomic(void *) caller_scratch; /* for a caller's thread; NULL: in use, or not allocated yet */
	void *spares[SPARES_MAX]; /* for several at once */
	unsigned n_spares;
	struct thread threads[];
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Also of a job that is past its deadline, which is remembered. */
static bool is_cancelled(struct job *job, uint64_t at_ns)
{
	if (job->deadline_ns && at_ns >= job->deadline_ns) {
		atomic_store_explicit(&job->late, true, memory_order_relaxed);
		atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
	}
	return atomic_load_explicit(&job->cancelled, memory_order_relaxed);
}

/* Own chunks first, then those of the threads behind. False when the stage has none left. */
static bool claim(const struct pool *pool, struct job *job, unsigned thread, size_t *ret_chunk)
{
	if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
		return false;
	for (unsigned i = 0; i < pool->n_threads; i++) {
		const unsigned home = (thread + i) % pool->n_threads;
		const uint64_t end = lane_home_chunks(home, pool->n_threads, job->n_chunks);
		_Atomic uint64_t *next = &job->cursors[home].next;
		uint64_t k;

		if (atomic_load_explicit(next, memory_order_relaxed) >= end)
			continue;
		k = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
		if (k < end) {
			*ret_chunk = lane_home_chunk(home, pool->n_threads, k);
			return true;
		}
	}
	return false;
}

static void rouse(struct pool *pool, size_t threads)
{
	for (size_t i = size_min(threads, pool->sleepers); i > 0; i--)
		pthread_cond_signal(&pool->work);
}

static bool have_cursors(const struct pool *pool, struct job *job)
{
	if (!job->cursors)
		job->cursors = aligned_alloc(64, pool->n_threads * sizeof *job->cursors);
	return job->cursors != NULL;
}

/* Takes a job that no thread works on from its stage's end to where it can go on, or to its end. The lock is held
 * before and after, not meanwhile. */
static void advance(struct pool *pool, struct job *job, uint64_t expected_ns)
{
	const uint64_t start_ns = now_ns();
	int next;

	do {
		job->state = STATE_ADVANCING;
		job->woken = false;
		pthread_mutex_unlock(&pool->lock);
		if (is_cancelled(job, start_ns))
			next = -ERROR_CANCELLED;
		else
			next = job->ops->advance(job);
		if (next == JOB_STAGE && !have_cursors(pool, job))
			next = -ERROR_NO_MEMORY;
		pthread_mutex_lock(&pool->lock);
	} while ((next == JOB_STAGE && job->n_chunks == 0) || (next == JOB_WAIT && job->woken));
	fair_queue_charge(&pool->fair_queue, job->fair_entry, now_ns() - start_ns, expected_ns);

	if (next == JOB_STAGE) {
		for (unsigned i = 0; i < pool->n_threads; i++)
			atomic_store_explicit(&job->cursors[i].next, 0, memory_order_relaxed);
		job->exhausted = false;
		job->state = STATE_RUNNING;
		fair_queue_enter(&pool->fair_queue, job);
		rouse(pool, job->n_chunks - 1);
	} else if (next == JOB_AGAIN) {
		job->state = STATE_READY;
		fair_queue_enter(&pool->fair_queue, job);
	} else if (next == JOB_WAIT) {
		job->state = STATE_WAITING;
	} else {
		job->state = STATE_FINISHED;
		pool->finished++;
		job->threaded = false;
		atomic_fetch_sub_explicit(&pool->threaded, 1, memory_order_relaxed);
		free(job->cursors);
		job->cursors = NULL;
		pthread_mutex_unlock(&pool->lock);
		job->ops->finish(job, next);
		pthread_mutex_lock(&pool->lock);
	}
}

/* From *start_ns to its end, which becomes the next one's start; what it took. */
static uint64_t run_chunk(struct pool *pool, struct job *job, size_t chunk, void *scratch, uint64_t *start_ns)
{
	const uint64_t words = job->ops->run(job, chunk, scratch);
	const uint64_t end_ns = now_ns(), ns = end_ns - *start_ns;

	lane_record(&pool->lanes[chunk % ENGINE_LANES], words, ns);
	*start_ns = end_ns;
	is_cancelled(job, end_ns);
	return ns;
}

/* Between chunks; *at_ns is now, before and after. */
static void let_others(struct thread *thread, uint64_t *at_ns)
{
	if (thread->slept) {
		thread->slept = false;
		thread->yield_ns = *at_ns + FIRST_YIELD_NS;
	}
	if (*at_ns < thread->yield_ns)
		return;
	sched_yield();

	const uint64_t end_ns = now_ns(), took_ns = end_ns - *at_ns;

	thread->yield_ns = end_ns + (took_ns < LONG_YIELD_NS ? YIELD_NS : LONG_YIELD_REST * took_ns);
	*at_ns = end_ns;
}

/* Serves a job for a chunk, or for as long as it is alone, when time is nobody's loss and only the last chunk counts.
 * The lock is held before and after, not meanwhile. */
static void serve(struct pool *pool, struct thread *thread, struct job *job, uint64_t expected_ns)
{
	uint64_t took_ns = 0;
	bool found;
	size_t chunk;

	if (job->state == STATE_READY) {
		fair_queue_leave(&pool->fair_queue, job);
		advance(pool, job, expected_ns);
		return;
	}
	job->workers++;
	pthread_mutex_unlock(&pool->lock);
	uint64_t start_ns = now_ns();
	do {
		let_others(thread, &start_ns);
		found = claim(pool, job, thread->index, &chunk);
		if (found)
			took_ns = run_chunk(pool, job, chunk, thread->scratch, &start_ns);
	} while (found && atomic_load_explicit(&pool->fair_queue.queued, memory_order_relaxed) == 1);
	pthread_mutex_lock(&pool->lock);
	fair_queue_charge(&pool->fair_queue, job->fair_entry, took_ns, expected_ns);
	job->workers--;
	if (!found) {
		fair_queue_leave(&pool->fair_queue, job);
		job->exhausted = true;
	}
	if (job->exhausted && job->workers == 0)
		advance(pool, job, 0);
}

static void *thread_main(void *arg)
{
	struct thread *thread = arg;
	struct pool *pool = thread->pool;
	const struct fpenv_saved saved = fpenv_enter();

	pthread_mutex_lock(&pool->lock);
	while (true) {
		uint64_t expected_ns;
		struct job *job = fair_queue_next(&pool->fair_queue, &expected_ns);

		if (job) {
			serve(pool, thread, job, expected_ns);
		} else if (pool->stopping) {
			break;
		} else {
			pool->sleepers++;
			pthread_cond_wait(&pool->work, &pool->lock);
			pool->sleepers--;
			thread->slept = true;
		}
	}
	pthread_mutex_unlock(&pool->lock);
	fpenv_leave(saved);
	return NULL;
}

/* Signals are for the program's own threads. */
static int start_thread(struct pool *pool, unsigned index)
{
	struct thread *thread = &pool->threads[index];
	char name[16];

	*thread = (struct thread){.pool = pool, .index = index, .scratch = aligned_alloc(64, pool->scratch_bytes)};
	if (!thread->scratch)
		return -ERROR_NO_MEMORY;
	snprintf(name, sizeof name, "trnsci-%u", index);
	if (thread_start(name, thread_main, thread, &thread->id) < 0) {
		free(thread->scratch);
		return -ERROR_SYSTEM;
	}
	pool->n_started++;
	return 0;
}

int pool_create(unsigned threads, size_t scratch_bytes, struct lane lanes[ENGINE_LANES], struct pool **ret_pool)
{
	struct pool *pool;

	assert(threads >= 1 && threads <= ENGINE_LANES);
	pool = calloc(1, sizeof *pool + threads * sizeof *pool->threads);
	if (!pool)
		return -ERROR_NO_MEMORY;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pool->n_threads = threads;
	pool->scratch_bytes = (scratch_bytes + 63) & ~(size_t)63;
	pool->lanes = lanes;
	for (unsigned i = 0; i < threads; i++) {
		const int error = start_thread(pool, i);

		if (error) {
			pool_destroy(pool);
			return error;
		}
	}
	*ret_pool = pool;
	return 0;
}

void pool_destroy(struct pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->n_started; i++) {
		pthread_join(pool->threads[i].id, NULL);
		free(pool->threads[i].scratch);
	}
	assert(!pool->fair_queue.first && pool->submitted == pool->finished);
	free(atomic_load(&pool->caller_scratch));
	for (unsigned i = 0; i < pool->n_spares; i++)
		free(pool->spares[i]);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

size_t pool_scratch_bytes(const struct pool *pool)
{
	return pool->scratch_bytes;
}

unsigned pool_threads(const struct pool *pool)
{
	return pool->n_threads;
}

/* Several woken at once may be put on one CPU, and wait there for each other until the system's next look at balance,
 * which is longer than most jobs. */
void pool_pin(struct pool *pool)
{
	for (unsigned i = 0; i < pool->n_threads; i++)
		cpus_pin(pool->threads[i].id, i, pool->n_threads);
}

static void submit_locked(struct pool *pool, struct job *job)
{
	if (!job->threaded)
		atomic_fetch_add_explicit(&pool->threaded, 1, memory_order_relaxed);
	job->threaded = true;
	job->state = STATE_READY;
	fair_queue_enter(&pool->fair_queue, job);
	rouse(pool, 1);
}

void pool_submit(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	pool->submitted++;
	submit_locked(pool, job);
	pthread_mutex_unlock(&pool->lock);
}

static void *take_scratch(struct pool *pool)
{
	void *scratch = atomic_exchange_explicit(&pool->caller_scratch, NULL, memory_order_acquire);

	if (scratch)
		return scratch;
	pthread_mutex_lock(&pool->lock);
	if (pool->n_spares)
		scratch = pool->spares[--pool->n_spares];
	pthread_mutex_unlock(&pool->lock);
	return scratch ? scratch : aligned_alloc(64, pool->scratch_bytes);
}

static void give_scratch(struct pool *pool, void *scratch)
{
	void *none = NULL;

	if (atomic_compare_exchange_strong_explicit(&pool->caller_scratch, &none, scratch, memory_order_release,
						    memory_order_relaxed))
		return;
	pthread_mutex_lock(&pool->lock);
	if (pool->n_spares < SPARES_MAX)
		pool->spares[pool->n_spares++] = scratch;
	else
		free(scratch);
	pthread_mutex_unlock(&pool->lock);
}

/* Until the job ends or cannot go on here; what advance() said last. */
static int run_stages(struct pool *pool, struct job *job, void *scratch)
{
	uint64_t start_ns = now_ns();
	int next;

	do {
		if (is_cancelled(job, start_ns))
			return -ERROR_CANCELLED;
		next = job->ops->advance(job);
		if (next != JOB_STAGE)
			return next;
		for (size_t chunk = 0; chunk < job->n_chunks; chunk++) {
			if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
				return -ERROR_CANCELLED;
			run_chunk(pool, job, chunk, scratch, &start_ns);
		}
	} while (true);
}

/* It goes on with the threads, now or when it is woken. */
static void go_on(struct pool *pool, struct job *job, bool now)
{
	pthread_mutex_lock(&pool->lock);
	pool->submitted++;
	if (now || job->woken)
		submit_locked(pool, job);
	else
		job->state = STATE_WAITING;
	pthread_mutex_unlock(&pool->lock);
}

/* A small request ends here without the lock: until it has to go on with the threads its state stays what it was, which
 * lets those who wake or cancel it see that it does not wait. */
void pool_run_here(struct pool *pool, struct job *job)
{
	void *scratch = take_scratch(pool);
	struct fpenv_saved saved;
	int next;

	if (!scratch) {
		go_on(pool, job, true);
		return;
	}
	saved = fpenv_enter();
	next = run_stages(pool, job, scratch);
	fpenv_leave(saved);

	give_scratch(pool, scratch);
	if (next == JOB_AGAIN || next == JOB_WAIT) {
		go_on(pool, job, next == JOB_AGAIN);
		return;
	}
	atomic_fetch_add_explicit(&pool->here, 1, memory_order_relaxed);
	job->ops->finish(job, next);
}

int pool_run_now(struct pool *pool, struct job *job)
{
	void *scratch = take_scratch(pool);
	struct fpenv_saved saved;
	int next;

	if (!scratch)
		return -ERROR_NO_MEMORY;
	saved = fpenv_enter();
	next = run_stages(pool, job, scratch);
	fpenv_leave(saved);
	give_scratch(pool, scratch);
	atomic_fetch_add_explicit(&pool->here, 1, memory_order_relaxed);
	return next;
}

void pool_wake(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	job->woken = true;
	if (job->state == STATE_WAITING)
		submit_locked(pool, job);
	pthread_mutex_unlock(&pool->lock);
}

void pool_cancel(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
	job->woken = true; /* it may be about to wait */
	if (job->state == STATE_WAITING)
		submit_locked(pool, job);
	pthread_mutex_unlock(&pool->lock);
}

bool pool_is_busy(const struct pool *pool)
{
	return atomic_load_explicit(&pool->threaded, memory_order_relaxed) > 0;
}

void pool_expire(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	if (is_cancelled(job, job->deadline_ns ? now_ns() : 0) && job->state == STATE_WAITING)
		submit_locked(pool, job);
	pthread_mutex_unlock(&pool->lock);
}

void pool_counts(struct pool *pool, uint64_t *ret_running, uint64_t *ret_finished)
{
	pthread_mutex_lock(&pool->lock);
	*ret_running = pool->submitted - pool->finished;
	*ret_finished = pool->finished + atomic_load_explicit(&pool->here, memory_order_relaxed);
	pthread_mutex_unlock(&pool->lock);
}
