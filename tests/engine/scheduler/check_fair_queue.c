/* SPDX-License-Identifier: Apache-2.0 */
/* Turns between clients, by their weights and the time they have had, and between a client's own jobs. Time is what the
 * tests say it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "engine/scheduler/fair_queue.h"

enum { US = 1000, UNIT = 60 * US, MANY = 100 };

struct client {
	struct fair_entry fair_entry;
	struct job job;
	uint64_t chunk_ns;
	size_t chunks;
};

static struct client client_of(unsigned weight, uint64_t chunk_ns)
{
	return (struct client){.fair_entry.weight = weight, .chunk_ns = chunk_ns};
}

static void enter(struct fair_queue *queue, struct client *client)
{
	client->job.fair_entry = &client->fair_entry;
	fair_queue_enter(queue, &client->job);
}

/* One thread gives a chunk. */
static struct client *serve(struct fair_queue *queue)
{
	uint64_t expected_ns;
	struct job *job = fair_queue_next(queue, &expected_ns);
	struct client *client;

	if (!job)
		return NULL;
	client = (struct client *)((char *)job - offsetof(struct client, job));
	client->chunks++;
	fair_queue_charge(queue, &client->fair_entry, client->chunk_ns, expected_ns);
	return client;
}

static void test_nobody(void **state)
{
	struct fair_queue queue = {0};

	(void)state;
	assert_null(serve(&queue));
}

static void test_jobs_of_one_client_alternate(void **state)
{
	struct fair_queue queue = {0};
	struct fair_entry a = {0};
	struct job job[3] = {{.fair_entry = &a}, {.fair_entry = &a}, {.fair_entry = &a}};
	uint64_t ns;

	(void)state;
	for (int i = 0; i < 3; i++)
		fair_queue_enter(&queue, &job[i]);
	for (int i = 0; i < 9; i++) {
		assert_ptr_equal(fair_queue_next(&queue, &ns), &job[i % 3]);
		fair_queue_charge(&queue, &a, UNIT, ns);
	}
}

/* However the threads interleave: as many chunks as the weights say, after every 36. */
static void test_units_are_in_the_ratio_of_weights(void **state)
{
	struct fair_queue queue = {0};
	struct client a = client_of(3, UNIT), b = client_of(1, UNIT), c = client_of(2, UNIT);

	(void)state;
	enter(&queue, &a);
	enter(&queue, &b);
	enter(&queue, &c);
	for (size_t chunk = 1; chunk <= 3600; chunk++) {
		serve(&queue);
		if (chunk % 36 == 0 &&
		    (a.chunks + 2 < chunk / 2 || b.chunks + 2 < chunk / 6 || c.chunks + 2 < chunk / 3))
			fail_msg("after %zu chunks weights of 3, 1 and 2 have had %zu, %zu and %zu", chunk, a.chunks,
				 b.chunks, c.chunks);
	}
}

/* Chunks of 10 us and of 240: the time is alike, the chunks are not. */
static void test_time_counts(void **state)
{
	struct fair_queue queue = {0};
	struct client brief = client_of(1, 10 * US), lengthy = client_of(0, 240 * US);

	(void)state;
	enter(&queue, &brief);
	enter(&queue, &lengthy);
	for (int chunk = 0; chunk < 25 * 100; chunk++)
		serve(&queue);
	assert_in_range(lengthy.chunks, 99, 101);
	assert_in_range(brief.chunks, 2399, 2401);
}

/* Many threads take a chunk each before the first one is done: they do not all serve the same client. */
static void test_threads_spread(void **state)
{
	enum { CLIENTS = 4, THREADS = 16, ROUNDS = 50 };
	struct fair_queue queue = {0};
	struct client clients[CLIENTS];

	(void)state;
	for (int i = 0; i < CLIENTS; i++) {
		clients[i] = client_of(1, UNIT);
		enter(&queue, &clients[i]);
	}
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t ns[THREADS];
		struct job *job[THREADS];

		for (int i = 0; i < CLIENTS; i++)
			clients[i].chunks = 0;
		for (int i = 0; i < THREADS; i++) {
			job[i] = fair_queue_next(&queue, &ns[i]);
			((struct client *)((char *)job[i] - offsetof(struct client, job)))->chunks++;
		}
		for (int i = 0; i < CLIENTS; i++)
			if (clients[i].chunks != THREADS / CLIENTS)
				fail_msg("round %d: client %d has %zu of %d threads, expected %d", round, i,
					 clients[i].chunks, THREADS, THREADS / CLIENTS);
		for (int i = 0; i < THREADS; i++)
			fair_queue_charge(&queue, job[i]->fair_entry, UNIT, ns[i]);
	}
}

/* It is next, whatever the weights of those who are there, but only once: it has saved nothing up. */
static void test_newcomer_is_next(void **state)
{
	struct fair_queue queue = {0};
	struct client old[MANY], new = client_of(1, UNIT);

	(void)state;
	for (int i = 0; i < MANY; i++) {
		old[i] = client_of(i % 2 ? 1000 : 1, UNIT);
		enter(&queue, &old[i]);
	}
	for (int i = 0; i < 50 * MANY; i++)
		serve(&queue);
	enter(&queue, &new);
	assert_ptr_equal(serve(&queue), &new);
	for (int i = 0; i < MANY; i++)
		assert_ptr_not_equal(serve(&queue), &new);
}

/* Who leaves after each chunk and comes back gets no more than who stays. */
static void test_coming_and_going_gains_nothing(void **state)
{
	struct fair_queue queue = {0};
	struct client stays = client_of(1, UNIT), flits = client_of(1, UNIT);

	(void)state;
	enter(&queue, &stays);
	enter(&queue, &flits);
	for (int chunk = 0; chunk < 1000; chunk++)
		if (serve(&queue) == &flits) {
			fair_queue_leave(&queue, &flits.job);
			fair_queue_enter(&queue, &flits.job);
		}
	assert_in_range(flits.chunks, 499, 501);
	fair_queue_leave(&queue, &flits.job);
	fair_queue_leave(&queue, &flits.job);
	fair_queue_leave(&queue, &stays.job);
	assert_null(serve(&queue));
	assert_int_equal(queue.queued, 0);
}

/* Chunks that cannot be so long, or so short, count less, or more. */
static void test_outliers(void **state)
{
	struct fair_queue queue = {0};
	struct client a = client_of(1, UNIT), b = client_of(1, UNIT);

	(void)state;
	enter(&queue, &a);
	enter(&queue, &b);
	a.chunk_ns = UINT64_C(1000000000);
	while (serve(&queue) != &a)
		;
	a.chunk_ns = UNIT;
	b.chunks = 0;
	while (serve(&queue) != &a)
		;
	assert_in_range(b.chunks, 5, 9); /* of 60 us, against 400 */
	a.chunk_ns = b.chunk_ns = 1;
	a.chunks = b.chunks = 0;
	for (int chunk = 0; chunk < 1000; chunk++)
		serve(&queue);
	assert_in_range(a.chunks, 480, 520);
}

/* Clocks that pass their end, and a client that was never there before. */
static void test_clocks_wrap(void **state)
{
	struct fair_queue queue = {.clock = UINT64_MAX - 10 * UNIT};
	struct client a = client_of(1, UNIT), b = client_of(1, UNIT);

	(void)state;
	enter(&queue, &a);
	enter(&queue, &b);
	for (int chunk = 0; chunk < 1000; chunk++)
		serve(&queue);
	assert_in_range(a.chunks, 499, 501);
	assert_true(queue.clock < 1000 * UNIT);
}

/* The heap beside a look at all, with clients that come and go. */
static void test_least_clock_first(void **state)
{
	struct fair_queue queue = {0};
	struct client clients[MANY];
	uint64_t random = 1, ns;

	(void)state;
	for (int i = 0; i < MANY; i++)
		clients[i] = client_of(0, 0);
	for (int step = 0; step < 20000; step++) {
		struct client *one;
		struct job *job;

		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		one = &clients[(random >> 33) % MANY];
		if (one->job.queued)
			fair_queue_leave(&queue, &one->job);
		else
			enter(&queue, one);
		uint64_t least = UINT64_MAX;
		for (int i = 0; i < MANY; i++)
			if (clients[i].job.queued && clients[i].fair_entry.clock < least)
				least = clients[i].fair_entry.clock;
		job = fair_queue_next(&queue, &ns);
		assert_true((job != NULL) == (least != UINT64_MAX));
		if (!job)
			continue;
		if (job->fair_entry->clock - ns != least)
			fail_msg("step %d: served at %llu, the least clock is %llu", step,
				 (unsigned long long)(job->fair_entry->clock - ns), (unsigned long long)least);
		fair_queue_charge(&queue, job->fair_entry, (random >> 20) % (300 * US), ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_jobs_of_one_client_alternate),
		cmocka_unit_test(test_units_are_in_the_ratio_of_weights),
		cmocka_unit_test(test_time_counts),
		cmocka_unit_test(test_threads_spread),
		cmocka_unit_test(test_newcomer_is_next),
		cmocka_unit_test(test_coming_and_going_gains_nothing),
		cmocka_unit_test(test_outliers),
		cmocka_unit_test(test_clocks_wrap),
		cmocka_unit_test(test_least_clock_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
