/* SPDX-License-Identifier: Apache-2.0 */
/* The caller begins at once, and stands in for the pool's thread of its CPU. It opens a stage to the other threads that
 * are awake, and they take chunks of it, too; threads that sleep are woken one by one as they miss work that pays for
 * it. The caller stays the owner: it alone advances the job, after the last thread has left the stage. One stage is
 * open at a time; other callers work alone meanwhile. */
#include "engine/scheduler/pool_caller.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/chunk.h"
#include "base/error.h"
#include "base/fpenv.h"
#include "base/spin.h"
#include "engine/scheduler/cost.h"
#include "engine/scheduler/pool_core.h"

enum {
	JOIN_NS = 5 * 1000,    /* of work in a stage, for threads that are awake: they begin in less than 1 us */
	WAKE_NS = 100 * 1000,  /* of work, in stages that follow closely, for each thread that is woken: its waker loses
				* 10 us, and it begins 20 to 80 us later */
	APART_NS = 50 * 1000,  /* between stages that do not follow closely: as long as threads stay awake */
	LONG_STAGE_NS = 4000 * 1000, /* of which a turn of another program is not most */
	SPIN_NS = 100 * 1000,     /* of waiting for the last chunks */
	SPINS_PER_LOOK = 32,
	ASK_NS = 50 * 1000 * 1000, /* between two questions to the caller whether to go on */
	BRIEF_NS = 4000,
	RUNS_UNTIMED = 15,
	SCRATCH_HERE = 34 << 10, /* bytes of the stack, for a job that needs no more: 128 points of 16 lanes need 33,152 */
	/* What waking a sleeping thread costs, about (a futex and a context switch); and the most that a job may keep a
	 * thread that serves others, and one that serves a lone client: if no thread joins it, as long as a chunk. */
	HAND_OVER_NS = 20 * 1000,
	HERE_MOST_NS = 80 * 1000,
	HERE_LONE_NS = CHUNK_MOST_NS,
};

/* ---- accounts ---- */

struct account *pool_open_account(struct pool *pool)
{
	struct account *account = aligned_alloc(_Alignof(struct account), sizeof *account);

	if (!account)
		return NULL;
	*account = (struct account){.runs = 0};
	pthread_mutex_lock(&pool->lock);
	account->next = pool->accounts;
	if (account->next)
		account->next->prev = account;
	pool->accounts = account;
	pthread_mutex_unlock(&pool->lock);
	return account;
}

void pool_close_account(struct pool *pool, struct account *account)
{
	if (!account)
		return;
	pthread_mutex_lock(&pool->lock);
	*(account->prev ? &account->prev->next : &pool->accounts) = account->next;
	if (account->next)
		account->next->prev = account->prev;
	lane_add(&account->lane, &pool->gone);
	atomic_fetch_add_explicit(&pool->here, atomic_load(&account->runs), memory_order_relaxed);
	pthread_mutex_unlock(&pool->lock);
	free(account);
}

static void count_runs(struct account *account, uint64_t more)
{
	const uint64_t runs = atomic_load_explicit(&account->runs, memory_order_relaxed);

	atomic_store_explicit(&account->runs, runs + more, memory_order_relaxed);
}

void pool_count_callers(struct pool *pool, uint64_t *ret_runs, struct lane *ret_lane)
{
	struct lane sum = {0};

	pthread_mutex_lock(&pool->lock);
	*ret_runs = atomic_load_explicit(&pool->here, memory_order_relaxed);
	lane_add(&pool->gone, &sum);
	for (const struct account *at = pool->accounts; at; at = at->next) {
		*ret_runs += atomic_load_explicit(&at->runs, memory_order_relaxed);
		lane_add(&at->lane, &sum);
	}
	pthread_mutex_unlock(&pool->lock);
	*ret_lane = sum;
}

/* ---- callers ---- */

static void caller_free(struct pool *pool, struct caller *caller)
{
	if (!caller)
		return;
	pool_close_account(pool, caller->account);
	free(caller->cursors);
	free(caller->scratch);
	free(caller);
}

static struct caller *caller_new(struct pool *pool)
{
	struct caller *caller = malloc(sizeof *caller);

	if (!caller)
		return NULL;
	*caller = (struct caller){.cursors = aligned_alloc(64, pool->n_threads * sizeof *caller->cursors),
				  .scratch = aligned_alloc(64, pool->scratch_bytes),
				  .account = pool_open_account(pool)};
	if (!caller->cursors || !caller->scratch || !caller->account) {
		caller_free(pool, caller);
		return NULL;
	}
	return caller;
}

/* Returns NULL without memory. */
static struct caller *caller_take(struct pool *pool)
{
	struct caller *caller = atomic_exchange_explicit(&pool->caller, NULL, memory_order_acquire);

	if (caller)
		return caller;
	pthread_mutex_lock(&pool->lock);
	if (pool->n_callers)
		caller = pool->callers[--pool->n_callers];
	pthread_mutex_unlock(&pool->lock);
	return caller ? caller : caller_new(pool);
}

static void caller_give(struct pool *pool, struct caller *caller)
{
	struct caller *none = NULL;

	if (atomic_compare_exchange_strong_explicit(&pool->caller, &none, caller, memory_order_release,
						    memory_order_relaxed))
		return;
	pthread_mutex_lock(&pool->lock);
	if (pool->n_callers < CALLERS_MAX) {
		pool->callers[pool->n_callers++] = caller;
		caller = NULL;
	}
	pthread_mutex_unlock(&pool->lock);
	caller_free(pool, caller);
}

void pool_free_callers(struct pool *pool)
{
	caller_free(pool, atomic_load_explicit(&pool->caller, memory_order_acquire));
	while (pool->n_callers)
		caller_free(pool, pool->callers[--pool->n_callers]);
}

/* ---- interruptions ---- */

/* Asks the program whether to go on, if it is time to. By the caller's thread, which no lane may be. */
static void ask_caller(struct job *job, uint64_t at_ns)
{
	if (!job->interrupted || at_ns < job->ask_ns)
		return;
	if (job->ask_ns && job->interrupted(job->interrupted_arg))
		atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
	job->ask_ns = at_ns + ASK_NS;
}

/* ---- stages with other threads ---- */

/* Their last chunks end soon, unless they have lost their CPUs. */
static bool spin_for_visitors(const struct pool *pool)
{
	const uint64_t end_ns = now_ns() + SPIN_NS;

	for (unsigned i = 1; atomic_load(&pool->visitors); i++) {
		spin_pause();
		if (i % SPINS_PER_LOOK == 0 && now_ns() >= end_ns)
			return false;
	}
	return true;
}

/* No thread works on the stage afterwards, nor will one. */
static void close_stage(struct pool *pool)
{
	atomic_store(&pool->open, NULL);
	if (!spin_for_visitors(pool)) {
		atomic_store(&pool->is_awaited, true);
		pthread_mutex_lock(&pool->lock);
		while (atomic_load(&pool->visitors))
			pthread_cond_wait(&pool->settled, &pool->lock);
		pthread_mutex_unlock(&pool->lock);
		atomic_store(&pool->is_awaited, false);
	}
	atomic_flag_clear(&pool->sharing);
}

/* Wakes threads of other CPUs. Those that lost theirs would keep a short stage waiting. */
static void wake_for_caller(struct pool *pool, unsigned seat, size_t wanted, uint64_t at_ns)
{
	const bool is_long = atomic_load_explicit(&pool->is_long, memory_order_relaxed);
	struct thread *woken[ENGINE_LANES];
	size_t n = 0;

	atomic_store_explicit(&pool->has_callers, true, memory_order_relaxed);
	pthread_mutex_lock(&pool->lock); /* who is about to sleep has looked for an open stage with the lock */
	for (unsigned i = 1; i < pool->n_threads && n < wanted; i++) {
		struct thread *thread = &pool->threads[(seat + i) % pool->n_threads];

		if (thread->sleeps && (is_long || !pin_has_lost(&thread->pin, at_ns))) {
			thread->waits = false; /* a new wait, if it comes too late for this stage */
			linger_open(&thread->linger);
			woken[n++] = pool_end_sleep(thread);
		}
	}
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; i < n; i++)
		pthread_cond_signal(&woken[i]->wake);
}

/* Returns whether to open a stage of so much work: threads are awake, or it pays for waking them. */
static bool is_worth_sharing(const struct pool *pool, const struct caller *caller, uint64_t work_ns)
{
	return work_ns >= JOIN_NS &&
	       (atomic_load_explicit(&pool->sleepers, memory_order_relaxed) < pool->n_threads ||
		caller->missed_ns + work_ns >= WAKE_NS);
}

/* Chunks before `first` are done. Returns false if another caller's stage is shared. */
static bool share_stage(struct pool *pool, struct job *job, struct caller *caller, size_t first, uint64_t work_ns,
			uint64_t *start_ns)
{
	const unsigned seat = pool_seat(pool);
	size_t chunk;

	if (atomic_flag_test_and_set(&pool->sharing))
		return false;
	pool_set_cursors(pool, caller->cursors, first, job->n_chunks);
	job->cursors = caller->cursors;
	atomic_store_explicit(&pool->seat, seat, memory_order_relaxed);
	atomic_store_explicit(&pool->is_long, work_ns >= LONG_STAGE_NS, memory_order_relaxed);
	atomic_store(&pool->open, job);
	caller->missed_ns += work_ns;
	if (caller->missed_ns >= WAKE_NS)
		wake_for_caller(pool, seat, caller->missed_ns / WAKE_NS, *start_ns);
	caller->missed_ns %= WAKE_NS;
	while (pool_claim_chunk(pool, job, seat, &chunk)) {
		pool_run_chunk(pool, job, chunk, true, caller->scratch, start_ns);
		ask_caller(job, *start_ns);
	}
	close_stage(pool);
	*start_ns = now_ns();
	job->cursors = NULL;
	return true;
}

/* Alone until it is worth sharing, which its first chunk may show. */
static void run_stage(struct pool *pool, struct job *job, struct caller *caller, bool shares_threads, uint64_t *start_ns)
{
	uint64_t chunk_ns = cost_expect(job->cost, job->chunk_ns); /* 0: not known */

	if (*start_ns - caller->last_ns > APART_NS)
		caller->missed_ns = 0;
	for (size_t chunk = 0; chunk < job->n_chunks; chunk++) {
		const size_t rest = job->n_chunks - chunk;

		if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
			return;
		if (shares_threads && !job->single_thread && rest > 1 && is_worth_sharing(pool, caller, rest * chunk_ns) &&
		    share_stage(pool, job, caller, chunk, rest * chunk_ns, start_ns))
			break;
		chunk_ns = pool_run_chunk(pool, job, chunk, true, caller->scratch, start_ns);
		caller->missed_ns += chunk_ns;
		ask_caller(job, *start_ns);
	}
	caller->last_ns = *start_ns;
}

/* Until the job ends or cannot go on here; what advance() said last. */
static int run_stages(struct pool *pool, struct job *job, struct caller *caller, bool shares_threads)
{
	uint64_t start_ns = now_ns();

	shares_threads = shares_threads && pool->n_threads > 1;
	while (true) {
		int next;

		ask_caller(job, start_ns);
		if (pool_job_stops(job, start_ns))
			return -ERROR_CANCELLED;
		next = job->ops->advance(job);
		if (next == JOB_AGAIN && job->runs_in_caller)
			start_ns = now_ns();
		else if (next != JOB_STAGE)
			return next;
		else
			run_stage(pool, job, caller, shares_threads, &start_ns);
	}
}

/* ---- jobs that run again and again ---- */

/* A look at the clock takes as long as a short draw: one run of several is timed, and stands for the others. */
static void run_only_chunk(struct job *job, void *scratch)
{
	struct lane *lane = &job->account->lane;
	uint64_t start_ns, words;

	if (job->untimed > 0) {
		job->untimed--;
		lane_record_alone(lane, job->ops->run(job, 0, scratch), job->brief_ns);
		return;
	}
	start_ns = now_ns();
	words = job->ops->run(job, 0, scratch);
	job->brief_ns = now_ns() - start_ns;
	job->untimed = job->brief_ns < BRIEF_NS ? RUNS_UNTIMED : 0;
	lane_record_alone(lane, words, job->brief_ns);
}

/* Runs the stage that advance() has begun, and those that follow. */
static int run_brief_stages(struct pool *pool, struct job *job, struct caller *caller)
{
	const bool shares_threads = job->runs_in_caller && pool->n_threads > 1;
	uint64_t start_ns;
	int next;

	do {
		if (job->n_chunks == 1) {
			run_only_chunk(job, caller->scratch);
			continue;
		}
		start_ns = now_ns();
		run_stage(pool, job, caller, shares_threads, &start_ns);
	} while ((next = job->ops->advance(job)) == JOB_STAGE);
	return next;
}

static int run_with_caller(struct pool *pool, struct job *job)
{
	struct caller *caller = caller_take(pool);
	int next;

	if (!caller)
		return -ERROR_NO_MEMORY;
	next = run_brief_stages(pool, job, caller);
	caller_give(pool, caller);
	return next;
}

/* Of a job that needs so little, there is no thread to join and nothing to take from the pool. */
static void run_here(struct job *job)
{
	alignas(64) char scratch[SCRATCH_HERE];

	run_only_chunk(job, scratch);
}

/* The only stage of a job that has one chunk is the same in every run, so later ones begin with it. */
static int run_first_stage(struct pool *pool, struct job *job)
{
	int next;

	if (job->n_chunks > 1 || job->scratch_bytes > SCRATCH_HERE)
		return run_with_caller(pool, job);
	run_here(job);
	next = job->ops->advance(job);
	job->is_single = next == JOB_END;
	return next;
}

static int run_job(struct pool *pool, struct job *job)
{
	int next;

	if (job->is_single) {
		run_here(job);
		return JOB_END;
	}
	next = job->ops->advance(job);
	return next == JOB_STAGE ? run_first_stage(pool, job) : next;
}

/* ---- the public functions ---- */

/* To hand over c of work to t threads takes two wakings and c / t: below this, c is done sooner where it arrived. A lone
 * client has no others to wait for it, and threads that are awake join. */
uint64_t pool_here_ns(const struct pool *pool, bool shares_threads)
{
	const unsigned threads = pool->n_threads;
	const uint64_t even = threads > 1 ? (uint64_t)2 * HAND_OVER_NS * threads / (threads - 1) : HERE_MOST_NS;

	if (shares_threads)
		return HERE_LONE_NS;
	return even < HERE_MOST_NS ? even : HERE_MOST_NS;
}

/* It goes on with the threads, now or when it is woken. */
static void go_on(struct pool *pool, struct job *job, bool now)
{
	pthread_mutex_lock(&pool->lock);
	pool->submitted++;
	job->runs_in_caller = false;
	if (now || job->woken)
		pool_queue_job(pool, job);
	else
		job->state = STATE_WAITING;
	pthread_mutex_unlock(&pool->lock);
}

/* A small request ends here without the lock: until it has to go on with the threads its state stays what it was, which
 * lets those who wake or cancel it see that it does not wait. */
void pool_run_here(struct pool *pool, struct job *job)
{
	struct caller *caller = caller_take(pool);
	struct fpenv_saved saved;
	int next;

	if (!caller) {
		go_on(pool, job, true);
		return;
	}
	saved = fpenv_enter();
	next = run_stages(pool, job, caller, job->runs_in_caller);
	fpenv_leave(saved);

	if (next != JOB_AGAIN && next != JOB_WAIT)
		count_runs(caller->account, 1);
	caller_give(pool, caller);
	if (next == JOB_AGAIN || next == JOB_WAIT) {
		go_on(pool, job, next == JOB_AGAIN);
		return;
	}
	job->ops->finish(job, next);
}

int pool_run_now(struct pool *pool, struct job *job)
{
	const struct fpenv_saved saved = fpenv_enter();
	const int next = run_job(pool, job);

	fpenv_leave(saved);
	count_runs(job->account, 1);
	return next;
}

void pool_count_alone(struct pool *pool, unsigned runs, uint64_t words, uint64_t took_ns)
{
	struct caller *caller = caller_take(pool);

	if (!caller)
		return;
	lane_record_several(&caller->account->lane, runs, words, took_ns);
	count_runs(caller->account, runs);
	caller_give(pool, caller);
}
