/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks: who takes the next one, and what it took. */
#include "engine/scheduler/pool_core.h"

#include <sched.h>

#include "base/checked.h"
#include "engine/scheduler/cost.h"

/* Clients run on the same CPUs, and the system might look only at its next tick, milliseconds later, whether one of
 * them should run instead of a lane that never sleeps. So lanes let go between chunks; not at once, though: who waits
 * for a short job may do so spinning, and would have the CPU before the job. Nor to a program that computes without
 * end: a yield to it costs its whole turn, and the system shares the CPU out without being asked.
 *
 * Measured on two CPUs: 512 samples beside jobs of 1 GiB take 12 times as long without yields; 16 MiB beside a program that
 * computes take 1.3 times as long if lanes yield to it as often as to clients. */
enum {
	YIELD_NS = 50 * 1000,        /* of chunks between two yields */
	FIRST_YIELD_NS = 500 * 1000, /* after a sleep */
	LONG_YIELD_NS = 700 * 1000,  /* a client's bursts are shorter */
	LONG_YIELD_REST = 16,        /* as many times as long passes before the next one */
};

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

void pool_set_cursors(const struct pool *pool, struct cursor *cursors, uint64_t first, uint64_t n_chunks)
{
	const uint64_t each = (n_chunks - first) / pool->n_threads, more = (n_chunks - first) % pool->n_threads;

	for (unsigned i = 0; i < pool->n_threads; i++) {
		atomic_store_explicit(&cursors[i].next, first, memory_order_relaxed);
		first += each + (i < more);
		cursors[i].end = first;
	}
}

bool pool_claim_chunk(const struct pool *pool, struct job *job, unsigned thread, size_t *ret_chunk)
{
	if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
		return false;
	for (unsigned i = 0; i < pool->n_threads; i++) {
		struct cursor *cursor = &job->cursors[(thread + i) % pool->n_threads];
		uint64_t chunk;

		if (atomic_load_explicit(&cursor->next, memory_order_relaxed) >= cursor->end)
			continue;
		chunk = atomic_fetch_add_explicit(&cursor->next, 1, memory_order_relaxed);
		if (chunk < cursor->end) {
			*ret_chunk = chunk;
			return true;
		}
	}
	return false;
}

uint64_t pool_run_chunk(struct pool *pool, struct job *job, size_t chunk, bool learns, void *scratch, uint64_t *start_ns)
{
	const uint64_t words = job->ops->run(job, chunk, scratch);
	const uint64_t end_ns = now_ns(), ns = end_ns - *start_ns;

	if (learns && job->cost && job->chunk_ns >= LEARN_LEAST_NS)
		cost_learn(job->cost, job->chunk_ns, ns);
	lane_record(&pool->lanes[chunk % ENGINE_LANES], words, ns);
	*start_ns = end_ns;
	pool_job_stops(job, end_ns);
	return ns;
}

uint64_t pool_run_thread_chunk(struct thread *thread, struct job *job, size_t chunk, uint64_t *start_ns)
{
	const uint64_t took_ns = pool_run_chunk(thread->pool, job, chunk, !job->runs_in_caller, thread->scratch, start_ns);

	pin_note_time(&thread->pin, took_ns, *start_ns);
	return took_ns;
}

void pool_let_others(struct thread *thread, uint64_t *at_ns)
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
