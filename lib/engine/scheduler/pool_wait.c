/* SPDX-License-Identifier: Apache-2.0 */
/* A thread without jobs of the pool's own: it joins callers, stays awake for a while, and sleeps. */
#include "engine/scheduler/pool_wait.h"

#include <pthread.h>
#include <time.h>

#include "base/spin.h"
#include "engine/scheduler/pool_core.h"

enum { LINGER_NS = 50 * 1000 }; /* after a caller's stage */

static bool is_queue_empty(const struct pool *pool)
{
	return atomic_load_explicit(&pool->fair_queue.queued, memory_order_relaxed) == 0;
}

/* Returns whether a stage may be the thread's: not when the caller has its CPU, and only a long one when others want
 * that. */
static bool may_join(const struct thread *thread, uint64_t at_ns)
{
	const struct pool *pool = thread->pool;

	return atomic_load_explicit(&pool->seat, memory_order_relaxed) != thread->index &&
	       (atomic_load_explicit(&pool->is_long, memory_order_relaxed) || !pin_has_lost(&thread->pin, at_ns));
}

/* Takes chunks of a caller's open stage until none is left, or the pool's own jobs need the thread. Returns whether it
 * took one. Does not yield meanwhile, since the caller would wait until it is back. */
static bool join_caller(struct thread *thread, uint64_t *at_ns)
{
	struct pool *pool = thread->pool;
	bool took = false, found;
	struct job *job;
	size_t chunk;

	atomic_fetch_add(&pool->visitors, 1);
	job = atomic_load(&pool->open);
	found = job && may_join(thread, *at_ns);
	if (found)
		*at_ns = now_ns();
	while (found && is_queue_empty(pool)) {
		found = pool_claim_chunk(pool, job, thread->index, &chunk);
		if (found)
			pool_run_thread_chunk(thread, job, chunk, at_ns);
		else
			atomic_compare_exchange_strong(&pool->open, &job, NULL);
		took |= found;
	}
	if (atomic_fetch_sub(&pool->visitors, 1) == 1 && atomic_load(&pool->is_awaited)) {
		pthread_mutex_lock(&pool->lock);
		pthread_cond_broadcast(&pool->settled);
		pthread_mutex_unlock(&pool->lock);
	}
	return took;
}

/* A caller whose job it joined has the next stage, or the next job, soon: it looks for a fixed time, without giving the
 * CPU away. */
static bool look_for_caller(const struct thread *thread, uint64_t end_ns, uint64_t *at_ns)
{
	if (*at_ns >= end_ns || !may_join(thread, *at_ns))
		return false;
	spin_pause();
	*at_ns = now_ns();
	return true;
}

/* The same where clients are other processes: the next job, or call of the owner's thread, comes from them. */
static bool look_for_client(struct thread *thread, uint64_t *at_ns)
{
	const uint64_t before_ns = *at_ns;

	if (pin_has_lost(&thread->pin, before_ns) || !linger_again(&thread->linger, at_ns))
		return false;
	pin_note_yield(&thread->pin, *at_ns - before_ns, *at_ns);
	return true;
}

/* Looks for work and joins callers, until it is time to sleep or the pool has a job. The lock is held before and after,
 * not meanwhile. */
static void stay_awake(struct thread *thread)
{
	struct pool *pool = thread->pool;
	const bool has_clients = thread->linger.most_ns > 0;
	uint64_t at_ns = now_ns(), end_ns = at_ns + LINGER_NS, before_ns;
	bool looks = true;

	pthread_mutex_unlock(&pool->lock);
	while (looks && is_queue_empty(pool)) {
		before_ns = at_ns;
		if (atomic_load_explicit(&pool->open, memory_order_relaxed) && join_caller(thread, &at_ns)) {
			linger_end(&thread->linger, before_ns);
			end_ns = at_ns + LINGER_NS;
			before_ns = at_ns;
			pool_let_others(thread, &at_ns);
			linger_begin(&thread->linger, thread->linger.most_ns, at_ns);
		} else if (has_clients) {
			looks = look_for_client(thread, &at_ns);
			before_ns = at_ns;
		} else {
			looks = look_for_caller(thread, end_ns, &at_ns);
		}
		pin_note_time(&thread->pin, at_ns - before_ns, at_ns);
	}
	thread->lingers = has_clients && looks; /* another thread may have the job that ended this */
	pthread_mutex_lock(&pool->lock);
}

/* Sleeps until there may be work. The lock is held before and after. */
static void sleep_until_signal(struct thread *thread, uint64_t wait_ns)
{
	struct pool *pool = thread->pool;
	const uint64_t end_ns = now_ns() + wait_ns;
	const struct timespec end = {(time_t)(end_ns / 1000000000), (long)(end_ns % 1000000000)};

	thread->sleeps = true;
	pool->sleepers++;
	if (wait_ns)
		pthread_cond_timedwait(&thread->wake, &pool->lock, &end);
	else
		pthread_cond_wait(&thread->wake, &pool->lock);
	if (thread->sleeps)
		pool_end_sleep(thread);
}

/* The first thread that sleeps is the one that calls idle() again. The lock is held before and after. */
static void sleep_thread(struct thread *thread)
{
	struct pool *pool = thread->pool;
	uint64_t wait_ns;

	thread->slept = true;
	if (!pool->idle || pool->watches) {
		sleep_until_signal(thread, 0);
		return;
	}
	pool->watches = true;
	pool->asked = false;
	pthread_mutex_unlock(&pool->lock);
	wait_ns = pool->idle(pool->idle_arg, now_ns());
	pthread_mutex_lock(&pool->lock);
	if (!pool->asked && !pool->stopping &&
	    atomic_load_explicit(&pool->fair_queue.queued, memory_order_relaxed) == 0)
		sleep_until_signal(thread, wait_ns);
	pool->watches = false;
}

static void begin_wait(struct thread *thread, uint64_t at_ns)
{
	linger_begin(&thread->linger, atomic_load_explicit(&thread->pool->linger_ns, memory_order_relaxed), at_ns);
	thread->waits = true;
	thread->lingers |= thread->linger.most_ns > 0;
}

static bool may_stay_awake(const struct thread *thread, uint64_t at_ns)
{
	if (thread->lingers && thread->linger.most_ns)
		return true;
	return (thread->lingers || atomic_load(&thread->pool->open)) && may_join(thread, at_ns);
}

void pool_wait(struct thread *thread)
{
	const struct pool *pool = thread->pool;
	const uint64_t at_ns = now_ns();

	if (!thread->waits)
		begin_wait(thread, at_ns);
	if (may_stay_awake(thread, at_ns)) {
		stay_awake(thread);
		return;
	}
	sleep_thread(thread);
	thread->lingers = thread->linger.most_ns == 0 && atomic_load_explicit(&pool->has_callers, memory_order_relaxed);
}

void pool_end_wait(struct thread *thread)
{
	if (thread->waits)
		linger_end(&thread->linger, now_ns());
	thread->waits = false;
}
