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
	struct turn turn;
	struct job job;
	uint64_t unit_ns;
	size_t units;
};

static struct client client_of(unsigned weight, uint64_t unit_ns)
{
	return (struct client){.turn.weight = weight, .unit_ns = unit_ns};
}

static void enter(struct turns *turns, struct client *client)
{
	client->job.turn = &client->turn;
	turn_enter(turns, &client->job);
}

/* One thread gives a unit. */
static struct client *serve(struct turns *turns)
{
	uint64_t expected_ns;
	struct job *job = turn_next(turns, &expected_ns);
	struct client *client;

	if (!job)
		return NULL;
	client = (struct client *)((char *)job - offsetof(struct client, job));
	client->units++;
	turn_spend(turns, &client->turn, client->unit_ns, expected_ns);
	return client;
}

static void test_nobody(void **state)
{
	struct turns turns = {0};

	(void)state;
	assert_null(serve(&turns));
}

static void test_jobs_of_one_client_alternate(void **state)
{
	struct turns turns = {0};
	struct turn a = {0};
	struct job job[3] = {{.turn = &a}, {.turn = &a}, {.turn = &a}};
	uint64_t ns;

	(void)state;
	for (int i = 0; i < 3; i++)
		turn_enter(&turns, &job[i]);
	for (int i = 0; i < 9; i++) {
		assert_ptr_equal(turn_next(&turns, &ns), &job[i % 3]);
		turn_spend(&turns, &a, UNIT, ns);
	}
}

/* However the threads interleave: as many units as the weights say, after every 36. */
static void test_units_are_in_the_ratio_of_weights(void **state)
{
	struct turns turns = {0};
	struct client a = client_of(3, UNIT), b = client_of(1, UNIT), c = client_of(2, UNIT);

	(void)state;
	enter(&turns, &a);
	enter(&turns, &b);
	enter(&turns, &c);
	for (size_t unit = 1; unit <= 3600; unit++) {
		serve(&turns);
		if (unit % 36 == 0 && (a.units + 2 < unit / 2 || b.units + 2 < unit / 6 || c.units + 2 < unit / 3))
			fail_msg("after %zu units weights of 3, 1 and 2 have had %zu, %zu and %zu", unit, a.units, b.units,
				 c.units);
	}
}

/* Units of 10 us and of 240: the time is alike, the units are not. */
static void test_time_counts(void **state)
{
	struct turns turns = {0};
	struct client brief = client_of(1, 10 * US), lengthy = client_of(0, 240 * US);

	(void)state;
	enter(&turns, &brief);
	enter(&turns, &lengthy);
	for (int unit = 0; unit < 25 * 100; unit++)
		serve(&turns);
	assert_in_range(lengthy.units, 99, 101);
	assert_in_range(brief.units, 2399, 2401);
}

/* Many threads take a unit each before the first one is done: they do not all serve the same client. */
static void test_threads_spread(void **state)
{
	enum { CLIENTS = 4, THREADS = 16, ROUNDS = 50 };
	struct turns turns = {0};
	struct client clients[CLIENTS];

	(void)state;
	for (int i = 0; i < CLIENTS; i++) {
		clients[i] = client_of(1, UNIT);
		enter(&turns, &clients[i]);
	}
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t ns[THREADS];
		struct job *job[THREADS];

		for (int i = 0; i < CLIENTS; i++)
			clients[i].units = 0;
		for (int i = 0; i < THREADS; i++) {
			job[i] = turn_next(&turns, &ns[i]);
			((struct client *)((char *)job[i] - offsetof(struct client, job)))->units++;
		}
		for (int i = 0; i < CLIENTS; i++)
			if (clients[i].units != THREADS / CLIENTS)
				fail_msg("round %d: client %d has %zu of %d threads, expected %d", round, i,
					 clients[i].units, THREADS, THREADS / CLIENTS);
		for (int i = 0; i < THREADS; i++)
			turn_spend(&turns, job[i]->turn, UNIT, ns[i]);
	}
}

/* It is next, whatever the weights of those who are there, but only once: it has saved nothing up. */
static void test_newcomer_is_next(void **state)
{
	struct turns turns = {0};
	struct client old[MANY], new = client_of(1, UNIT);

	(void)state;
	for (int i = 0; i < MANY; i++) {
		old[i] = client_of(i % 2 ? 1000 : 1, UNIT);
		enter(&turns, &old[i]);
	}
	for (int i = 0; i < 50 * MANY; i++)
		serve(&turns);
	enter(&turns, &new);
	assert_ptr_equal(serve(&turns), &new);
	for (int i = 0; i < MANY; i++)
		assert_ptr_not_equal(serve(&turns), &new);
}

/* Who leaves after each unit and comes back gets no more than who stays. */
static void test_coming_and_going_gains_nothing(void **state)
{
	struct turns turns = {0};
	struct client stays = client_of(1, UNIT), flits = client_of(1, UNIT);

	(void)state;
	enter(&turns, &stays);
	enter(&turns, &flits);
	for (int unit = 0; unit < 1000; unit++)
		if (serve(&turns) == &flits) {
			turn_leave(&turns, &flits.job);
			turn_enter(&turns, &flits.job);
		}
	assert_in_range(flits.units, 499, 501);
	turn_leave(&turns, &flits.job);
	turn_leave(&turns, &flits.job);
	turn_leave(&turns, &stays.job);
	assert_null(serve(&turns));
	assert_int_equal(turns.queued, 0);
}

/* Units that cannot be so long, or so short, count less, or more. */
static void test_outliers(void **state)
{
	struct turns turns = {0};
	struct client a = client_of(1, UNIT), b = client_of(1, UNIT);

	(void)state;
	enter(&turns, &a);
	enter(&turns, &b);
	a.unit_ns = UINT64_C(1000000000);
	while (serve(&turns) != &a)
		;
	a.unit_ns = UNIT;
	b.units = 0;
	while (serve(&turns) != &a)
		;
	assert_in_range(b.units, 5, 9); /* of 60 us, against 400 */
	a.unit_ns = b.unit_ns = 1;
	a.units = b.units = 0;
	for (int unit = 0; unit < 1000; unit++)
		serve(&turns);
	assert_in_range(a.units, 480, 520);
}

/* Clocks that pass their end, and a client that was never there before. */
static void test_clocks_wrap(void **state)
{
	struct turns turns = {.clock = UINT64_MAX - 10 * UNIT};
	struct client a = client_of(1, UNIT), b = client_of(1, UNIT);

	(void)state;
	enter(&turns, &a);
	enter(&turns, &b);
	for (int unit = 0; unit < 1000; unit++)
		serve(&turns);
	assert_in_range(a.units, 499, 501);
	assert_true(turns.clock < 1000 * UNIT);
}

/* The heap beside a look at all, with clients that come and go. */
static void test_least_clock_first(void **state)
{
	struct turns turns = {0};
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
			turn_leave(&turns, &one->job);
		else
			enter(&turns, one);
		uint64_t least = UINT64_MAX;
		for (int i = 0; i < MANY; i++)
			if (clients[i].job.queued && clients[i].turn.clock < least)
				least = clients[i].turn.clock;
		job = turn_next(&turns, &ns);
		assert_true((job != NULL) == (least != UINT64_MAX));
		if (!job)
			continue;
		if (job->turn->clock - ns != least)
			fail_msg("step %d: served at %llu, the least clock is %llu", step,
				 (unsigned long long)(job->turn->clock - ns), (unsigned long long)least);
		turn_spend(&turns, job->turn, (random >> 20) % (300 * US), ns);
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
