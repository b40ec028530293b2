/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and turns.
 *
 * One lock guards the queue and every job's state. Chunks are taken without it, by a cursor for each home thread; the
 * lock is passed once for each chunk while several jobs are queued, and hardly ever while one is alone. A stage's
 * cursors are set while no thread works on the job, so a cursor never belongs to another stage than its reader's. */
#include "engine/scheduler/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/thread.h"
#include "engine/scheduler/cpus.h"
#include "engine/scheduler/pool_caller.h"
#include "engine/scheduler/pool_core.h"
#include "engine/scheduler/pool_wait.h"

static bool have_cursors(const struct pool *pool, struct job *job)
{
	if (!job->cursors)
		job->cursors = aligned_alloc(64, pool->n_threads * sizeof *job->cursors);
	return job->cursors != NULL;
}

/* Takes a job that no thread works on from its stage's end to where it can go on, or to its end. The lock is held
 * before and after, not meanwhile. */
static void advance_job(struct pool *pool, struct job *job, uint64_t expected_ns)
{
	const uint64_t start_ns = now_ns();
	uint64_t end_ns;
	int next;

	if (job->began_ns == 0)
		job->began_ns = start_ns;
	do {
		job->state = STATE_ADVANCING;
		job->woken = false;
		pthread_mutex_unlock(&pool->lock);
		if (pool_job_stops(job, start_ns))
			next = -ERROR_CANCELLED;
		else
			next = job->ops->advance(job);
		if (next == JOB_STAGE && !have_cursors(pool, job))
			next = -ERROR_NO_MEMORY;
		pthread_mutex_lock(&pool->lock);
	} while ((next == JOB_STAGE && job->n_chunks == 0) || (next == JOB_WAIT && job->woken));
	end_ns = now_ns();
	fair_queue_charge(&pool->fair_queue, job->fair_entry, end_ns - start_ns, expected_ns);

	if (next == JOB_STAGE) {
		pool_set_cursors(pool, job->cursors, 0, job->n_chunks);
		job->exhausted = false;
		job->state = STATE_RUNNING;
		fair_queue_enter(&pool->fair_queue, job);
		pool_wake_sleepers(pool, job->n_chunks - 1);
	} else if (next == JOB_AGAIN) {
		job->state = STATE_READY;
		fair_queue_enter(&pool->fair_queue, job);
	} else if (next == JOB_WAIT) {
		job->state = STATE_WAITING;
	} else {
		job->state = STATE_FINISHED;
		job->ended_ns = end_ns;
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

/* Serves a job for a chunk, or for as long as it is alone, when time is nobody's loss and only the last chunk counts.
 * The lock is held before and after, not meanwhile. */
static void serve_jobs(struct pool *pool, struct thread *thread, struct job *job, uint64_t expected_ns)
{
	uint64_t start_ns, took_ns = 0;
	bool found;
	size_t chunk;

	if (job->state == STATE_READY) {
		fair_queue_leave(&pool->fair_queue, job);
		advance_job(pool, job, expected_ns);
		return;
	}
	job->workers++;
	pthread_mutex_unlock(&pool->lock);
	start_ns = now_ns();
	do {
		pool_let_others(thread, &start_ns);
		found = pool_claim_chunk(pool, job, thread->index, &chunk);
		if (found)
			took_ns = pool_run_thread_chunk(thread, job, chunk, &start_ns);
	} while (found && atomic_load_explicit(&pool->fair_queue.queued, memory_order_relaxed) <= 1);
	pthread_mutex_lock(&pool->lock);
	fair_queue_charge(&pool->fair_queue, job->fair_entry, took_ns, expected_ns);
	if (!found) {
		fair_queue_leave(&pool->fair_queue, job);
		job->exhausted = true;
	} else if (!job->queued && !job->exhausted) {
		fair_queue_enter(&pool->fair_queue, job);
	}
	if (--job->workers == 0 && job->exhausted)
		advance_job(pool, job, 0);
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
			pool_end_wait(thread);
			serve_jobs(pool, thread, job, expected_ns);
		} else if (pool->stopping) {
			break;
		} else {
			pool_wait(thread);
		}
	}
	pthread_mutex_unlock(&pool->lock);
	fpenv_leave(saved);
	return NULL;
}

static void init_wake(struct thread *thread)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&thread->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

/* Signals are for the program's own threads. */
static int start_thread(struct pool *pool, unsigned index)
{
	struct thread *thread = &pool->threads[index];
	char name[16];

	*thread = (struct thread){.pool = pool, .index = index, .scratch = aligned_alloc(64, pool->scratch_bytes)};
	if (!thread->scratch)
		return -ERROR_NO_MEMORY;
	init_wake(thread);
	snprintf(name, sizeof name, "trnsci-%u", index);
	if (thread_start(name, thread_main, thread, &thread->id) < 0) {
		pthread_cond_destroy(&thread->wake);
		free(thread->scratch);
		return -ERROR_SYSTEM;
	}
	pool->n_started++;
	return 0;
}

int pool_create(unsigned threads, size_t scratch_bytes, struct lane lanes[ENGINE_LANES], struct pool **ret_pool)
{
	const size_t bytes = (sizeof(struct pool) + threads * sizeof(struct thread) + 63) / 64 * 64;
	struct pool *pool;

	assert(threads >= 1 && threads <= ENGINE_LANES);
	pool = aligned_alloc(_Alignof(struct pool), bytes);
	if (!pool)
		return -ERROR_NO_MEMORY;
	memset(pool, 0, bytes);
	memset(pool->seats, (int)threads - 1, sizeof pool->seats);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->settled, NULL);
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
	pool_wake_sleepers(pool, pool->n_threads);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->n_started; i++) {
		pthread_join(pool->threads[i].id, NULL);
		pthread_cond_destroy(&pool->threads[i].wake);
		free(pool->threads[i].scratch);
	}
	assert(!pool->fair_queue.first && pool->submitted == pool->finished);
	pool_free_callers(pool);
	pthread_cond_destroy(&pool->settled);
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
	if (!cpus_list(pool->n_threads, &pool->cpus))
		return;
	pthread_mutex_lock(&pool->lock); /* no thread runs chunks meanwhile */
	for (unsigned i = 0; i < pool->n_threads; i++)
		pin_begin(&pool->threads[i].pin, pool->threads[i].id, &pool->cpus, i);
	for (int cpu = 0, i = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &pool->cpus))
			pool->seats[cpu] = (uint8_t)i++;
	pthread_mutex_unlock(&pool->lock);
}

unsigned pool_unpinned(const struct pool *pool)
{
	unsigned count = 0;

	for (unsigned i = 0; i < pool->n_threads; i++)
		count += pool->threads[i].pin.cpus &&
			 atomic_load_explicit(&pool->threads[i].pin.is_free, memory_order_relaxed);
	return count;
}

void pool_set_linger(struct pool *pool, uint64_t most_ns)
{
	atomic_store_explicit(&pool->linger_ns, most_ns, memory_order_relaxed);
}

bool pool_lingers(const struct pool *pool)
{
	return atomic_load_explicit(&pool->linger_ns, memory_order_relaxed) > 0;
}

void pool_set_idle(struct pool *pool, uint64_t (*idle)(void *arg, uint64_t at_ns), void *arg)
{
	pthread_mutex_lock(&pool->lock);
	pool->idle = idle;
	pool->idle_arg = arg;
	pthread_mutex_unlock(&pool->lock);
}

/* Whoever sleeps for idle() has no time to wait for, and all others none either. */
void pool_watch_idle(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->asked = true;
	pool_wake_sleepers(pool, pool->n_threads);
	pthread_mutex_unlock(&pool->lock);
}

void pool_submit(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	pool->submitted++;
	pool_queue_job(pool, job);
	pthread_mutex_unlock(&pool->lock);
}

void pool_wake(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	job->woken = true;
	if (job->state == STATE_WAITING)
		pool_queue_job(pool, job);
	pthread_mutex_unlock(&pool->lock);
}

void pool_cancel(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
	job->woken = true; /* it may be about to wait */
	if (job->state == STATE_WAITING)
		pool_queue_job(pool, job);
	pthread_mutex_unlock(&pool->lock);
}

bool pool_is_busy(const struct pool *pool)
{
	return atomic_load_explicit(&pool->threaded, memory_order_relaxed) > 0;
}

void pool_expire(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	if (pool_job_stops(job, job->deadline_ns ? now_ns() : 0) && job->state == STATE_WAITING)
		pool_queue_job(pool, job);
	pthread_mutex_unlock(&pool->lock);
}

void pool_counts(struct pool *pool, uint64_t *ret_running, uint64_t *ret_finished)
{
	struct lane ignored;
	uint64_t runs;

	pool_count_callers(pool, &runs, &ignored);
	pthread_mutex_lock(&pool->lock);
	*ret_running = pool->submitted - pool->finished;
	*ret_finished = pool->finished + runs;
	pthread_mutex_unlock(&pool->lock);
}
