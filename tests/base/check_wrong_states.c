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

#include "base/wait.h"

enum {
	LOOK_NS = 100,
	SLICE_NS = 3000000,
	ANSWER_NS = 5000,  /* after which a thread that looks finds its answer */
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

/* A history of waits of one kind. */
struct kind {
	struct wait_history history;
	enum wait_for what;
};

/* Returns whether the wait has slept. */
static bool wait_for_answer(struct kind *kind, uint64_t looking_ns, uint64_t sleeping_ns)
{
	const uint64_t began_ns = clock_now_ns;
	bool sleeps = false;
	struct wait wait;

	wait_begin(&wait, &kind->history, kind->what);
	while (!sleeps && clock_now_ns - began_ns < looking_ns) {
		sleeps = !wait_again(&wait);
		clock_now_ns += LOOK_NS;
	}
	if (sleeps && clock_now_ns - began_ns < sleeping_ns)
		clock_now_ns = began_ns + sleeping_ns;
	wait_end(&wait, &kind->history, !sleeps);
	return sleeps;
}

/* Waits for so long, and returns how often it slept. */
static unsigned count_sleeps(struct kind *kind, uint64_t length_ns, uint64_t looking_ns, uint64_t sleeping_ns)
{
	const uint64_t end_ns = clock_now_ns + length_ns;
	unsigned sleeps = 0;

	while (clock_now_ns < end_ns)
		sleeps += wait_for_answer(kind, looking_ns, sleeping_ns);
	return sleeps;
}

/* After the time in which a wrong state is to be left, waits look; to try to sleep is one of a hundred. */
static void check_left(struct kind *kind)
{
	unsigned waits = 0, sleeps;

	count_sleeps(kind, LEAVE_NS, ANSWER_NS, ANSWER_NS + WAKE_NS);
	for (sleeps = 0; waits < 1000; waits++)
		sleeps += wait_for_answer(kind, ANSWER_NS, ANSWER_NS + WAKE_NS);
	if (sleeps > waits / 100)
		fail_msg("expected at most %u sleeps in %u waits after 10 ms, got %u", waits / 100, waits, sleeps);
}

static struct kind begin(enum wait_for what)
{
	struct kind kind = {.what = what};

	wait_init(&kind.history, BOUND_NS, 2 * BOUND_NS + BOUND_NS / 2);
	return kind;
}

/* A program that computed beside the thread has ended. */
static void leaves_long_yields(void **state)
{
	(void)state;
	for (int what = 0; what < WAIT_FOR_KINDS; what++) {
		struct kind kind = begin((enum wait_for)what);

		yield_ns = SLICE_NS;
		assert_true(count_sleeps(&kind, LEARNING_NS, ANSWER_NS, ANSWER_NS + WAKE_NS) > 10000);
		yield_ns = LOOK_NS;
		check_left(&kind);
	}
}

/* Beside that program most waits sleep, so that a session has most of its time. */
static void keeps_its_time(void **state)
{
	(void)state;
	for (int what = 0; what < WAIT_FOR_KINDS; what++) {
		struct kind kind = begin((enum wait_for)what);
		unsigned sleeps;

		yield_ns = SLICE_NS;
		sleeps = count_sleeps(&kind, LEARNING_NS, ANSWER_NS, ANSWER_NS + WAKE_NS);
		assert_true(sleeps > LEARNING_NS / (ANSWER_NS + WAKE_NS) * 6 / 10);
		yield_ns = LOOK_NS;
	}
}

/* Looking took longer than sleeping for a while, each wait. The modes are tried by counts. */
static void leaves_the_mode_that_sleeps(void **state)
{
	struct kind kind = begin(WAIT_FOR_ONE);
	unsigned sleeps = 0;

	(void)state;
	count_sleeps(&kind, LEARNING_NS, 2 * ANSWER_NS, ANSWER_NS);
	assert_int_equal(kind.history.modes.way, WAIT_SLEEPS);
	while (kind.history.modes.way == WAIT_SLEEPS && sleeps < 10000)
		sleeps += wait_for_answer(&kind, ANSWER_NS, ANSWER_NS + WAKE_NS);
	if (sleeps > 1024)
		fail_msg("expected at most 1024 sleeps in the worse mode, got %u", sleeps);
}

/* Windows for batches were in vain for a while. */
static void leaves_vain_windows(void **state)
{
	struct kind kind = begin(WAIT_FOR_BATCH);

	(void)state;
	count_sleeps(&kind, LEARNING_NS, 10 * BOUND_NS, 10 * BOUND_NS);
	check_left(&kind);
}

/* The answers came late for a while. */
static void leaves_late_answers(void **state)
{
	(void)state;
	for (int what = 0; what < WAIT_FOR_KINDS; what++) {
		struct kind kind = begin((enum wait_for)what);

		count_sleeps(&kind, LEARNING_NS, 20 * BOUND_NS, 20 * BOUND_NS);
		check_left(&kind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_long_yields),	       cmocka_unit_test(keeps_its_time),
		cmocka_unit_test(leaves_the_mode_that_sleeps), cmocka_unit_test(leaves_vain_windows),
		cmocka_unit_test(leaves_late_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
