/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks: who takes the next one, and what it took. */
#include "engine/scheduler/pool_core.h"

#include <sched.h>

#include "base/checked.h"
#include "engine/scheduler/cost.h"

/* Of shorter chunks most is spent around them. */
enum { LEARN_LEAST_NS = 2000 };

bool pool_job_stops(struct job *job, uint64_t at_ns)
{
	if (job->deadline_ns && at_ns >= job->deadline_ns) {
		atomic_store_explicit(&job->late, true, memory_order_relaxed);
		atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
	}
	return atomic_load_explicit(&job->cancelled, memory_order_relaxed);
}

bool pool_claim_chunk(const struct pool *pool, struct job *job, unsigned thread, size_t *ret_chunk)
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

uint64_t pool_run_chunk(struct pool *pool, struct job *job, size_t chunk, bool learns, void *scratch, uint64_t *start_ns)
{
	const uint64_t words = job->ops->run(job, chunk, scratch);
	const uint64_t end_ns = pool_now_ns(), ns = end_ns - *start_ns;

	if (learns && job->cost && job->chunk_ns >= LEARN_LEAST_NS)
		cost_learn(job->cost, job->chunk_ns, ns);
	lane_record(&pool->lanes[chunk % ENGINE_LANES], words, ns);
	*start_ns = end_ns;
	pool_job_stops(job, end_ns);
	return ns;
}

unsigned pool_seat(const struct pool *pool)
{
	const int cpu = sched_getcpu();

	return cpu >= 0 && cpu < CPU_SETSIZE ? pool->seats[cpu] : pool->n_threads - 1;
}

struct thread *pool_end_sleep(struct thread *thread)
{
	thread->sleeps = false;
	thread->pool->sleepers--;
	return thread;
}

void pool_wake_sleepers(struct pool *pool, size_t threads)
{
	const unsigned seat = pool_seat(pool);

	threads = size_min(threads, pool->sleepers);
	for (unsigned i = 1; threads > 0; i++) {
		struct thread *thread = &pool->threads[(seat + i) % pool->n_threads];

		if (!thread->sleeps)
			continue;
		pthread_cond_signal(&pool_end_sleep(thread)->wake);
		threads--;
	}
}

void pool_queue_job(struct pool *pool, struct job *job)
{
	if (!job->threaded)
		atomic_fetch_add_explicit(&pool->threaded, 1, memory_order_relaxed);
	job->threaded = true;
	job->state = STATE_READY;
	fair_queue_enter(&pool->fair_queue, job);
	pool_wake_sleepers(pool, 1);
}
