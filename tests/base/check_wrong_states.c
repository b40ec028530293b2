/* SPDX-License-Identifier: Apache-2.0 */
/* What waits have learned is left within 10 ms when it has become wrong. The clock is the test's: it advances by what each look,
 * yield and sleep takes, so what is counted depends on no machine. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/spin.h"

enum {
	LOOK_NS = 100,
	SLICE_NS = 3000000,
	ANSWER_NS = 5000,  /* after which a thread that spins finds its answer */
	WAKE_NS = 20000,   /* later, one that sleeps */
	BOUND_NS = 100000,
	LEAVE_NS = 10000000,
	LEARNING_NS = 2000000000,
};

static uint64_t clock_now_ns = UINT64_C(1000000000000);
static uint64_t yield_ns = LOOK_NS;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){(time_t)(clock_now_ns / 1000000000u), (long)(clock_now_ns % 1000000000u)};
	return 0;
}

int sched_yield(void)
{
	clock_now_ns += yield_ns;
	return 0;
}

/* Returns whether the wait has slept. */
static bool wait_for_answer(struct spin *spin, uint64_t spinning_ns, uint64_t sleeping_ns)
{
	uint64_t began_ns = clock_now_ns;
	bool sleeps = false;

	spin_begin(spin);
	while (!sleeps && clock_now_ns - began_ns < spinning_ns) {
		sleeps = !spin_again(spin);
		clock_now_ns += LOOK_NS;
	}
	if (sleeps && spin->for_batch)
		spin_give_up(spin);
	if (sleeps && clock_now_ns - began_ns < sleeping_ns)
		clock_now_ns = began_ns + sleeping_ns;
	spin_end(spin);
	return sleeps;
}

/* Waits for so long, and returns how often it slept. */
static unsigned count_sleeps(struct spin *spin, uint64_t length_ns, uint64_t spinning_ns, uint64_t sleeping_ns)
{
	const uint64_t end_ns = clock_now_ns + length_ns;
	unsigned sleeps = 0;

	while (clock_now_ns < end_ns)
		sleeps += wait_for_answer(spin, spinning_ns, sleeping_ns);
	return sleeps;
}

/* After the time in which a wrong state is to be left, waits spin; to try to sleep is one of a hundred. */
static void check_left(struct spin *spin)
{
	unsigned waits = 0, sleeps;

	count_sleeps(spin, LEAVE_NS, ANSWER_NS, ANSWER_NS + WAKE_NS);
	for (sleeps = 0; waits < 1000; waits++)
		sleeps += wait_for_answer(spin, ANSWER_NS, ANSWER_NS + WAKE_NS);
	if (sleeps > waits / 100)
		fail_msg("expected at most %u sleeps in %u waits after 10 ms, got %u", waits / 100, waits, sleeps);
}

/* How a wait is begun; that of a daemon's loop and of a session, of several answers, and of a batch. */
static void begin_plain(struct spin *spin)
{
	spin_init_following(spin, BOUND_NS, 2 * BOUND_NS + BOUND_NS / 2);
}

static void begin_several(struct spin *spin)
{
	spin_init_for_several(spin, BOUND_NS);
}

static void begin_batch(struct spin *spin)
{
	spin_init_for_batch(spin, BOUND_NS);
}

static void (*const kinds[])(struct spin *) = {begin_plain, begin_several, begin_batch};

/* A program that computed beside the thread has ended. */
static void leaves_long_yields(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct spin spin;

		kinds[k](&spin);
		yield_ns = SLICE_NS;
		assert_true(count_sleeps(&spin, LEARNING_NS, ANSWER_NS, ANSWER_NS + WAKE_NS) > 10000);
		yield_ns = LOOK_NS;
		check_left(&spin);
	}
}

/* Beside that program most waits sleep, so that a session has most of its time. */
static void keeps_its_time(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct spin spin;
		unsigned sleeps;

		kinds[k](&spin);
		yield_ns = SLICE_NS;
		sleeps = count_sleeps(&spin, LEARNING_NS, ANSWER_NS, ANSWER_NS + WAKE_NS);
		assert_true(sleeps > LEARNING_NS / (ANSWER_NS + WAKE_NS) * 6 / 10);
		yield_ns = LOOK_NS;
	}
}

/* Spinning took longer than sleeping for a while, each wait. The modes are tried by counts. */
static void leaves_the_mode_that_sleeps(void **state)
{
	struct spin spin;
	unsigned sleeps = 0;

	(void)state;
	begin_plain(&spin);
	count_sleeps(&spin, LEARNING_NS, 2 * ANSWER_NS, ANSWER_NS);
	assert_int_equal(spin.modes.way, SPIN_SLEEPS);
	while (spin.modes.way == SPIN_SLEEPS && sleeps < 10000)
		sleeps += wait_for_answer(&spin, ANSWER_NS, ANSWER_NS + WAKE_NS);
	if (sleeps > 1024)
		fail_msg("expected at most 1024 sleeps in the worse mode, got %u", sleeps);
}

/* Spins for batches were in vain for a while. */
static void leaves_vain_spins(void **state)
{
	struct spin spin;

	(void)state;
	begin_batch(&spin);
	count_sleeps(&spin, LEARNING_NS, 10 * BOUND_NS, 10 * BOUND_NS);
	check_left(&spin);
}

/* The answers came late for a while. */
static void leaves_late_answers(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct spin spin;

		kinds[k](&spin);
		count_sleeps(&spin, LEARNING_NS, 20 * BOUND_NS, 20 * BOUND_NS);
		check_left(&spin);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_long_yields),	       cmocka_unit_test(keeps_its_time),
		cmocka_unit_test(leaves_the_mode_that_sleeps), cmocka_unit_test(leaves_vain_spins),
		cmocka_unit_test(leaves_late_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
