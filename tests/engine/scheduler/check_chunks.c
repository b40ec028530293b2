/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread takes which chunk of a stage: those that follow one another, then what the others have left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/scheduler/pool_core.h"

enum { MOST_THREADS = 5, MOST_CHUNKS = 40 };

struct stage {
	struct cursor cursors[MOST_THREADS];
	struct job job;
	struct pool *pool; /* of which only the number of threads counts */
};

static struct stage *stage_new(unsigned n_threads, uint64_t first, uint64_t n_chunks)
{
	struct stage *stage = aligned_alloc(64, sizeof *stage);

	assert_non_null(stage);
	stage->pool = aligned_alloc(64, sizeof *stage->pool);
	assert_non_null(stage->pool);
	stage->pool->n_threads = n_threads;
	stage->job = (struct job){.cursors = stage->cursors, .n_chunks = n_chunks};
	pool_set_cursors(stage->pool, stage->cursors, first, n_chunks);
	return stage;
}

static void stage_free(struct stage *stage)
{
	free(stage->pool);
	free(stage);
}

/* Takes `most` chunks for a thread, or all that are left, which follow one another but where it goes on to another thread's.
 * Returns how many. */
static uint64_t take(struct stage *stage, unsigned thread, uint64_t most, unsigned taken[MOST_CHUNKS], unsigned *ret_jumps)
{
	uint64_t n = 0;
	size_t chunk, before = 0;

	for (*ret_jumps = 0; n < most && pool_claim_chunk(stage->pool, &stage->job, thread, &chunk); n++) {
		assert_true(chunk < stage->job.n_chunks);
		taken[chunk]++;
		*ret_jumps += n > 0 && chunk != before + 1;
		before = chunk;
	}
	return n;
}

static void expect_each_once(const unsigned taken[MOST_CHUNKS], uint64_t first, uint64_t n_chunks)
{
	for (uint64_t i = 0; i < MOST_CHUNKS; i++)
		assert_int_equal(taken[i], i >= first && i < n_chunks);
}

static void for_all(void (*check)(unsigned n_threads, uint64_t first, uint64_t n_chunks))
{
	for (unsigned n_threads = 1; n_threads <= MOST_THREADS; n_threads++)
		for (uint64_t first = 0; first < 4; first++)
			for (uint64_t n_chunks = first; n_chunks <= MOST_CHUNKS; n_chunks++)
				check(n_threads, first, n_chunks);
}

/* Threads that take their even part each have chunks that follow one another. */
static void check_even(unsigned n_threads, uint64_t first, uint64_t n_chunks)
{
	struct stage *stage = stage_new(n_threads, first, n_chunks);
	unsigned taken[MOST_CHUNKS] = {0}, jumps;

	for (unsigned i = 0; i < n_threads; i++) {
		const uint64_t part = (n_chunks - first + n_threads - 1 - i) / n_threads;

		assert_int_equal(take(stage, i, part, taken, &jumps), part);
		assert_int_equal(jumps, 0);
	}
	expect_each_once(taken, first, n_chunks);
	stage_free(stage);
}

/* A thread whose others never come takes all of it, theirs too, part by part. */
static void check_alone(unsigned n_threads, uint64_t first, uint64_t n_chunks)
{
	for (unsigned thread = 0; thread < n_threads; thread++) {
		struct stage *stage = stage_new(n_threads, first, n_chunks);
		unsigned taken[MOST_CHUNKS] = {0}, jumps;

		assert_int_equal(take(stage, thread, UINT64_MAX, taken, &jumps), n_chunks - first);
		assert_true(jumps <= (thread > 0)); /* back to the first part, once */
		expect_each_once(taken, first, n_chunks);
		stage_free(stage);
	}
}

static void test_even_parts_follow_one_another(void **state)
{
	(void)state;
	for_all(check_even);
}

static void test_one_thread_takes_what_others_leave(void **state)
{
	(void)state;
	for_all(check_alone);
}

static void test_none_of_a_cancelled_job(void **state)
{
	struct stage *stage = stage_new(2, 0, 10);
	unsigned taken[MOST_CHUNKS] = {0}, jumps;

	(void)state;
	assert_int_equal(take(stage, 1, 3, taken, &jumps), 3);
	atomic_store(&stage->job.cancelled, true);
	assert_int_equal(take(stage, 0, 3, taken, &jumps), 0);
	stage_free(stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_even_parts_follow_one_another),
		cmocka_unit_test(test_one_thread_takes_what_others_leave),
		cmocka_unit_test(test_none_of_a_cancelled_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
