/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs in their callers' threads, which the pool's threads join: every chunk once, stage by stage, never more threads than
 * there are CPUs for. Threads are waited for, so a pool whose threads do not join does not end. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "engine/scheduler/cost.h"
#include "engine/scheduler/cpus.h"
#include "engine/scheduler/pool.h"
#include "engine/scheduler/pool_caller.h"
#include "engine/scheduler/pool_core.h"

enum { STAGES = 4, MOST = 600, CALLERS = 4, ROUNDS = 50, LONG_NS = 1000 * 1000 };

static const size_t stage_chunks[STAGES] = {600, 1, 257, 130};

struct task {
	struct job job; /* must be the first member */
	struct fair_entry fair_entry;
	struct pool *pool;
	pthread_t caller;
	int stage;
	bool waits_for_others; /* the caller's first chunk of a long stage does */
	size_t cancels_at;     /* chunk of stage 0 that cancels the job; MOST: none */
	atomic_uint runs[STAGES][MOST], others[STAGES];
	atomic_uint live, most_live;
	unsigned finished;
	int error;
};

static struct lane lanes[ENGINE_LANES];

static int advance(struct job *job)
{
	struct task *task = (struct task *)job;

	assert_int_equal(atomic_load(&task->live), 0);
	assert_true(pthread_equal(pthread_self(), task->caller));
	if (++task->stage == STAGES)
		return JOB_END;
	job->n_chunks = stage_chunks[task->stage];
	job->chunk_ns = LONG_NS;
	return JOB_STAGE;
}

static uint64_t run(struct job *job, size_t chunk, void *scratch)
{
	struct task *task = (struct task *)job;
	const unsigned live = atomic_fetch_add(&task->live, 1) + 1;
	const int stage = task->stage;

	if (live > atomic_load(&task->most_live))
		atomic_store(&task->most_live, live);
	memset(scratch, (int)chunk, 64);
	atomic_fetch_add(&task->runs[stage][chunk], 1);
	if (stage == 0 && chunk == task->cancels_at)
		pool_cancel(task->pool, job);
	if (!pthread_equal(pthread_self(), task->caller))
		atomic_fetch_add(&task->others[stage], 1);
	else if (task->waits_for_others && stage_chunks[stage] > 1)
		while (atomic_load(&task->others[stage]) == 0)
			;
	atomic_fetch_sub(&task->live, 1);
	return 1;
}

static void finish(struct job *job, int error)
{
	struct task *task = (struct task *)job;

	task->finished++;
	task->error = error;
}

static const struct job_ops ops = {advance, run, finish};

static struct task *task_run(struct pool *pool, bool waits_for_others, size_t cancels_at)
{
	struct task *task = calloc(1, sizeof *task);

	assert_non_null(task);
	task->pool = pool;
	task->caller = pthread_self();
	task->stage = -1;
	task->waits_for_others = waits_for_others;
	task->cancels_at = cancels_at;
	task->job.ops = &ops;
	task->job.fair_entry = &task->fair_entry;
	task->job.runs_in_caller = true;
	pool_run_here(pool, &task->job);
	assert_int_equal(task->finished, 1);
	return task;
}

static struct pool *pool_new(unsigned threads)
{
	struct pool *pool;

	assert_int_equal(pool_create(threads, 4096, lanes, &pool), 0);
	return pool;
}

static void check_runs(const struct task *task)
{
	assert_int_equal(task->error, 0);
	for (int s = 0; s < STAGES; s++)
		for (size_t i = 0; i < MOST; i++)
			if (task->runs[s][i] != (i < stage_chunks[s]))
				fail_msg("stage %d chunk %zu ran %u times", s, i, task->runs[s][i]);
}

static void threads_join(void **state)
{
	static const unsigned threads[] = {2, 3, 16};

	(void)state;
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		struct pool *pool = pool_new(threads[i]);

		for (int k = 0; k < ROUNDS; k++) {
			struct task *task = task_run(pool, true, MOST);

			check_runs(task);
			if (task->most_live > threads[i])
				fail_msg("%u chunks ran at once, allowed are %u", task->most_live, threads[i]);
			free(task);
		}
		pool_destroy(pool);
	}
}

static void one_thread_is_the_caller(void **state)
{
	struct pool *pool = pool_new(1);
	struct task *task = task_run(pool, false, MOST);

	(void)state;
	check_runs(task);
	for (int s = 0; s < STAGES; s++)
		assert_int_equal(task->others[s], 0);
	free(task);
	pool_destroy(pool);
}

static void cancelled(void **state)
{
	struct pool *pool = pool_new(3);

	(void)state;
	for (size_t at = 0; at < stage_chunks[0]; at += 97) {
		struct task *task = task_run(pool, false, at);

		assert_int_equal(task->error, -ERROR_CANCELLED);
		assert_int_equal(task->stage, 0);
		assert_int_equal(atomic_load(&task->live), 0);
		free(task);
	}
	pool_destroy(pool);
}

static void *call_often(void *pool)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct task *task = task_run(pool, false, MOST);

		check_runs(task);
		free(task);
	}
	return NULL;
}

static void several_callers(void **state)
{
	struct pool *pool = pool_new(3);
	pthread_t threads[CALLERS];

	(void)state;
	for (int i = 0; i < CALLERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_often, pool), 0);
	for (int i = 0; i < CALLERS; i++)
		pthread_join(threads[i], NULL);
	pool_destroy(pool);
}

/* ---- short stages, long chunks ---- */

struct stage_task {
	struct job job; /* must be the first member */
	struct fair_entry fair_entry;
	struct pool *pool;
	pthread_t caller, seat; /* seat: the thread that the caller stands in for */
	bool begun, holds; /* holds: a thread keeps its chunk until the caller sleeps */
	uint64_t keeps_ns; /* and so much longer */
	atomic_uint runs, others, seated; /* seated: by that one */
	atomic_bool ended; /* one that was submitted: the last thing that is written */
};

enum { SHORT_CHUNKS = 16, SHORT_NS = 2000 };

static int advance_once(struct job *job)
{
	struct stage_task *task = (struct stage_task *)job;

	if (task->begun)
		return JOB_END;
	task->begun = true;
	job->n_chunks = SHORT_CHUNKS;
	job->chunk_ns = task->holds ? LONG_NS : SHORT_NS;
	return JOB_STAGE;
}

static uint64_t run_briefly(struct job *job, size_t chunk, void *scratch)
{
	struct stage_task *task = (struct stage_task *)job;
	const uint64_t end_ns = now_ns() + SHORT_NS;
	const bool is_other = !pthread_equal(pthread_self(), task->caller);

	(void)chunk;
	(void)scratch;
	atomic_fetch_add(&task->others, is_other);
	atomic_fetch_add(&task->seated, is_other && pthread_equal(pthread_self(), task->seat));
	while (task->holds && is_other && !atomic_load(&task->pool->is_awaited))
		;
	for (const uint64_t end = now_ns() + task->keeps_ns; is_other && now_ns() < end;)
		;
	while (task->holds && !is_other && atomic_load(&task->others) == 0)
		;
	while (now_ns() < end_ns)
		;
	atomic_fetch_add(&task->runs, 1);
	return 1;
}

static void finish_once(struct job *job, int error)
{
	(void)job;
	assert_int_equal(error, 0);
}

static void finish_submitted(struct job *job, int error)
{
	assert_int_equal(error, 0);
	atomic_store(&((struct stage_task *)job)->ended, true);
}

static const struct job_ops submitted_ops = {advance_once, run_briefly, finish_submitted};
static const struct job_ops once_ops = {advance_once, run_briefly, finish_once};

/* Returns how many chunks other threads ran. */
static unsigned run_either(struct pool *pool, bool holds, uint64_t keeps_ns, bool single_thread)
{
	struct stage_task task = {.job = {.ops = &once_ops, .fair_entry = &task.fair_entry, .runs_in_caller = true, .single_thread = single_thread},
				  .pool = pool,
				  .caller = pthread_self(),
				  .seat = pool->threads[pool_seat(pool)].id,
				  .holds = holds,
				  .keeps_ns = keeps_ns};

	pool_run_here(pool, &task.job);
	assert_int_equal(task.runs, SHORT_CHUNKS);
	assert_int_equal(task.seated, 0);
	return task.others;
}

static unsigned run_once(struct pool *pool, bool holds, uint64_t keeps_ns)
{
	return run_either(pool, holds, keeps_ns, false);
}

/* None of them is worth a wake-up, all together are. */
static void short_calls_are_joined(void **state)
{
	struct pool *pool = pool_new(3);

	(void)state;
	for (int i = 0; i < ROUNDS; i++)
		while (run_once(pool, false, 0) == 0)
			;
	pool_destroy(pool);
}

/* Though threads are awake. */
static void stages_of_one_thread_are_not_joined(void **state)
{
	struct pool *pool = pool_new(3);

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		while (run_once(pool, false, 0) == 0)
			;
		assert_int_equal(run_either(pool, false, 0, true), 0);
	}
	pool_destroy(pool);
}

/* Threads that look for more work take the next call's, and those that find none sleep in the end. */
static void lingering_threads_join_and_sleep(void **state)
{
	struct pool *pool = pool_new(3);

	(void)state;
	pool_set_linger(pool, LONG_NS);
	for (int i = 0; i < ROUNDS; i++)
		while (run_once(pool, false, 0) == 0)
			;
	while (atomic_load(&pool->sleepers) < 3)
		sched_yield();
	assert_true(run_once(pool, true, 0) > 0);
	pool_destroy(pool);
}

/* Jobs of the pool's own end however their submission meets threads that linger, are about to sleep, or sleep. */
static void lingering_threads_miss_no_job(void **state)
{
	struct pool *pool = pool_new(3);

	(void)state;
	pool_set_linger(pool, SHORT_NS * 10);
	for (int i = 0; i < 20 * ROUNDS; i++) {
		struct stage_task task = {.job = {.ops = &submitted_ops, .fair_entry = &task.fair_entry},
					  .pool = pool,
					  .caller = pthread_self()};

		atomic_init(&task.ended, false);
		pool_submit(pool, &task.job);
		while (!atomic_load(&task.ended))
			sched_yield();
		assert_int_equal(task.runs, SHORT_CHUNKS);
		for (const uint64_t end = now_ns() + (uint64_t)(i % 40) * 1000; now_ns() < end;)
			;
	}
	pool_destroy(pool);
}

static void the_last_chunk_is_waited_for(void **state)
{
	struct pool *pool = pool_new(3);

	(void)state;
	for (int i = 0; i < ROUNDS; i++)
		assert_true(run_once(pool, true, 0) > 0);
	pool_destroy(pool);
}

static bool have_lost(struct pool *pool)
{
	return pin_has_lost(&pool->threads[0].pin, now_ns()) && pin_has_lost(&pool->threads[1].pin, now_ns());
}

static void set_rests(struct pool *pool, uint64_t until_ns)
{
	for (unsigned i = 0; i < 2; i++)
		atomic_store(&pool->threads[i].pin.until_ns, until_ns);
}

/* Threads that keep their caller waiting leave short stages alone for a while. One in which the caller itself loses its
 * CPU is not short. */
static void losses_end_sharing(void **state)
{
	struct pool *pool = pool_new(3);

	(void)state;
	for (int i = 0; i < 3; i++) {
		int joined = 0;

		while (!have_lost(pool))
			run_once(pool, false, LONG_NS);
		set_rests(pool, UINT64_MAX);
		for (int k = 0; k < ROUNDS; k++)
			joined += run_once(pool, false, 0) > 0;
		assert_in_range(joined, 0, ROUNDS / 2);
		set_rests(pool, 0);
		while (run_once(pool, false, 0) == 0)
			;
	}
	pool_destroy(pool);
}

/* Wherever the caller runs, the thread that is pinned there would only keep it from its CPU. */
static void the_callers_cpu_is_its_own(void **state)
{
	cpu_set_t all;
	unsigned cpus;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	cpus = (unsigned)CPU_COUNT(&all);
	if (cpus < 2 || cpus > ENGINE_LANES)
		skip();
	struct pool *pool = pool_new(cpus);

	pool_pin(pool);
	for (unsigned i = 0; i < cpus; i++) {
		cpus_pin(pthread_self(), &all, i);
		assert_int_equal(pool_seat(pool), i);
		for (int k = 0; k < ROUNDS; k++)
			run_once(pool, false, 0);
	}
	cpus_unpin(pthread_self(), &all);
	pool_destroy(pool);
}

/* ---- costs ---- */

static void costs_are_learned(void **state)
{
	struct cost cost = {0};

	(void)state;
	assert_int_equal(cost_expect(NULL, 5000), 5000);
	assert_int_equal(cost_expect(&cost, 5000), 5000);
	cost_learn(&cost, 1000, 250);
	assert_int_equal(cost_expect(&cost, 8000), 2000);
	for (int i = 0; i < 200; i++)
		cost_learn(&cost, 1000, 500);
	assert_in_range(cost_expect(&cost, 8000), 3500, 4000);
	cost_learn(&cost, 1000, UINT64_MAX); /* one that lost its CPU */
	assert_in_range(cost_expect(&cost, 8000), 3500, 4400);
	for (int i = 0; i < 50; i++)
		cost_learn(&cost, 1000, 500);
	assert_in_range(cost_expect(&cost, 8000), 3500, 4500);
	cost_learn(&cost, 0, 7);
	assert_int_equal(cost_expect(&cost, UINT64_MAX), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_join), cmocka_unit_test(one_thread_is_the_caller), cmocka_unit_test(cancelled),
		cmocka_unit_test(several_callers), cmocka_unit_test(short_calls_are_joined),
		cmocka_unit_test(stages_of_one_thread_are_not_joined),
		cmocka_unit_test(lingering_threads_join_and_sleep),
		cmocka_unit_test(lingering_threads_miss_no_job), cmocka_unit_test(the_last_chunk_is_waited_for),
		cmocka_unit_test(losses_end_sharing),
		cmocka_unit_test(the_callers_cpu_is_its_own), cmocka_unit_test(costs_are_learned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
