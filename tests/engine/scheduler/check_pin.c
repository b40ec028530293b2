/* SPDX-License-Identifier: Apache-2.0 */
/* A thread leaves its CPU when a chunk or a yield shows that others want it, and comes back; the sooner it has to leave again, the longer
 * it stays away. It gets the times from the test, which waits for none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/scheduler/cpus.h"
#include "engine/scheduler/pin.h"

#define MS UINT64_C(1000000)

static cpu_set_t all;

static int cpus_of_thread(void)
{
	cpu_set_t set;

	assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof set, &set), 0);
	return CPU_COUNT(&set);
}

static int give_back(void **state)
{
	(void)state;
	cpus_unpin(pthread_self(), &all);
	return 0;
}

static int list_cpus(void **state)
{
	(void)state;
	return sched_getaffinity(0, sizeof all, &all);
}

static void test_leaves_and_comes_back(void **state)
{
	const int cpus = CPU_COUNT(&all);
	struct pin pin;
	uint64_t at = 1000 * MS, rest = 0;

	(void)state;
	pin_begin(&pin, pthread_self(), &all, (unsigned)cpus - 1);
	assert_int_equal(cpus_of_thread(), 1);
	for (int i = 0; i < 12; i++) {
		pin_note_time(&pin, MS / 4, at);
		assert_int_equal(cpus_of_thread(), 1);
		pin_note_time(&pin, 3 * MS, at);
		assert_int_equal(cpus_of_thread(), cpus);
		assert_true(pin.rest_ns >= rest && pin.rest_ns <= 4000 * MS);
		assert_true(i < 3 ? pin.rest_ns > rest : true);
		rest = pin.rest_ns;
		pin_note_time(&pin, 3 * MS, at + rest - 1);
		assert_int_equal(cpus_of_thread(), cpus);
		pin_note_time(&pin, MS / 4, at + rest);
		assert_int_equal(cpus_of_thread(), 1);
		at += rest;
	}
	/* After a long calm one loss counts little. */
	at += 100 * rest;
	pin_note_time(&pin, 3 * MS, at);
	assert_true(pin.rest_ns < rest);
}

static void test_leaves_a_cpu_that_a_program_keeps(void **state)
{
	struct pin pin = {0};
	uint64_t at = 1000 * MS, rest = 0;

	(void)state;
	pin_note_yield(&pin, MS / 10, at);
	assert_false(pin_has_lost(&pin, at));
	for (int i = 0; i < 12; i++) {
		pin_note_yield(&pin, 3 * MS, at);
		assert_true(pin_has_lost(&pin, at));
		assert_true(pin.rest_ns >= rest && pin.rest_ns <= 4000 * MS);
		assert_true(i >= 3 || pin.rest_ns > rest);
		rest = pin.rest_ns;
		assert_true(pin_has_lost(&pin, at + rest - 1));
		pin_note_yield(&pin, 0, at + rest);
		assert_false(pin_has_lost(&pin, at + rest));
		at += rest;
	}
	pin_note_yield(&pin, 3 * MS, at + 5 * rest);
	assert_true(pin.rest_ns < rest);
}

/* Bursts of a client that come now and then, each a slice long: most of the time between them is not rested. */
static void test_forgets_single_bursts(void **state)
{
	struct pin pin = {0};
	uint64_t at = 1000 * MS;

	(void)state;
	for (int i = 0; i < 12; i++, at += 40 * MS) {
		pin_note_yield(&pin, 3 * MS, at);
		assert_true(pin_has_lost(&pin, at));
		pin_note_yield(&pin, 0, at + 10 * MS);
		assert_false(pin_has_lost(&pin, at + 10 * MS));
	}
}

static void test_never_pinned(void **state)
{
	const int cpus = cpus_of_thread();
	struct pin pin = {0};

	(void)state;
	pin_note_time(&pin, 100 * MS, 1);
	pin_note_time(&pin, 1, 10000 * MS);
	assert_int_equal(cpus_of_thread(), cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_leaves_and_comes_back, list_cpus, give_back),
		cmocka_unit_test(test_leaves_a_cpu_that_a_program_keeps),
		cmocka_unit_test(test_forgets_single_bursts),
		cmocka_unit_test(test_never_pinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
