/* SPDX-License-Identifier: Apache-2.0 */
/* The pool with jobs of the test's own: every chunk once, stages in order, queue, waiting, cancelling. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "engine/scheduler/pool.h"
#include "engine/scheduler/pool_caller.h"

enum { STAGES = 5, MOST = 1000 };

static const size_t stage_chunks[STAGES] = {1, 1000, 0, 127, 129};

struct task {
	struct job job; /* first */
	struct fair_entry fair_entry;
	int stage;
	atomic_uint runs[STAGES][MOST];
	atomic_uint live; /* chunks that run now */
	atomic_int finished, error;
	/* The plan of the test. */
	int kind;
	size_t n_chunks;
	atomic_size_t done_units;
	struct pool *pool;
	struct task *other;
	size_t other_done_at; /* chunks of this one that were done when the other finished */
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

static struct lane lanes[ENGINE_LANES];

static struct task *task_new(struct pool *pool, const struct job_ops *ops, struct fair_entry *fair_entry)
{
	struct task *task = calloc(1, sizeof *task);

	assert_non_null(task);
	task->job.ops = ops;
	task->job.fair_entry = fair_entry ? fair_entry : &task->fair_entry;
	task->pool = pool;
	task->stage = -1;
	pthread_mutex_init(&task->lock, NULL);
	pthread_cond_init(&task->changed, NULL);
	return task;
}

static void task_finish(struct job *job, int error)
{
	struct task *task = (struct task *)job;

	pthread_mutex_lock(&task->lock);
	atomic_store(&task->error, error);
	atomic_fetch_add(&task->finished, 1);
	pthread_cond_broadcast(&task->changed);
	pthread_mutex_unlock(&task->lock);
}

static void task_wait(struct task *task)
{
	pthread_mutex_lock(&task->lock);
	while (!atomic_load(&task->finished))
		pthread_cond_wait(&task->changed, &task->lock);
	pthread_mutex_unlock(&task->lock);
}

static struct pool *pool_new(unsigned threads)
{
	struct pool *pool;

	memset(lanes, 0, sizeof lanes);
	assert_int_equal(pool_create(threads, 4096, lanes, &pool), 0);
	return pool;
}

/* --- stages --- */

static int staged_advance(struct job *job)
{
	struct task *task = (struct task *)job;

	assert_int_equal(atomic_load(&task->live), 0);
	if (++task->stage == STAGES)
		return JOB_END;
	job->n_chunks = stage_chunks[task->stage];
	return JOB_STAGE;
}

static uint64_t staged_run(struct job *job, size_t chunk, void *scratch)
{
	struct task *task = (struct task *)job;

	atomic_fetch_add(&task->live, 1);
	assert_int_equal((uintptr_t)scratch % 64, 0);
	memset(scratch, (int)chunk, 4096);
	atomic_fetch_add(&task->runs[task->stage][chunk], 1);
	atomic_fetch_sub(&task->live, 1);
	return 3;
}

static const struct job_ops staged = {staged_advance, staged_run, task_finish};

static void check_runs(struct task *task)
{
	assert_int_equal(atomic_load(&task->finished), 1);
	assert_int_equal(atomic_load(&task->error), 0);
	for (int s = 0; s < STAGES; s++)
		for (size_t u = 0; u < MOST; u++)
			if (atomic_load(&task->runs[s][u]) != (u < stage_chunks[s]))
				fail_msg("stage %d chunk %zu ran %u times", s, u, atomic_load(&task->runs[s][u]));
}

static void test_every_unit_once(void **state)
{
	static const unsigned threads[] = {1, 2, 3, 7, 128};

	(void)state;
	for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
		struct pool *pool = pool_new(threads[t]);
		struct task *tasks[20];
		struct fair_entry shared = {0};
		uint64_t chunks = 0, words = 0;

		for (size_t i = 0; i < 20; i++) {
			tasks[i] = task_new(pool, &staged, i % 2 ? &shared : NULL);
			if (i % 5)
				pool_submit(pool, &tasks[i]->job);
			else
				pool_run_here(pool, &tasks[i]->job);
		}
		for (size_t i = 0; i < 20; i++)
			task_wait(tasks[i]);
		pool_destroy(pool);
		for (size_t i = 0; i < 20; i++) {
			check_runs(tasks[i]);
			free(tasks[i]);
		}
		for (size_t l = 0; l < ENGINE_LANES; l++) {
			chunks += lanes[l].chunks;
			words += lanes[l].words;
			/* Chunks 0..127 and their likes: each lane has its own in every stage. */
			if (lanes[l].chunks < 20 * (1000 / 128))
				fail_msg("lane %zu has only %llu chunks", l, (unsigned long long)lanes[l].chunks);
		}
		assert_int_equal(chunks, 20 * (1 + 1000 + 127 + 129));
		assert_int_equal(words, 3 * chunks);
	}
}

/* --- turns --- */

static int counted_advance(struct job *job)
{
	struct task *task = (struct task *)job;

	if (++task->stage > 0)
		return JOB_END;
	job->n_chunks = task->n_chunks;
	return JOB_STAGE;
}

/* The large job starts the small one from its own first chunk, so that it is certainly running by then. */
static uint64_t large_run(struct job *job, size_t chunk, void *scratch)
{
	struct task *task = (struct task *)job;

	(void)chunk;
	(void)scratch;
	if (atomic_fetch_add(&task->done_units, 1) == 0)
		pool_submit(task->pool, &task->other->job);
	return 0;
}

static uint64_t small_run(struct job *job, size_t chunk, void *scratch)
{
	(void)job;
	(void)chunk;
	(void)scratch;
	return 0;
}

static void small_finish(struct job *job, int error)
{
	struct task *task = (struct task *)job;

	task->other_done_at = atomic_load(&task->other->done_units);
	task_finish(job, error);
}

static const struct job_ops large = {counted_advance, large_run, task_finish};
static const struct job_ops small = {counted_advance, small_run, small_finish};

/* A small job that comes while a large one runs ends after a few chunks of it, in another turn or the same. */
static void test_turns(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 8; threads *= 2)
		for (int same = 0; same < 2; same++) {
			struct pool *pool = pool_new(threads);
			struct fair_entry fair_entry = {0};
			struct task *a = task_new(pool, &large, &fair_entry),
				    *b = task_new(pool, &small, same ? &fair_entry : NULL);

			a->n_chunks = 1 << 20;
			b->n_chunks = 4;
			a->other = b;
			b->other = a;
			pool_submit(pool, &a->job);
			task_wait(b);
			pool_cancel(pool, &a->job);
			task_wait(a);
			pool_destroy(pool);
			assert_int_equal(atomic_load(&a->error), -ERROR_CANCELLED);
			assert_int_equal(atomic_load(&b->error), 0);
			if (b->other_done_at >= a->n_chunks)
				fail_msg("%u threads: the small job ended after all of the large one's chunks",
					 threads);
			free(a);
			free(b);
		}
}

/* ------- shares -------
 * Turns are given by the time that chunks took, and another program may have the CPU in the middle of one: what is
 * asked is the median of several rounds. */

static int by_size(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static size_t median_of(size_t (*round)(unsigned threads), unsigned threads)
{
	enum { ROUNDS = 7 };
	size_t got[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++)
		got[i] = round(threads);
	qsort(got, ROUNDS, sizeof got[0], by_size);
	return got[ROUNDS / 2];
}

static size_t unit_by_unit(unsigned threads)
{
	struct pool *pool = pool_new(threads);
	struct task *a = task_new(pool, &large, NULL), *b = task_new(pool, &small, NULL);
	size_t done_at;

	a->n_chunks = 1000;
	b->n_chunks = 4;
	a->other = b;
	b->other = a;
	pool_submit(pool, &a->job);
	task_wait(a);
	task_wait(b);
	pool_destroy(pool);
	done_at = b->other_done_at;
	free(a);
	free(b);
	return done_at;
}

/* On one thread the order is exact: advance and four chunks, each after one of the large job's. */
static void test_turns_are_taken_unit_by_unit(void **state)
{
	size_t done_at = median_of(unit_by_unit, 1);

	(void)state;
	if (done_at > 8)
		fail_msg("4 chunks took turns with %zu of the other job, expected at most 8", done_at);
}

/* Some 30 us of this thread's time. */
static uint64_t spinning_run(struct job *job, size_t chunk, void *scratch)
{
	struct timespec now;
	uint64_t begin_ns, now_ns;

	(void)chunk;
	(void)scratch;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	begin_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	} while (now_ns - begin_ns < 30000);
	atomic_fetch_add(&((struct task *)job)->done_units, 1);
	return 0;
}

static const struct job_ops heavier = {counted_advance, spinning_run, small_finish};
static const struct job_ops lighter = {counted_advance, spinning_run, task_finish};

static size_t three_to_one(unsigned threads)
{
	struct pool *pool = pool_new(threads);
	struct fair_entry three = {.weight = 3}, one = {.weight = 1};
	struct task *a = task_new(pool, &heavier, &three), *b = task_new(pool, &lighter, &one);
	size_t done_at;

	a->n_chunks = 1500;
	b->n_chunks = 1 << 20;
	a->other = b;
	pool_submit(pool, &b->job);
	pool_submit(pool, &a->job);
	task_wait(a);
	pool_cancel(pool, &b->job);
	task_wait(b);
	pool_destroy(pool);
	done_at = a->other_done_at;
	free(a);
	free(b);
	return done_at;
}

/* Weights of 3 and 1: when the heavier one's chunks are done, a third as many of the other are. Counted, not timed. Beside
 * busy processes the few chunks that are interrupted may last longer than all others together, and even the median
 * varies: one of several has to be right. */
static void test_weights(void **state)
{
	enum { TRIES = 8 };

	(void)state;
	for (unsigned threads = 1; threads <= 3; threads++) {
		size_t done_at = 0;

		for (int i = 0; i < TRIES && (done_at < 333 || done_at > 750); i++)
			done_at = median_of(three_to_one, threads);
		if (done_at < 333 || done_at > 750)
			fail_msg("%u threads: beside 1500 chunks at weight 3 weight 1 had %zu, expected 500", threads,
				 done_at);
	}
}

/* --- again, wait, cancel --- */

static int again_advance(struct job *job)
{
	return ++((struct task *)job)->stage < 100 ? JOB_AGAIN : JOB_END;
}

static int wait_advance(struct job *job)
{
	return ++((struct task *)job)->stage < 50 ? JOB_WAIT : JOB_END;
}

static const struct job_ops again = {again_advance, NULL, task_finish};
static const struct job_ops waiting = {wait_advance, NULL, task_finish};

static void test_again_and_wait(void **state)
{
	struct pool *pool = pool_new(3);
	struct task *a = task_new(pool, &again, NULL), *b = task_new(pool, &waiting, NULL);
	struct task *here = task_new(pool, &again, NULL), *here_waiting = task_new(pool, &waiting, NULL);

	(void)state;
	pool_submit(pool, &a->job);
	pool_submit(pool, &b->job);
	pool_run_here(pool, &here->job);
	pool_run_here(pool, &here_waiting->job);
	/* A wake is kept when it comes before the wait, but two may be one: so until it ends. */
	while (!atomic_load(&b->finished))
		pool_wake(pool, &b->job);
	while (!atomic_load(&here_waiting->finished))
		pool_wake(pool, &here_waiting->job);
	task_wait(a);
	task_wait(here);
	pool_destroy(pool);
	assert_int_equal(a->stage, 100);
	assert_int_equal(b->stage, 50);
	assert_int_equal(here->stage, 100);
	assert_int_equal(here_waiting->stage, 50);
	free(a);
	free(b);
	free(here);
	free(here_waiting);
}

static void test_cancel_before_while_waiting_and_at_end(void **state)
{
	struct pool *pool = pool_new(2);
	struct task *before = task_new(pool, &staged, NULL), *parked = task_new(pool, &waiting, NULL);
	struct task *ended = task_new(pool, &staged, NULL);
	uint64_t running, finished;

	(void)state;
	pool_cancel(pool, &before->job);
	pool_submit(pool, &before->job);
	pool_submit(pool, &parked->job);
	pool_submit(pool, &ended->job);
	task_wait(ended);
	pool_cancel(pool, &ended->job);
	pool_cancel(pool, &parked->job);
	task_wait(before);
	task_wait(parked);
	pool_counts(pool, &running, &finished);
	assert_int_equal(running, 0);
	assert_int_equal(finished, 3);
	pool_destroy(pool);
	assert_int_equal(atomic_load(&before->error), -ERROR_CANCELLED);
	assert_int_equal(atomic_load(&parked->error), -ERROR_CANCELLED);
	assert_int_equal(atomic_load(&ended->error), 0);
	free(before);
	free(parked);
	free(ended);
}

/* How many threads are a pool's by name and may run on one CPU only, all on different ones. */
static unsigned pinned_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	cpu_set_t seen, set, both;
	unsigned count = 0;

	assert_non_null(tasks);
	CPU_ZERO(&seen);
	for (struct dirent *entry; (entry = readdir(tasks));) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof name, file) && strncmp(name, "trnsci-", 7) == 0 &&
		    sched_getaffinity(atoi(entry->d_name), sizeof set, &set) == 0 && CPU_COUNT(&set) == 1) {
			CPU_AND(&both, &seen, &set);
			assert_int_equal(CPU_COUNT(&both), 0);
			CPU_OR(&seen, &seen, &set);
			count++;
		}
		fclose(file);
	}
	closedir(tasks);
	return count;
}

static void test_pins_one_thread_to_each_cpu(void **state)
{
	struct pool *pool;
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	const unsigned cpus = (unsigned)CPU_COUNT(&set);
	if (cpus >= ENGINE_LANES || cpus < 2) {
		print_message("# skipped: %u CPUs\n", cpus);
		return;
	}
	for (unsigned threads = cpus; threads <= cpus + 1; threads++) {
		assert_int_equal(pool_create(threads, 4096, lanes, &pool), 0);
		assert_int_equal(pinned_threads(), 0);
		pool_pin(pool);
		assert_int_equal(pinned_threads(), threads == cpus ? cpus : 0);
		pool_destroy(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pins_one_thread_to_each_cpu),
		cmocka_unit_test(test_every_unit_once),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_turns_are_taken_unit_by_unit),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_again_and_wait),
		cmocka_unit_test(test_cancel_before_while_waiting_and_at_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
